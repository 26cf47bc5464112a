"""The baseline that expects nothing to change."""

from __future__ import annotations

import numpy as np

from macro_engine.core.declared import Array, Declared, Part, Whole
from macro_engine.core.rows import Floats, Ints
from macro_engine.core.state import State

_LEAST = 1e-3
_PRIOR_ROWS = 2.0


class NoChange:
    """Predicts the last label of the last completed step, the first class before there is one.

    Parameters
    ----------
    table
        From which its probabilities are read; None for a run that computes none.
    """

    remembers = Declared(Whole("last", -1, "classes"), Part("table"))

    def __init__(self, table: ChangeTable | None = None) -> None:
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
            probabilities = self.table.run_compiled(labels, starts, self.last)
        self.last = int(before[-1])
        return predictions, probabilities

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State, classes: int) -> None:
        self.remembers.restore(self, state, classes=classes)


class ChangeTable:
    """What follows upon a label: counts of pairs, held together by how often nothing changes.

    Attributes
    ----------
    pairs
        N: by the last label of a step and the label of a row in the step after it.
    labels
        How often each label came.
    stay_go
        How often a row had the last label, and how often another.
    """

    remembers = Declared(
        Array("pairs", np.float64, ("classes", "classes")),
        Array("labels", np.float64, ("classes",)),
        Array("stay_go", np.float64, (2,)),
    )

    def __init__(self, classes: int) -> None:
        self.classes = classes
        self.pairs = np.zeros((classes, classes))
        self.labels = np.full(classes, 1.0 / classes)
        self.stay_go = np.array([1.0, 1.0 / classes])

    def probabilities(self, last: int) -> Floats:
        """p_c = (N[last, c] + 2 pool_c) / (sum N[last] + 2), pool_last = stay / (stay + go)."""
        if last < 0:
            return np.full(self.classes, 1.0 / self.classes)
        stay, go = self.stay_go.tolist()
        stays = stay / (stay + go)
        total = rest = 0.0
        for c in range(self.classes):
            total += self.pairs[last, c]
            if c != last:
                rest += self.labels[c]
        found = np.empty(self.classes)
        for c in range(self.classes):
            pool = stays if c == last else (1 - stays) * self.labels[c] / rest
            found[c] = (self.pairs[last, c] + _PRIOR_ROWS * pool) / (total + _PRIOR_ROWS)
        return found

    def learn(self, labels: list[int], last: int) -> None:
        """Count rows that came while `last` was the last label; -1 for none."""
        for label in labels:
            np.maximum(self.labels, _LEAST / self.classes, out=self.labels)
            self.labels[label] += 1.0
            if last >= 0:
                self.pairs[last, label] += 1.0
                np.maximum(self.stay_go, _LEAST, out=self.stay_go)
                self.stay_go[0 if label == last else 1] += 1.0

    def run_compiled(self, labels: Ints, starts: Ints, last: int) -> Floats:
        """The probabilities of rows of steps, each of them learned before the next one."""
        from macro_engine.algorithm.kernels.tables import change_probabilities

        found = np.empty((len(labels), self.classes))
        change_probabilities(
            labels, starts, last, self.pairs, self.labels, self.stay_go, _PRIOR_ROWS, _LEAST, found
        )
        return found

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State) -> None:
        self.remembers.restore(self, state, classes=self.classes)
