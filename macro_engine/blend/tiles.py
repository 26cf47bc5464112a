"""Experts 5 to 9: linear models over the tiles of a row, in a coarse and in a fine set."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

from macro_engine.blend.probability import by_class, sigmoid, single, targets
from macro_engine.blend.tilings import ADAGRAD, FAST, SLOW, SQUARES, TILINGS, TilingSet, cell, draw


class Tiles:
    """The learners of one set.

    Cells are float32, read as such and widened; what is stored is rounded, and so is the root of a
    cell's sum of squares. The bias is float64.
    """

    def __init__(self, tiling_set: TilingSet, columns: int, models: int) -> None:
        self.tiling_set = tiling_set
        self.tilings = draw(columns, tiling_set.seed, tiling_set.bins)
        self.rates = [step / (TILINGS + 1.0) for step in tiling_set.steps]
        self.bias = [[0.0] * models for _ in range(4)]
        self.table: dict[int, list[array[float]]] = {}  # by cell, what the learners hold by model
        self.changed: set[int] = set()

    def cells(self, units: Sequence[float], codes: Sequence[int]) -> list[int]:
        return [cell(tiling, n, units, codes) for n, tiling in enumerate(self.tilings)]

    def margins(self, learner: int, cells: Sequence[int]) -> list[float]:
        """The bias, then the cells in order."""
        margins = list(self.bias[learner])
        for index in cells:
            held = self.table.get(index)
            if held is not None:
                for m, value in enumerate(held[learner]):
                    margins[m] += value
        return margins

    def answer(self, cells: Sequence[int]) -> list[list[float]]:
        """The probabilities by learner, then by class."""
        return [by_class(self.margins(learner, cells)) for learner in self.tiling_set.learners]

    def learn(self, cells: Sequence[int], label: int) -> None:
        models = len(self.bias[0])
        wanted = targets(label, models)
        slow, fast, adagrad = (
            [sigmoid(z) - y for z, y in zip(self.margins(learner, cells), wanted, strict=True)]
            for learner in (SLOW, FAST, ADAGRAD)
        )
        for m in range(models):
            moves = [slow[m] * self.rates[SLOW], fast[m] * self.rates[FAST]]
            step, square = adagrad[m] * self.rates[ADAGRAD], adagrad[m] * adagrad[m]
            self.bias[SQUARES][m] += square
            self.bias[SLOW][m] -= moves[SLOW]
            self.bias[FAST][m] -= moves[FAST]
            self.bias[ADAGRAD][m] -= step / (math.sqrt(self.bias[SQUARES][m]) + 1e-6)
            for index in cells:  # one that two tilings share is updated twice
                held = self.table.setdefault(index, [array("f", [0.0] * models) for _ in range(4)])
                held[SLOW][m] -= moves[SLOW]
                held[FAST][m] -= moves[FAST]
                held[SQUARES][m] += square
                held[ADAGRAD][m] -= step / (single(math.sqrt(held[SQUARES][m])) + 1e-6)
        self.changed.update(cells)
