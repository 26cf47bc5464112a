"""When each row of a recording is due, by its own times."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.rows import Floats
from macro_engine.stream.steps import LATE_IN_SUCCESSION


class Timetable:
    """Turns the times of rows into moments since the first one, in seconds, that never fall.

    A time far ahead may be wrong: it is waited for no longer than `longest_pause`. If it was, the
    rows after it lie behind; as with late rows, after 100 in succession the next one is on time.

    >>> Timetable(60.0).due(np.array([7.0, 9.0, np.nan, 8.0, 3600.0, 3601.0])).tolist()
    [0.0, 2.0, 2.0, 2.0, 62.0, 63.0]
    """

    def __init__(self, longest_pause: float) -> None:
        self.longest_pause = longest_pause
        self.origin: float | None = None  # the time that is moment 0
        self.moment = 0.0
        self.behind = 0  # rows in succession

    def due(self, times: Floats) -> Floats:
        """The moments of the next rows; one without a time, NaN, is due with the one before."""
        moments = np.empty(len(times))
        for i, time in enumerate(times.tolist()):
            if not math.isnan(time):
                self._take(time)
            moments[i] = self.moment
        return moments

    def _take(self, time: float) -> None:
        if self.origin is None:
            self.origin = time
        pause = time - self.origin - self.moment
        self.behind = self.behind + 1 if pause < 0 else 0
        if self.behind > LATE_IN_SUCCESSION:
            self.origin, self.behind = time - self.moment, 0
        elif pause > self.longest_pause:
            self.origin += pause - self.longest_pause
            self.moment += self.longest_pause
        elif pause > 0:
            self.moment += pause
