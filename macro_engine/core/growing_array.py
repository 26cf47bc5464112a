"""An array with appends at the end and drops at the front."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_LEAST = 1024


class GrowingArray:
    """An array with spare room: each value is copied a constant number of times on average.

    What was dropped is never written to again, so that others may hold views of it.

    >>> array = GrowingArray(np.int64)
    >>> view = array.append(np.array([3, 1, 4]))
    >>> array.drop(2), view[:2]
    (array([4]), array([3, 1]))

    Attributes
    ----------
    values
        What it holds, as a view; values in it may be changed.
    """

    def __init__(self, dtype: type) -> None:
        self.room: NDArray[Any] = np.empty(0, dtype)
        self.start = self.stop = 0

    @property
    def values(self) -> NDArray[Any]:
        return self.room[self.start : self.stop]

    def append(self, more: NDArray[Any]) -> NDArray[Any]:
        """Add values; all that it holds then."""
        held, needed = self.values, len(more)
        if self.stop + needed > len(self.room):
            self.room = np.empty(max(2 * (len(held) + needed), _LEAST), held.dtype)
            self.room[: len(held)] = held
            self.start, self.stop = 0, len(held)
        self.room[self.stop : self.stop + needed] = more
        self.stop += needed
        return self.values

    def drop(self, count: int) -> NDArray[Any]:
        """Forget the first values; all that it holds then."""
        self.start += count
        return self.values
