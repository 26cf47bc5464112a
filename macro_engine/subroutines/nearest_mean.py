"""The paper's G-NB: a running mean for each class, and the closest mean wins."""

from __future__ import annotations

import numpy as np

from macro_engine.rows import Columns, Floats, Ints, Rows
from macro_engine.subroutines.base import Subroutine


class NearestMean(Subroutine):
    """Means over all encoded columns; a class that was never seen is never predicted."""

    def __init__(self, classes: int) -> None:
        self.counts = np.zeros(classes, np.int64)
        self.parts: list[Floats] = []

    def predict(self, rows: Rows) -> Ints:
        if not self.counts.any():
            return np.zeros(len(rows), np.int64)
        difference = rows.dense[:, None, :] - self.means(rows.columns)[None, :, :]
        # cumsum adds in column order; sum would reorder the additions
        squares = np.cumsum(difference * difference, axis=2)[:, :, -1]
        squares[:, self.counts == 0] = np.inf
        nearest: Ints = squares.argmin(axis=1)
        return nearest

    def learn(self, rows: Rows) -> None:
        means = self.means(rows.columns)
        for x, label in zip(rows.dense, rows.labels.tolist(), strict=True):
            self.counts[label] += 1
            means[label] += (x - means[label]) / self.counts[label]
        self.parts = np.split(means, np.cumsum(rows.columns.widths)[:-1], axis=1)

    def means(self, columns: Columns) -> Floats:
        """The means over the columns known by now, in their order; a new column's mean is 0."""
        widths = columns.widths
        means = np.zeros((len(self.counts), sum(widths)))
        start = 0
        for width, part in zip(widths, self.parts, strict=bool(self.parts)):
            means[:, start : start + part.shape[1]] = part
            start += width
        return means

    def copy(self) -> NearestMean:
        newborn = NearestMean(len(self.counts))
        newborn.counts = self.counts.copy()
        newborn.parts = [part.copy() for part in self.parts]
        return newborn
