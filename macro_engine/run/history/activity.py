"""Counts of active subroutines along a whole run, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from macro_engine.core.rows import Counts, Floats, Ints
from macro_engine.core.steps import Steps

_NUMBERS = 1 << 24  # more than there are subroutines


@dataclass(frozen=True, eq=False)
class ActiveCounts:
    """In how many steps each subroutine was active, by places; sorted by place, member, number."""

    places: Ints
    members: Ints
    numbers: Ints
    counts: Ints


class Activity:
    """Counts in bins of steps; a bin is twice as wide when there are too many of them.

    They are exact where no more than `KEPT` subroutines of a member are active within a bin. Where
    there are more, the rarest are left out of it.

    Attributes
    ----------
    stride
        Steps in a bin, which begins at a multiple of it.
    """

    BINS = 2048
    KEPT = 32

    def __init__(self, members: int) -> None:
        self.members = members
        self.stride = 1
        self.keys: Ints = np.zeros(0, np.int64)  # bin, member and number in one
        self.counts: Ints = np.zeros(0, np.int64)
        self.fresh: list[tuple[Ints, Ints]] = []  # not joined to them yet
        self.first_bin: int | None = None

    def append(self, results: Steps) -> None:
        """Counts the steps that follow."""
        bins = (results.first_step + np.arange(results.steps)) // self.stride
        if self.first_bin is None:
            self.first_bin = int(bins[0])
        self.fresh.append(_counted(_keys(results.active, bins, self.members)))
        while int(bins[-1]) - self.first_bin >= self.BINS:
            self._join()
            self._widen()
            bins //= 2

    def between(self, start: int, stop: int) -> ActiveCounts:
        """The bins that have some steps; places are the steps at which they begin."""
        self._join()
        base = self.members * _NUMBERS
        bins = np.array([start // self.stride, -(-stop // self.stride)])
        a, b = np.searchsorted(self.keys, bins * base)
        return _read(self.keys[a:b], self.counts[a:b], self.members, self.stride)

    def _join(self) -> None:
        if self.fresh:
            parts = [(self.keys, self.counts), *self.fresh]
            keys, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
            self.keys, self.counts = self._kept(*_summed(keys, counts))
            self.fresh = []

    def _widen(self) -> None:
        """Joins each two bins."""
        assert self.first_bin is not None
        self.stride, self.first_bin = 2 * self.stride, self.first_bin // 2
        bins, rest = np.divmod(self.keys, self.members * _NUMBERS)
        keys = bins // 2 * (self.members * _NUMBERS) + rest
        self.keys, self.counts = self._kept(*_summed(keys, self.counts))

    def _kept(self, keys: Ints, counts: Ints) -> tuple[Ints, Ints]:
        """The most frequent of each bin but the last, which is not full."""
        groups = keys // _NUMBERS
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        if not len(keys) or np.diff(starts, append=len(keys)).max() <= self.KEPT:
            return keys, counts
        order = np.lexsort((-counts, groups))
        rank = np.empty(len(keys), np.int64)
        rank[order] = np.arange(len(keys)) - np.repeat(starts, np.diff(starts, append=len(keys)))
        keep = (rank < self.KEPT) | (groups // self.members == groups[-1] // self.members)
        return keys[keep], counts[keep]


def counted(active: Counts, places: Ints) -> ActiveCounts:
    """The active subroutines, members by steps, counted by the place of each step."""
    members = len(active)
    return _read(*_counted(_keys(active, places, members)), members, 1)


def most_active(found: ActiveCounts, members: int, columns: int) -> tuple[Ints, Floats]:
    """Returns the subroutine active in most steps, members by columns, from counts by columns.

    The number, 0 if none was, and its share; the lowest number on ties.
    """
    keys = (found.places * members + found.members) * _NUMBERS + found.numbers
    keys, counts = _summed(keys, found.counts)
    cells = keys // _NUMBERS
    order = np.lexsort((keys, -counts, cells))
    first = order[np.flatnonzero(np.diff(cells[order], prepend=-1))]
    numbers, shares = np.zeros(columns * members, np.int64), np.zeros(columns * members)
    totals = np.bincount(cells, counts, columns * members)
    numbers[cells[first]] = keys[first] % _NUMBERS
    shares[cells[first]] = counts[first] / totals[cells[first]]
    return numbers.reshape(columns, members).T, shares.reshape(columns, members).T


def _keys(active: Counts, places: Ints, members: int) -> Ints:
    cells = places[None, :] * members + np.arange(members)[:, None]
    keys: Ints = (cells * _NUMBERS + active.astype(np.int64)).ravel()
    return keys


def _counted(keys: Ints) -> tuple[Ints, Ints]:
    keys, counts = np.unique(keys, return_counts=True)
    return keys, counts.astype(np.int64)


def _summed(keys: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Each key once, with the sum of its counts."""
    if not len(keys):
        return keys, counts
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.add.reduceat(counts, starts)


def _read(keys: Ints, counts: Ints, members: int, stride: int) -> ActiveCounts:
    cells, numbers = np.divmod(keys, _NUMBERS)
    bins, of_members = np.divmod(cells, members)
    return ActiveCounts(bins * stride, of_members, numbers, counts)
