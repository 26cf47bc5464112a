"""Probabilities for learners that predict classes only, calibrated by their past predictions.

Each member has a table of what came when it said a class, and so has the marginal baseline. It
forgets: after a hundred rows a count is worth half.
"""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.algorithm.late_block import LateBlock
from macro_engine.core.declared import Array, Declared
from macro_engine.core.rows import Counts, Floats, Ints
from macro_engine.core.state import State

_KEPT = 0.5 ** (1 / 100)  # of a count, from row to row
_LEAST = 1e-3
_PRIOR_ROWS = 2.0


class EarnedProbabilities:
    """p(c | said h) = (N[h, c] + 2 pool_c) / (sum N[h] + 2), with pool_h = hit / (hit + miss).

    Parameters
    ----------
    lines
        How many predict: the members and the marginal baseline.

    Attributes
    ----------
    counts
        N: lines by the class that was said by the label that came.
    hit_miss
        Lines by 2: how often each was right, and wrong.
    """

    remembers = Declared(
        Array("counts", np.float64, ("lines", "classes", "classes")),
        Array("hit_miss", np.float64, ("lines", 2)),
    )

    def __init__(self, lines: int, classes: int) -> None:
        self.classes = classes
        self.counts = np.zeros((lines, classes, classes))
        self.hit_miss = np.tile([1.0, 1.0 / classes], (lines, 1))

    def fill(self, predictions: Counts, probabilities: Floats) -> None:
        """Set probabilities, lines by rows by classes, where they are NaN."""
        for line, row in zip(*np.nonzero(np.isnan(probabilities[:, :, 0])), strict=True):
            said = int(predictions[line, row])
            probabilities[line, row] = self.probabilities(int(line), said)

    def probabilities(self, line: int, said: int) -> Floats:
        """Returns probabilities by class, given the class that a line predicts."""
        hit, miss = self.hit_miss[line].tolist()
        right = hit / (hit + miss)
        total = 0.0
        for count in self.counts[line, said].tolist():
            total += count
        pool = np.full(self.classes, (1 - right) / (self.classes - 1))
        pool[said] = right
        found: Floats = (self.counts[line, said] + _PRIOR_ROWS * pool) / (total + _PRIOR_ROWS)
        return found

    def learn(self, predictions: Counts, labels: Ints) -> None:
        """Learns the rows of a step, which each line had predicted."""
        for i, label in enumerate(labels.tolist()):
            for line, said in enumerate(predictions[:, i].tolist()):
                self.counts[line, said] *= _KEPT
                self.counts[line, said, label] += 1.0
                self.hit_miss[line] = np.maximum(self.hit_miss[line] * _KEPT, _LEAST)
                self.hit_miss[line, 0 if said == label else 1] += 1.0

    def run(self, predictions: Counts, labels: Ints, starts: Ints, probabilities: Floats) -> None:
        """Fill in whole steps, each of them learned before the next one."""
        for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            self.fill(predictions[:, start:stop], probabilities[:, start:stop])
            self.learn(predictions[:, start:stop], labels[start:stop])

    def run_compiled(
        self, predictions: Counts, labels: Ints, starts: Ints, probabilities: Floats
    ) -> None:
        """Gives the results of `run`, bit for bit."""
        each = np.arange(len(starts))  # every step is complete when the next one opens
        self._fill_compiled(predictions, labels, starts, each, predictions, starts, probabilities)

    def run_late(self, result: FamilyResult, late: LateBlock, said: Counts) -> None:
        """Fill in steps that open, and learn others in the order that is asked for.

        `said` are the predictions of the labelled rows of the steps that are completed.
        """
        assert result.probabilities is not None
        done, starts = 0, late.opening.starts.tolist()
        for s, before in enumerate(late.before.tolist()):
            for c in range(done, before):
                span = slice(int(late.starts[c]), int(late.starts[c + 1]))
                self.learn(said[:, span], late.rows.labels[span])
            done = before
            if s < late.opening.steps:
                span = slice(starts[s], starts[s + 1])
                self.fill(result.predictions[:, span], result.probabilities[:, span])

    def run_late_compiled(self, result: FamilyResult, late: LateBlock, said: Counts) -> None:
        """Gives the results of `run_late`, bit for bit."""
        assert result.probabilities is not None
        self._fill_compiled(
            said, late.rows.labels, late.starts, late.before, result.predictions,
            late.opening.starts, result.probabilities,
        )  # fmt: skip

    def _fill_compiled(
        self, said: Counts, labels: Ints, starts: Ints, before: Ints, predictions: Counts,
        opening: Ints, probabilities: Floats,
    ) -> None:  # fmt: skip
        from macro_engine.algorithm.kernels.tables import earned

        earned(
            said, labels, starts, before, predictions, opening, self.counts, self.hit_miss, _KEPT,
            _PRIOR_ROWS, _LEAST, probabilities,
        )  # fmt: skip

    def grow(self, classes: int) -> None:
        """Adds new classes, which have not occurred yet."""
        more = classes - self.classes
        self.counts = np.pad(self.counts, ((0, 0), (0, more), (0, more)))
        self.classes = classes

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State) -> None:
        lines, classes, _ = self.counts.shape
        self.remembers.restore(self, state, lines=lines, classes=classes)
