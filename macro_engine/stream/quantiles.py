"""Thresholds from the first rows: quantiles of the distances between their histories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from macro_engine.core.errors import MacroError
from macro_engine.core.rows import Block, Rows
from macro_engine.discrepancy import DISTANCES, Shape

ROWS, STEPS = 500, 20  # that are looked at, at least
SHARES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)


@dataclass(frozen=True)
class QuantileRule:
    """Between which histories distances are taken; the attributes are those of a run."""

    distance: str
    histories: tuple[int | None, ...]
    scaled: bool
    empty_class: str

    def thresholds(self, blocks: Sequence[Block], classes: int) -> list[float]:
        """The lower quantiles over all pairs of steps, without duplicates."""
        found = []
        for history in self.histories:
            found += self._distances(blocks, classes, history)
        finite = [distance for distance in found if np.isfinite(distance)]
        if not finite:
            raise MacroError(
                f"--thresholds: the first rows have no two histories whose distance "
                f"'{self.distance}' could be taken; name thresholds, as in --thresholds .5,1,2"
            )
        return sorted({float(q) for q in np.quantile(finite, SHARES, method="lower")})

    def _distances(self, blocks: Sequence[Block], classes: int, history: int | None) -> list[float]:
        columns = blocks[-1].rows.columns.compared
        rows = Rows.join([block.rows.compared() for block in blocks], columns)
        ends = [block.starts[1:] + block.first_row for block in blocks]
        starts = np.concatenate([[0], *ends])
        shape = Shape(classes, len(columns.numbers), history, self.scaled, self.empty_class)
        discrepancy = DISTANCES[self.distance].create(shape)
        described = [
            discrepancy.describe(
                rows.cut(int(starts[0 if history is None else max(0, t - history)]), int(starts[t]))
            )
            for t in range(len(starts) - 1)
        ]
        return [
            distance
            for t in range(len(described))
            for distance in discrepancy.distances(described[t], described[:t]).tolist()
        ]


@dataclass
class FirstSteps:
    """Steps from the beginning of a stream, until there are enough of them."""

    blocks: list[Block] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return sum(len(block.rows) for block in self.blocks)

    @property
    def are_enough(self) -> bool:
        return self.rows >= ROWS and sum(block.steps for block in self.blocks) >= STEPS

    def add(self, block: Block) -> None:
        """Take of a block no more steps than are needed."""
        steps = sum(kept.steps for kept in self.blocks)
        by_rows = int(np.searchsorted(block.starts, ROWS - self.rows))
        self.blocks.append(block.cut(0, min(max(by_rows, STEPS - steps), block.steps)))
