"""When each part of a recording is due, for a replay and for `feed`."""

from __future__ import annotations

import math
from collections import deque
from time import monotonic
from typing import NamedTuple

import numpy as np

from macro_engine.core.rows import Floats
from macro_engine.stream.steps import LATE_IN_SUCCESSION

LONGEST_WAIT = 3.0  # seconds, whatever the gap in the recording


class Skip(NamedTuple):
    """A gap that is not waited for in full: from when to when it holds, and how long it is."""

    start: float
    end: float
    gap: float


class Clock:
    """Turns the times of a recording into moments, in seconds since the clock was started.

    Moments never fall. A gap is waited for no longer than `longest`. A time that lies behind is due
    at once; as with late rows, after 100 in succession the next one is on time: the time before
    them was wrong.

    Parameters
    ----------
    pace
        How much of the recording's time, or how many of its rows, pass in a second.
    longest
        Infinite where rows are counted: then there are no gaps.

    >>> Clock(60.0).due(np.array([0.0, 120.0, np.nan, 60.0, 9000.0, 9060.0])).tolist()
    [0.0, 2.0, 2.0, 2.0, 5.0, 6.0]
    """

    def __init__(self, pace: float, longest: float = LONGEST_WAIT) -> None:
        self.pace = pace
        self.longest = longest
        self.origin: float | None = None  # the time that is moment 0
        self.moment = 0.0  # of the newest time
        self.behind = 0  # times in succession
        self.skips: deque[Skip] = deque()
        self.started = monotonic()

    @property
    def elapsed(self) -> float:
        return monotonic() - self.started

    @property
    def skipping(self) -> float | None:
        """The length of the gap that is being skipped now, in the recording's seconds."""
        now = self.elapsed
        while self.skips and self.skips[0].end <= now:
            self.skips.popleft()
        return self.skips[0].gap if self.skips and self.skips[0].start <= now else None

    def begin_before(self, time: float, last: float, within: float) -> None:
        """Go on after the time `last`; `time` is due within so many seconds."""
        self.origin = min(max(last, time - within * self.pace), time)

    def due(self, times: Floats) -> Floats:
        """The moments of the next times; NaN is due with the one before."""
        if not len(times):
            return times
        if self.origin is not None:
            moments = (times - self.origin) / self.pace
            waits = np.diff(moments, prepend=self.moment)
            if waits.min() >= 0.0 and waits.max() <= self.longest:
                self.moment, self.behind = float(moments[-1]), 0
                return moments
        moments = np.empty(len(times))
        for i, time in enumerate(times.tolist()):
            if not math.isnan(time):
                self._take(time)
            moments[i] = self.moment
        return moments

    def _take(self, time: float) -> None:
        if self.origin is None:
            self.origin = time - self.moment * self.pace
        wait = (time - self.origin) / self.pace - self.moment
        self.behind = self.behind + 1 if wait < 0 else 0
        if self.behind > LATE_IN_SUCCESSION:
            self.origin, self.behind = time - self.moment * self.pace, 0
        elif wait > self.longest:
            end = self.moment + self.longest
            self.skips.append(Skip(self.moment, end, wait * self.pace))
            self.origin = time - end * self.pace
            self.moment = end
        elif wait > 0:
            self.moment += wait
