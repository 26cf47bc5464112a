"""Blend: ten cheap experts, the run's family among them, stacked on log loss.

This is the definition; `compiled.py` computes the same bits.
"""

from __future__ import annotations

import numpy as np

from macro_engine.blend.answers import Answers, BlendResult
from macro_engine.blend.class_shares import ClassShares
from macro_engine.blend.family import FamilyMean
from macro_engine.blend.filters import FAST, SLOW, Filter
from macro_engine.blend.fixed_share import FixedShare, blend_prior
from macro_engine.blend.linear import Linear
from macro_engine.blend.memory import Memory
from macro_engine.blend.plain_memory import cells_of, memory_of, restore
from macro_engine.blend.probability import centred_logs
from macro_engine.blend.pull import RecentPulls, pulls_of
from macro_engine.blend.shape import NO_LABEL, BlendShape, Evidence
from macro_engine.blend.tiles import Tiles
from macro_engine.blend.tilings import TILINGS
from macro_engine.core.rows import Ints
from macro_engine.core.state import State


class Blend:
    """The experts in their order: marginal, linear, shares, persistence, family, five on tiles.

    A step is answered, which changes nothing; it is closed when no more rows come; it is learned
    when its labels are there.
    """

    def __init__(self, shape: BlendShape) -> None:
        self.shape = shape
        models, experts = shape.models, shape.experts
        self.linear = Linear(models, shape.numbers, shape.categories)
        self.class_shares = ClassShares(shape.classes)
        self.family = FamilyMean(shape.members) if shape.members else None
        self.tiles = [Tiles(tiling_set, shape.tiled, models) for tiling_set in shape.tiling_sets]
        self.filters = [Filter(experts, SLOW), Filter(experts, FAST)]
        self.fixed_share = FixedShare(blend_prior(experts))
        self.pulls = RecentPulls(experts)

    @property
    def weights(self) -> list[float]:
        """The current weights of the experts, and of the slow and the fast filter."""
        return self.fixed_share.weights

    @property
    def recent_pulls(self) -> tuple[list[float], int]:
        """The mean pull of each expert over the last steps, and over how many steps in all."""
        return self.pulls.mean, self.pulls.steps

    def answer(self, evidence: Evidence) -> Answers:
        """Predicts rows of the open step."""
        n, experts, classes = len(evidence), self.shape.experts, self.shape.classes
        answers = Answers(
            evidence,
            np.empty((n, classes)),
            np.empty((n, experts, classes)),
            np.empty((n, 2, classes)),
            np.empty((n, len(self.tiles), TILINGS), np.uint16),
            np.empty((n, experts)),
        )
        for i in range(n):
            self._answer_row(i, evidence, answers)
        return answers

    def _answer_row(self, i: int, evidence: Evidence, answers: Answers) -> None:
        units, codes = evidence.units[i].tolist(), evidence.codes[i].tolist()
        cells = [tiles.cells(units, codes) for tiles in self.tiles]
        experts = [
            evidence.marginal[i].tolist(),
            self.linear.answer(evidence.numbers[i].tolist(), codes),
            self.class_shares.answer(),
            evidence.unchanged[i].tolist(),
        ]
        if self.family is not None:
            experts.append(self.family.answer(evidence.members[:, i].tolist()))
        for tiles, mine in zip(self.tiles, cells, strict=True):
            experts += tiles.answer(mine)
        logs = by_class_and_expert(experts)
        filtered = [f.answer(logs) for f in self.filters]
        slow, fast = self.fixed_share.weights[len(experts) :]
        q = []
        for c in range(self.shape.classes):
            p = slow * filtered[0][c] + fast * filtered[1][c]
            for weight, expert in zip(self.fixed_share.weights, experts, strict=False):
                p += weight * expert[c]
            q.append(p)
        answers.probabilities[i] = q
        answers.experts[i] = experts
        answers.filtered[i] = filtered
        for s, mine in enumerate(cells):
            answers.cells[i, s] = mine
        answers.pulls[i] = pulls_of(
            [f.weights for f in self.filters], (slow, fast), logs[q.index(max(q))]
        )

    def close(self, answers: Answers) -> None:
        """Closes the step: no more rows come."""
        given = answers.evidence
        for numbers, codes in zip(given.numbers.tolist(), given.codes.tolist(), strict=True):
            self.linear.count(numbers, codes)
        self.pulls.add(answers.pulls.tolist())

    def learn(self, answers: Answers, labels: Ints) -> None:
        """Learn a closed step; a row without a label, which is -1, is not learned."""
        rows = [(i, label) for i, label in enumerate(labels.tolist()) if label != NO_LABEL]
        if not rows:
            return
        given, experts = answers.evidence, answers.experts
        if self.family is not None:
            self.family.learn([given.members[:, i, y].tolist() for i, y in rows])
        self.fixed_share.learn(
            [[*experts[i, :, y].tolist(), *answers.filtered[i, :, y].tolist()] for i, y in rows]
        )
        for i, label in rows:
            logs = by_class_and_expert(experts[i].tolist())
            for f in self.filters:
                f.learn(logs, label)
            self.linear.learn(given.numbers[i].tolist(), given.codes[i].tolist(), label)
            for tiles, cells in zip(self.tiles, answers.cells[i].tolist(), strict=True):
                tiles.learn(cells, label)
            self.class_shares.learn(label)

    def run(self, evidence: Evidence, labels: Ints, starts: Ints) -> BlendResult:
        """Runs a block of whole steps: answers, closes and learns each."""
        steps, experts = len(starts) - 1, self.shape.experts
        outcome = BlendResult(
            np.empty((len(evidence), self.shape.classes)),
            np.empty((steps, experts + 2)),
            np.empty((steps, experts)),
        )
        for s, (a, b) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
            outcome.weights[s] = self.fixed_share.weights
            answers = self.answer(evidence.cut(a, b))
            outcome.probabilities[a:b] = answers.probabilities
            self.close(answers)
            self.learn(answers, labels[a:b])
            outcome.pulls[s] = self.pulls.mean
        return outcome

    def state(self) -> State:
        """Returns the complete state."""
        return self.state_without_tables() | {"tiles": self.cells()}

    def state_without_tables(self) -> State:
        return memory_of(self).state()

    @property
    def touched(self) -> int:
        """The number of cells that were ever learned."""
        return sum(len(tiles.table) for tiles in self.tiles)

    @property
    def changed(self) -> int:
        """The number of cells changed since the last call of `stored`."""
        return sum(len(tiles.changed) for tiles in self.tiles)

    def cells(self, only_changed: bool = False) -> list[State]:
        """The contents of the cells, by sets of tilings."""
        return [cells_of(tiles, only_changed).state() for tiles in self.tiles]

    def stored(self) -> None:
        """Marks the current contents of the cells as stored."""
        for tiles in self.tiles:
            tiles.changed.clear()

    def restore(self, state: State) -> None:
        """Restores a state; the blend must be new."""
        restore(self, Memory.restored(state, self.shape))


def by_class_and_expert(experts: list[list[float]]) -> list[tuple[float, ...]]:
    """The centred log-probabilities, classes by experts."""
    return list(zip(*map(centred_logs, experts), strict=True))
