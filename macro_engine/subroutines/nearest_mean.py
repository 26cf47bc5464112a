"""The paper's G-NB: a running mean for each class, and the closest mean wins."""

from __future__ import annotations

import numpy as np

from macro_engine.core.declared import Array, Declared
from macro_engine.core.rows import Bools, Columns, Floats, Ints, Rows
from macro_engine.core.state import State
from macro_engine.subroutines.base import RunningMean, Subroutine, Widths, widened
from macro_engine.subroutines.parameters import MEANS, Parameters, column_names

_WIDTHS = Widths("widths")
_REMEMBERS = Declared(
    _WIDTHS,
    Array("counts", np.int64, ("classes",)),
    Array("means", np.float64, ("classes", "columns")),
)


class NearestMean(Subroutine):
    """Means over all encoded columns; a class that was never seen is never predicted."""

    def __init__(self, classes: int) -> None:
        self.counts = np.zeros(classes, np.int64)
        self.means = np.zeros((classes, 0))
        self.widths: list[int] = []

    def predict(self, rows: Rows) -> Ints:
        self.widen(rows.columns)
        return nearest(rows, self.means, self.counts > 0)

    def learn(self, rows: Rows) -> None:
        self.widen(rows.columns)
        for x, label in zip(rows.dense, rows.labels.tolist(), strict=True):
            self.counts[label] += 1
            self.means[label] += (x - self.means[label]) / self.counts[label]

    def widen(self, columns: Columns) -> None:
        """Make room for columns that have appeared; their mean so far is 0."""
        self.means = widened(self.means, self.widths or [0] * len(columns.widths), columns.widths)
        self.widths = columns.widths

    def copy(self) -> NearestMean:
        newborn = NearestMean(len(self.counts))
        newborn.counts, newborn.means = self.counts.copy(), self.means.copy()
        newborn.widths = self.widths
        return newborn

    def parameters(self, columns: Columns) -> Parameters:
        names = column_names(columns, self.widths or [0] * len(columns.widths))
        return Parameters(MEANS, names[: self.means.shape[1]], self.means.copy(), np.empty(0))

    def state(self) -> State:
        return _REMEMBERS.state_of(self)

    def restore(self, state: State, columns: Columns) -> None:
        _restore(self, state, columns)

    def running_mean(self) -> RunningMean:
        return MeanOfMeans(self)


class MeanOfMeans(RunningMean):
    """The mean of the means of each class, from the first one on."""

    def __init__(self, learner: NearestMean) -> None:
        self.learner = learner
        self.counts = np.zeros_like(learner.counts)
        self.means = np.zeros((len(learner.counts), 0))
        self.widths: list[int] = []

    def add(self) -> None:
        learner = self.learner
        self.means = widened(self.means, self.widths or [0] * len(learner.widths), learner.widths)
        self.widths = learner.widths
        for c in np.flatnonzero(learner.counts):
            self.counts[c] += 1
            self.means[c] += (learner.means[c] - self.means[c]) / self.counts[c]

    def state(self) -> State:
        return _REMEMBERS.state_of(self)

    def restore(self, state: State, columns: Columns) -> None:
        _restore(self, state, columns)

    def predict(self, rows: Rows) -> Ints:
        means = widened(self.means, self.widths, rows.columns.widths)
        return nearest(rows, means, self.counts > 0)


def _restore(means: NearestMean | MeanOfMeans, state: State, columns: Columns) -> None:
    _REMEMBERS.restore(means, state, classes=len(means.counts))
    _WIDTHS.check(means.widths, columns)


def nearest(rows: Rows, means: Floats, seen: Bools) -> Ints:
    """The class with the least squared l2 distance, the first class where none was seen."""
    difference = rows.dense[:, None, :] - means[None, :, :]
    # cumsum adds in column order; sum would reorder the additions
    squares = np.cumsum(difference * difference, axis=2)[:, :, -1]
    squares[:, ~seen] = np.inf
    closest: Ints = squares.argmin(axis=1)
    return closest
