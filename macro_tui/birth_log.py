"""The births of a log: a line for each while they are few, then a count."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

_AT_ONCE = 50  # lines
_SECONDS = 60.0  # until there is room for one more


class BirthLog:
    """Selects the births that get their own line, and counts the others.

    >>> births = BirthLog(clock=lambda: 0.0)
    >>> sum(births.has_line() for _ in range(1000))
    50
    >>> births.in_words()
    '950 births since the last line'
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.room = float(_AT_ONCE)
        self.looked = clock()
        self.folded = 0

    def has_line(self) -> bool:
        """Take note of a birth."""
        now = self.clock()
        self.room = min(self.room + (now - self.looked) / _SECONDS, _AT_ONCE)
        self.looked = now
        if self.room < 1:
            self.folded += 1
            return False
        self.room -= 1
        return True

    def in_words(self) -> str:
        """The births without a line since they were last told; empty if there are none."""
        if not self.folded:
            return ""
        return f"{self.folded:,} birth{'' if self.folded == 1 else 's'} since the last line"

    def told(self) -> None:
        self.folded = 0
