"""Which rows make a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from macro_engine.rows import Bools, Ints
from macro_engine.state import State, flag, whole
from macro_engine.stream.spec import Every

LATE_IN_SUCCESSION = 100


class Split(NamedTuple):
    """For each row, whether it opens a step, is late, and is turned away for that."""

    opens: Bools
    late: Bools
    turned_away: Bools


class Stepper:
    """Groups rows into steps, in the order in which they come.

    A row is late if its window lies before that of the newest step. It joins the open step, or is
    turned away. After a hundred late rows in succession the next one opens a step of its own
    window: one wrong time in the future must not swallow the rest.
    """

    def __init__(
        self,
        every: Every,
        reject_late: bool = False,
        report_reset: Callable[[int], None] = lambda _window: None,
    ) -> None:
        self.every = every
        self.reject_late = reject_late
        self.report_reset = report_reset  # called with the window gone back to
        self.late = 0
        self.window: int | None = None  # of the newest step
        self.is_open = False
        self.rows = 0  # in the open step, for steps by count
        self.in_succession = 0

    def split(self, times: Ints | None, count: int) -> Split:
        """Decide for each of `count` rows."""
        nowhere = np.zeros(count, np.bool_)
        if self.every.rows is not None:
            return Split(self._by_count(count, self.every.rows), nowhere, nowhere)
        assert times is not None
        assert self.every.microseconds is not None
        windows = times // self.every.microseconds
        if self._in_order(windows):
            opens = np.empty(count, np.bool_)
            opens[1:] = windows[1:] != windows[:-1]
            opens[:1] = not self.is_open or windows[:1] != self.window
            if count:
                self.window, self.is_open, self.in_succession = int(windows[-1]), True, 0
            return Split(opens, nowhere, nowhere)
        return self._one_by_one(windows)

    def state(self) -> State:
        return {
            "late": self.late,
            "window": self.window,
            "is_open": self.is_open,
            "rows": self.rows,
            "in_succession": self.in_succession,
        }

    def restore(self, state: State) -> None:
        self.late = whole(state, "late")
        self.window = None if state.get("window") is None else whole(state, "window", -(1 << 62))
        self.is_open = flag(state, "is_open")
        self.rows = whole(state, "rows")
        self.in_succession = whole(state, "in_succession")

    def close(self) -> None:
        """Close the open step; the next row opens another."""
        self.is_open = False
        self.rows = 0

    def _by_count(self, count: int, length: int) -> Bools:
        opens: Bools = (self.rows + np.arange(count)) % length == 0
        self.rows = (self.rows + count) % length
        return opens

    def _in_order(self, windows: Ints) -> bool:
        if self.window is not None and len(windows):
            first = int(windows[0])
            if first < self.window or (first == self.window and not self.is_open):
                return False
        return bool((windows[1:] >= windows[:-1]).all())

    def _one_by_one(self, windows: Ints) -> Split:
        opens, is_late, turned_away = (np.zeros(len(windows), np.bool_) for _ in range(3))
        for i, window in enumerate(windows.tolist()):
            late = self.window is not None and (
                window < self.window or (window == self.window and not self.is_open)
            )
            if not late:
                opens[i] = not self.is_open or window != self.window
                self.window, self.is_open, self.in_succession = window, True, 0
                continue
            self.late += 1
            self.in_succession += 1
            is_late[i] = True
            if self.in_succession > LATE_IN_SUCCESSION:
                self.report_reset(window)
                opens[i] = True
                self.in_succession = 0
                self.window, self.is_open = window, True
            elif self.reject_late:
                turned_away[i] = True
            elif not self.is_open:
                opens[i] = True
                self.window, self.is_open = window, True
        return Split(opens, is_late, turned_away)
