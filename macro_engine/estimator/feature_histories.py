"""Histories under the distance `features`, compared with all references at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from macro_engine.algorithm.kernels.features import features_distances
from macro_engine.core.rows import Floats, Ints, Rows
from macro_engine.discrepancy.features import Features
from macro_engine.estimator.arena import Arena
from macro_engine.estimator.histories import Histories
from macro_engine.estimator.kernels import parts
from macro_engine.estimator.kernels.features import features_bounds, in_doubt

_SIDE_BY_SIDE = 512  # rows of references that are compared at a time
_SPREAD = 1.1  # of the roots that a distance averages: the largest against the mean


class FeatureHistories(Histories):
    """Keeps the rows of all references class by class and column by column."""

    def __init__(self, lengths: Sequence[int | None], empty_class: str) -> None:
        self.features = Features(0, 1, False, empty_class)
        super().__init__(self.features, lengths)
        self.kept = [ReferenceRows(0, 0) for _ in lengths]
        self.closest = [0 for _ in lengths]  # references that were, which may be close again

    def grow(self, names: Sequence[str], classes: int) -> None:
        super().grow(names, classes)
        self.kept = [ReferenceRows(classes, len(names)) for _ in self.lengths]
        for kept, references in zip(self.kept, self.references, strict=True):
            for rows in references:
                kept.append(rows)

    def freeze(self, h: int, rows: Rows) -> None:
        self.references[h].append(rows)
        self.kept[h].append(rows)

    def compare(self, arena: Arena) -> None:
        distances = arena.part(parts.DISTANCE)
        for h, rows in enumerate(self.now):
            if self.references[h]:
                self._compare(h, Comparison(rows, self.kept[h], self.features), arena, distances[h])

    def _compare(self, h: int, comparison: Comparison, arena: Arena, out: Floats) -> None:
        """Exact distances where they matter, and lower bounds elsewhere."""
        n = len(self.references[h])
        if not comparison.has_bounds:
            comparison.exact(0, n, out)
            return
        is_exact = np.zeros(n, np.bool_)
        first = self.closest[h]
        comparison.exact(first, first + 1, out)
        tau = _SPREAD * float(out[first])
        comparison.bounds(tau if math.isfinite(tau) else 0.0, out[:n])
        while (r := in_doubt(arena.ints, arena.floats, h, is_exact)) >= 0:
            comparison.exact(r, r + 1, out)
            is_exact[r] = True
        self.closest[h] = int(out[:n].argmin())


class ReferenceRows:
    """The rows of references: a class after the other, each column in one piece."""

    def __init__(self, classes: int, columns: int) -> None:
        self.columns = np.zeros((classes, columns, 64))
        self.norms = np.zeros((classes, 64))  # squared, of the rows
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
            self.norms = np.concatenate([self.norms, np.zeros((len(begins), more.shape[2]))], 1)
        for c, begin in enumerate(begins):
            mine = rows.numbers[rows.labels == c]
            self.columns[c, :, begin : begin + len(mine)] = mine.T
            self.norms[c, begin : begin + len(mine)] = np.einsum("ij,ij->i", mine, mine)
            self.starts[n + 1, c] = begin + len(mine)
            self.most = max(self.most, len(mine))
        self.lengths.append(len(rows))


class Comparison:
    """A history and the references of the same length."""

    def __init__(self, rows: Rows, kept: ReferenceRows, features: Features) -> None:
        self.kept = kept
        self.features = features
        self.is_empty = len(rows) == 0
        self.now = rows.numbers[np.argsort(rows.labels, kind="stable")]
        self.starts: Ints = np.zeros(len(kept.columns) + 1, np.int64)
        np.cumsum(np.bincount(rows.labels, minlength=len(kept.columns)), out=self.starts[1:])
        n, most = len(self.now), kept.most
        self.squares = np.empty((len(kept.columns), n, max(_SIDE_BY_SIDE, most)))
        self.least = np.empty(max(_SIDE_BY_SIDE, most))
        self.buffer = np.empty(n * max(most, 1) + n)
        self.reach = np.full(len(kept.lengths), math.inf)  # nothing is left at a bound
        self.counted = np.zeros(len(kept.lengths), np.int64)

    @property
    def has_bounds(self) -> bool:
        return not self.features.skip and not self.is_empty

    def exact(self, first: int, last: int, out: Floats) -> None:
        """The distances to some of the references."""
        n, lengths, features = last - first, self.kept.lengths[first:last], self.features
        if not self.is_empty:
            features_distances(
                self.now, self.starts, self.kept.columns, self.kept.starts[first : last + 1],
                features.divisor, features.lacking, int(features.skip), self.reach[:n],
                self.squares, self.least, self.buffer, self.counted[:n], out[first:last],
            )  # fmt: skip
        if self.is_empty or 0 in lengths:
            for r, length in enumerate(lengths, first):
                if self.is_empty or not length:
                    out[r] = 0.0 if self.is_empty and not length else math.inf

    def bounds(self, tau: float, out: Floats) -> None:
        """A lower bound of the distance to every reference; roots beyond tau count tau."""
        kept, n = self.kept, len(out)
        features_bounds(
            self.now, np.einsum("ij,ij->i", self.now, self.now), self.starts, kept.columns,
            kept.norms, kept.starts[: n + 1], np.array([self.features.lacking, tau]),
            np.empty(kept.columns.shape[2]), np.empty(n), np.empty(n, np.int64), np.empty(n), out,
        )  # fmt: skip
