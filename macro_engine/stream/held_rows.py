"""Rows whose times lie far ahead: held aside until it is clear which clock is wrong."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from macro_engine.core.state import DamagedError, State, array

MOVE = 100  # held rows that move the clock
LAST = 200  # rows among which they must lie
WINDOWS = 100  # a row is never held for fewer


class HeldRow(NamedTuple):
    """A row, by its number among all usable rows of the stream, and its time."""

    number: int
    time: int


class HeldRows:
    """The rows that are held aside, in the order in which they came.

    Parameters
    ----------
    length
        Of a window, in microseconds.
    ahead
        How far beyond the newest step's window a row may lie, in microseconds; it may always lie
        100 windows beyond it.
    now
        This machine's clock in microseconds since 1970, for a live stream: what does not lie
        beyond it is not held. None for a recording.
    """

    def __init__(self, length: int, ahead: int, now: Callable[[], int] | None = None) -> None:
        self.length = length
        self.ahead = ahead
        self.windows = max(WINDOWS, ahead // length)
        self.now = now
        self.rows: deque[HeldRow] = deque()

    def is_ahead(self, time: int, newest: int | None) -> bool:
        """Whether a row must be held, given the newest step's window."""
        if newest is None or time // self.length - newest <= self.windows:
            return False
        return self.now is None or time > self.now() + self.ahead

    def expired(self, number: int) -> list[HeldRow]:
        """Returns the held rows that expire when the row of this number comes."""
        found = []
        while self.rows and number - self.rows[0].number >= LAST:
            found.append(self.rows.popleft())
        return found

    def hold(self, row: HeldRow) -> list[HeldRow]:
        """Holds a row; returns the earlier held rows that it contradicts by falling back."""
        found = []
        while self.rows and row.time < self.rows[0].time - self.ahead:
            found.append(self.rows.popleft())
        self.rows.append(row)
        return found

    def state(self) -> State:
        return {
            "numbers": np.array([row.number for row in self.rows], np.int64),
            "times": np.array([row.time for row in self.rows], np.int64),
        }

    def restore(self, state: State) -> None:
        numbers = array(state, "numbers", np.int64, (None,))
        times = array(state, "times", np.int64, (len(numbers),))
        if len(numbers) >= MOVE or (np.diff(numbers) <= 0).any():
            raise DamagedError("in its state the rows held aside are not in order")
        self.rows = deque(map(HeldRow, numbers.tolist(), times.tolist()))
