"""Sums over the rows of the last steps."""

from __future__ import annotations

from collections import deque

import numpy as np

from macro_engine.core.names import Names
from macro_engine.core.rows import Floats
from macro_engine.core.steps import Steps
from macro_engine.core.tally import Tally

WINDOW = 512  # steps
_MOST_ROWS = 1 << 16  # that wait to be added up


class RecentSums:
    """Follows a run and adds up its newest steps when somebody asks, or their rows are many.

    Attributes
    ----------
    sums
        Of `Tally`, by moments: after each of the newest steps that are added up, and before the
        first of them; None where none need be known any more.
    waiting
        The steps that follow.
    """

    def __init__(self, names: Names, sums: Floats) -> None:
        self.names = names
        self.sums: Floats | None = sums[:, None]
        self.waiting: deque[Steps] = deque()
        self.waiting_steps = self.waiting_rows = 0  # of those that wait, where many may be short

    def follow(self, results: Steps) -> None:
        """Appends the next steps."""
        self.waiting.append(results)
        self.waiting_steps += results.steps
        self.waiting_rows += results.rows
        if self.waiting_steps >= WINDOW:
            self.sums = None
        while self.waiting_steps - self.waiting[0].steps >= WINDOW:
            first = self.waiting.popleft()
            self.waiting_steps -= first.steps
            self.waiting_rows -= first.rows
        if self.waiting_rows > _MOST_ROWS:
            self._added_up()

    @property
    def steps(self) -> int:
        """The number of steps in the tally."""
        return len(self._added_up()[0]) - 1

    @property
    def tally(self) -> Tally:
        sums = self._added_up()
        return Tally(self.names, sums[:, -1] - sums[:, 0])

    def _added_up(self) -> Floats:
        before = self.waiting[0].before.sums[:, None] if self.sums is None else self.sums
        after = [part.sums_after(np.arange(part.steps)[-WINDOW - 1 :]) for part in self.waiting]
        self.sums = np.concatenate([before, *after], axis=1)[:, -WINDOW - 1 :]
        self.waiting.clear()
        self.waiting_steps = self.waiting_rows = 0
        return self.sums
