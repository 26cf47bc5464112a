"""The active subroutine in each column of a chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from macro_engine.core.rows import Floats, Ints
from macro_engine.core.steps import Steps
from macro_engine.run.history.activity import ActiveCounts, Activity, counted, most_active

_MOST_READ = 10_000  # steps that are counted one by one


class ActiveColumns:
    """Counts by columns: in steps where they are few, else in the bins of the activity.

    Edges of columns must rise, and be multiples of the bins' stride where bins are counted: a
    bin is in the column in which it begins.
    """

    def __init__(self, activity: Activity, read: Callable[[int, int], Steps]) -> None:
        self.activity = activity
        self.read = read
        self.edges: Ints = np.zeros(0, np.int64)
        self.stride = 0
        self.done = 0  # columns of these edges that are full and known
        self.numbers: Ints = np.zeros((0, 0), np.int64)
        self.shares: Floats = np.zeros((0, 0))

    def most_active(self, edges: Ints, first: int, stop: int) -> tuple[Ints, Floats]:
        """Returns the subroutine active in most steps, members by columns, up to a step.

        The number, 0 if none was, and its share. A column that is narrower than a step or a
        bin has what the one before it has.
        """
        members, columns = self.activity.members, len(edges) - 1
        is_known = self.stride == self.activity.stride and np.array_equal(self.edges, edges)
        if not is_known or (self.done and edges[self.done] > stop):
            self.edges, self.stride, self.done = edges, self.activity.stride, 0
            self.numbers = np.zeros((members, columns), np.int64)
            self.shares = np.zeros((members, columns))
        done = self.done
        found = self._counted(edges, max(first, int(edges[done])), stop)
        found = replace(found, places=found.places - done)
        latest = most_active(found, members, columns - done)
        self.numbers[:, done:], self.shares[:, done:] = latest
        self.done = int(np.searchsorted(edges[1:], stop, side="right"))
        numbers, shares = self.numbers.copy(), self.shares.copy()
        begins = np.minimum(edges[:-1], edges[1:] - 1)
        for c in np.flatnonzero((numbers[0] == 0) & (begins < stop) & (begins >= first)).tolist():
            if c:
                numbers[:, c], shares[:, c] = numbers[:, c - 1], shares[:, c - 1]
        return numbers, shares

    def shares_of(
        self, member: int, numbers: Sequence[int], edges: Ints, first: int, stop: int
    ) -> Floats:
        """Some subroutines of a member by columns: in what share of the steps each was active."""
        found = self._counted(edges, max(first, int(edges[0])), stop)
        shares = np.zeros((len(numbers), len(edges) - 1))
        for line, number in zip(shares, numbers, strict=True):
            chosen = (found.members == member) & (found.numbers == number)
            np.add.at(line, found.places[chosen], found.counts[chosen])
        shares /= np.maximum(np.diff(np.minimum(edges, stop)), 1)
        return shares

    def _counted(self, edges: Ints, start: int, stop: int) -> ActiveCounts:
        """Counts active subroutines from one step up to another, by columns."""
        stop = min(stop, int(edges[-1]))
        if start >= stop:
            nothing = np.zeros(0, np.int64)
            return ActiveCounts(nothing, nothing, nothing, nothing)
        if self.activity.stride > 1 and edges[-1] - edges[0] <= _MOST_READ:
            found = counted(self.read(start, stop).active, np.arange(start, stop))
        else:
            found = self.activity.between(start, stop)
        places = np.searchsorted(edges, np.maximum(found.places, start), side="right") - 1
        return replace(found, places=places)
