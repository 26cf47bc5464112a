"""The no-change baseline: it predicts the last known label."""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.late_block import LateBlock
from macro_engine.algorithm.persistence import LEAST, PRIOR_ROWS, Persistence
from macro_engine.core.declared import Declared, Integer, StatePart
from macro_engine.core.rows import Floats, Ints
from macro_engine.core.state import State


class NoChange:
    """Predicts the last label of the last completed step, the first class before there is one.

    Parameters
    ----------
    table
        From which its probabilities are read; None for a run that computes none.
    """

    remembers = Declared(Integer("last", -1, "classes"), StatePart("table"))

    def __init__(self, table: Persistence | None = None) -> None:
        self.last = -1  # no label yet
        self.table = table

    @property
    def prediction(self) -> int:
        """The class that it expects of every row of the open step."""
        return max(self.last, 0)

    def probabilities(self) -> Floats | None:
        """Returns the probabilities by class for every row of the open step."""
        return None if self.table is None else self.table.probabilities(self.last)

    def complete(self, labels: Ints, last: int) -> None:
        """Learns the labels of a step; `last` is the last label when it was open."""
        if self.table is not None:
            self.table.learn(labels.tolist(), last)
        if len(labels):
            self.last = int(labels[-1])

    def run(self, labels: Ints, starts: Ints) -> tuple[Ints, Floats | None]:
        """Predict steps, each completed before the next one opens."""
        found = []
        before = [self.last]
        for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            if (probabilities := self.probabilities()) is not None:
                found.append(probabilities)
            self.complete(labels[start:stop], self.last)
            before.append(self.last)
        predictions = np.repeat(np.maximum(before[:-1], 0), np.diff(starts))
        return predictions, np.repeat(found, np.diff(starts), axis=0) if found else None

    def run_compiled(self, labels: Ints, starts: Ints) -> tuple[Ints, Floats | None]:
        """Gives the results of `run`, bit for bit."""
        if self.table is None:
            lasts = np.concatenate([[self.last], labels[starts[1:] - 1]])
            self.last = int(lasts[-1])
            return _by_rows(lasts[:-1], None, np.diff(starts))
        each = np.arange(len(starts))  # every step is complete when the next one opens
        lasts, found = self._complete_compiled(labels, starts, each, np.empty(0, np.int64))
        return _by_rows(lasts, found, np.diff(starts))

    def run_late(self, late: LateBlock, lasts: Ints) -> tuple[Ints, Ints, Floats | None]:
        """Predict steps that open, and complete others in the order that is asked for.

        Parameters
        ----------
        lasts
            The `last` of each step that is completed and had opened before.

        Returns
        -------
        The `last` of each step that opens, what it expects of their rows, and the probabilities.
        """
        found, known, done = [], lasts.tolist(), 0
        for s, before in enumerate(late.before.tolist()):
            for c in range(done, before):
                self.complete(late.step(c).labels, known[c])
            done = before
            if s < late.opening.steps:
                known.append(self.last)
                if (probabilities := self.probabilities()) is not None:
                    found.append(probabilities)
        probabilities = np.array(found).reshape(-1, self.table.classes) if self.table else None
        own = np.array(known[len(lasts) :], np.int64)
        return own, *_by_rows(own, probabilities, np.diff(late.opening.starts))

    def run_late_compiled(self, late: LateBlock, lasts: Ints) -> tuple[Ints, Ints, Floats | None]:
        """Gives the results of `run_late`, bit for bit."""
        own, found = self._complete_compiled(late.rows.labels, late.starts, late.before, lasts)
        return own, *_by_rows(own, found, np.diff(late.opening.starts))

    def _complete_compiled(
        self, labels: Ints, starts: Ints, before: Ints, lasts: Ints
    ) -> tuple[Ints, Floats | None]:
        """The `last` of each step that opens, and the probabilities; as for `run_late`."""
        from macro_engine.algorithm.kernels.tables import no_change

        table, steps = self.table, len(before) - 1
        counts = (np.empty((0, 0)), np.empty(0), np.ones(2))
        if table is not None:
            counts = table.pairs, table.labels, table.stay_go
        known = np.concatenate([lasts, np.empty(steps, np.int64)])
        found = np.empty((steps, len(counts[1])))
        self.last = int(
            no_change(labels, starts, before, self.last, known, *counts, PRIOR_ROWS, LEAST, found)
        )
        return known[len(lasts) :], found if table else None

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State, classes: int) -> None:
        self.remembers.restore(self, state, classes=classes)


def _by_rows(
    lasts: Ints, probabilities: Floats | None, lengths: Ints
) -> tuple[Ints, Floats | None]:
    """Returns predictions and probabilities for the rows of steps."""
    by_rows = None if probabilities is None else np.repeat(probabilities, lengths, axis=0)
    return np.repeat(np.maximum(lasts, 0), lengths), by_rows
