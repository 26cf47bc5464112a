"""The baseline that expects nothing to change."""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.late_block import LateBlock
from macro_engine.blend.persistence import LEAST, PRIOR_ROWS, Persistence
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
        """By classes, for every row of the open step."""
        return None if self.table is None else self.table.probabilities(self.last)

    def complete(self, labels: Ints, last: int) -> None:
        """Take in the labels of a step, and the `last` from when it was open."""
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
        """What `run` gives, to the last bit."""
        before = np.concatenate([[self.last], labels[starts[1:] - 1]])
        predictions = np.repeat(np.maximum(before[:-1], 0), np.diff(starts))
        probabilities = None
        if self.table is not None:
            probabilities = _run_through(self.table, labels, starts, self.last)
        self.last = int(before[-1])
        return predictions, probabilities

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
        return _by_rows(np.array(known[len(lasts) :], np.int64), probabilities, late)

    def run_late_compiled(self, late: LateBlock, lasts: Ints) -> tuple[Ints, Ints, Floats | None]:
        """What `run_late` gives, to the last bit."""
        from macro_engine.algorithm.kernels.tables import late_changes

        table, steps = self.table, late.opening.steps
        counts = (np.empty((0, 0)), np.empty(0), np.ones(2))
        if table is not None:
            counts = table.pairs, table.labels, table.stay_go
        known = np.concatenate([lasts, np.empty(steps, np.int64)])
        found = np.empty((steps, len(counts[1])))
        self.last = int(
            late_changes(
                late.rows.labels,
                late.starts,
                late.before,
                self.last,
                known,
                *counts,
                PRIOR_ROWS,
                LEAST,
                found,
            )
        )
        return _by_rows(known[len(lasts) :], found if self.table else None, late)

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State, classes: int) -> None:
        self.remembers.restore(self, state, classes=classes)


def _by_rows(
    lasts: Ints, probabilities: Floats | None, late: LateBlock
) -> tuple[Ints, Ints, Floats | None]:
    lengths = np.diff(late.opening.starts)
    by_rows = None if probabilities is None else np.repeat(probabilities, lengths, axis=0)
    return lasts, np.repeat(np.maximum(lasts, 0), lengths), by_rows


def _run_through(table: Persistence, labels: Ints, starts: Ints, last: int) -> Floats:
    """The probabilities of rows of steps, each of them learned before the next one."""
    from macro_engine.algorithm.kernels.tables import change_probabilities

    found = np.empty((len(labels), table.classes))
    change_probabilities(
        labels, starts, last, table.pairs, table.labels, table.stay_go, PRIOR_ROWS, LEAST, found
    )
    return found
