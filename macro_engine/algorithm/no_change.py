"""The baseline that expects nothing to change."""

from __future__ import annotations

import numpy as np

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

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State, classes: int) -> None:
        self.remembers.restore(self, state, classes=classes)


def _run_through(table: Persistence, labels: Ints, starts: Ints, last: int) -> Floats:
    """The probabilities of rows of steps, each of them learned before the next one."""
    from macro_engine.algorithm.kernels.tables import change_probabilities

    found = np.empty((len(labels), table.classes))
    change_probabilities(
        labels, starts, last, table.pairs, table.labels, table.stay_go, PRIOR_ROWS, LEAST, found
    )
    return found
