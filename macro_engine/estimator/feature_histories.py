"""Histories under the distance `features`, compared with all references at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from macro_engine.algorithm.kernels.distances import features_distances
from macro_engine.core.rows import Floats, Ints, Rows
from macro_engine.discrepancy.features import Features
from macro_engine.estimator.histories import Histories

_SIDE_BY_SIDE = 512  # rows of references that are compared at a time


class FeatureHistories(Histories):
    """Keeps the rows of all references class by class and column by column."""

    def __init__(self, lengths: Sequence[int | None], empty_class: str) -> None:
        self.features = Features(0, 1, False, empty_class)
        super().__init__(self.features, lengths)
        self.kept = [ReferenceRows(0, 0) for _ in lengths]

    def grow(self, names: Sequence[str], classes: int) -> None:
        super().grow(names, classes)
        self.kept = [ReferenceRows(classes, len(names)) for _ in self.lengths]
        for kept, references in zip(self.kept, self.references, strict=True):
            for rows in references:
                kept.append(rows)

    def freeze(self, h: int, rows: Rows) -> None:
        self.references[h].append(rows)
        self.kept[h].append(rows)

    def compare(self, distances: Floats) -> None:
        for h, rows in enumerate(self.now):
            if self.references[h]:
                self.kept[h].compare(rows, self.features, distances[h])


class ReferenceRows:
    """The rows of references: a class after the other, each column in one piece."""

    def __init__(self, classes: int, columns: int) -> None:
        self.columns = np.zeros((classes, columns, 64))
        self.starts = np.zeros((64, classes), np.int64)  # references by classes
        self.lengths: list[int] = []  # rows of each reference
        self.most = 0  # rows of one class in one reference

    def append(self, rows: Rows) -> None:
        n = len(self.lengths)
        if n + 2 > len(self.starts):
            self.starts = np.concatenate([self.starts, np.zeros_like(self.starts)])
        begins = self.starts[n].tolist()
        room = self.columns.shape[2]
        if begins and max(begins) + len(rows) > room:
            more = np.zeros((*self.columns.shape[:2], max(room, len(rows))))
            self.columns = np.concatenate([self.columns, more], axis=2)
        for c, begin in enumerate(begins):
            mine = rows.numbers[rows.labels == c]
            self.columns[c, :, begin : begin + len(mine)] = mine.T
            self.starts[n + 1, c] = begin + len(mine)
            self.most = max(self.most, len(mine))
        self.lengths.append(len(rows))

    def compare(self, rows: Rows, features: Features, out: Floats) -> None:
        """The distance of a history to every reference."""
        n, classes = len(self.lengths), len(self.columns)
        empty = np.array(self.lengths) == 0
        if len(rows) == 0:
            out[:n] = np.where(empty, 0.0, math.inf)
            return
        order = np.argsort(rows.labels, kind="stable")
        starts: Ints = np.zeros(classes + 1, np.int64)
        np.cumsum(np.bincount(rows.labels, minlength=classes), out=starts[1:])
        side = max(_SIDE_BY_SIDE, self.most)
        features_distances(
            rows.numbers[order], starts, n, self.columns, self.starts, features.divisor,
            features.lacking, int(features.skip), np.full(n, math.inf),
            np.empty((classes, len(rows), side)), np.empty(side),
            np.empty(len(rows) * max(self.most, 1) + len(rows)), np.zeros(n, np.int64), out,
        )  # fmt: skip
        out[:n][empty] = math.inf
