"""The stretch of a run that the charts show, and its columns.

A moment is a number of steps: what held when so many of them had been closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from macro_engine.run.view import Snapshot

_SLACK = 0.03  # by which the expected length of a recording may be wrong


@dataclass(frozen=True)
class Page:
    """A stretch of the run in columns of equal width, as nearly as whole grains allow.

    A column's content depends on its own steps only, so that old ones never change shape.

    Attributes
    ----------
    start, stop
        The first moment, and the last; the run may not have come so far.
    grain
        Edges of columns are multiples of it, at which the history is exact.
    """

    start: int
    stop: int
    columns: int
    grain: int = 1

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """The moments at which columns begin, and the end of the last.

        Columns narrower than a step end where the one before ends.
        """
        ahead = np.arange(self.columns + 1) * (self.stop - self.start)
        edges: NDArray[np.int64] = -(-ahead // (max(self.columns, 1) * self.grain)) * self.grain
        return self.start + edges

    @property
    def begins(self) -> NDArray[np.int64]:
        """The first step of each column; every column has one."""
        return np.minimum(self.edges[:-1], self.edges[1:] - 1)

    @property
    def width(self) -> int:
        """Steps a column, rounded up."""
        return max(-(-(self.stop - self.start) // max(self.columns, 1)), 1)

    def column(self, moment: int) -> int:
        """The column that has the last step before a moment, or the nearest to it."""
        found = int(np.searchsorted(self.edges, max(moment, 1), side="left")) - 1
        return min(max(found, 0), max(self.columns - 1, 0))

    def moved(self, moment: int, by: int) -> int:
        """The moment so many edges further on; beyond the page in steps of its columns."""
        if by < 0:
            place = int(np.searchsorted(self.edges, moment, side="left")) + by
        else:
            place = int(np.searchsorted(self.edges, moment, side="right")) - 1 + by
        if 0 <= place <= self.columns:
            return int(self.edges[place])
        return self.start + place * self.width


def whole_width(columns: int, steps: int) -> int:
    """The least of 1, 2, 3, 4, 6, 8, 12, ... steps with which the run fits in the columns.

    >>> whole_width(72, 20_381)
    384
    """
    width = 1
    while max(columns, 1) * width < steps:
        width *= 2
    three_quarters = width // 4 * 3
    return three_quarters if max(columns, 1) * three_quarters >= max(steps, 1) else width


def stretch(
    columns: int, width: int | None, moment: int, steps: int, length: int | None = None
) -> tuple[int, int]:
    """The first and the last moment that is shown, given the columns of the chart.

    Without a width it is the whole run: up to its length where that is known, else with room to
    grow. With one the moment is in its right half; it moves on by half its length at a time, and
    ends where the run ends.
    """
    if width is None or width >= whole_width(columns, length or steps):
        return 0, max(length, steps, 1) if length else columns * whole_width(columns, steps)
    jump = max(columns // 2, 1) * width
    start = max(-(-(moment - columns * width) // jump), 0) * jump
    if length is not None:
        start = min(start, max(-(-(length - columns * width) // width), 0) * width)
    return start, start + columns * width


def expected_length(snapshot: Snapshot, steps: int, before: int | None) -> int | None:
    """How many steps the whole run has; None if unknown.

    A recording is as long as its share that was played lets expect. What was expected before
    stays as long as it is about right.
    """
    if snapshot.has_ended:
        return steps
    if not snapshot.done or not snapshot.steps:
        return None
    found = max(round(snapshot.steps / snapshot.done), steps)
    if before is not None and before >= steps and abs(before - found) <= _SLACK * found:
        return before
    return found
