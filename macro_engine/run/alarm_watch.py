"""Checks the alarms at fixed steps of a run, so that the result does not depend on timing."""

from __future__ import annotations

import numpy as np

from macro_engine.run.alarms import SERIES, Alarms, Change, Sample, Silence
from macro_engine.run.history import History
from macro_engine.run.results import STRATEGIES
from macro_engine.run.snapshot import Snapshot

WINDOW = 512  # steps over which errors are taken
_EVERY = 8  # steps
_MOST = 4096  # moments that are judged at once
_FEWEST_ROWS = 100


class AlarmWatch:
    """Remembers up to where the alarms have seen the run."""

    def __init__(self, alarms: Alarms, window: int = WINDOW) -> None:
        self.alarms = alarms
        self.window = window
        self.seen = 0
        self.subroutines: int | None = None
        self.judged = 0  # steps whose pauses were looked at
        self.last_time: int | None = None
        self.goes_by_clock = False  # a live feed

    def check(
        self, history: History | None, snapshot: Snapshot, now: float, known: int = 0
    ) -> list[Change]:
        """What was raised and cleared since the last time; `now` is in seconds since 1970.

        The first `known` steps were recorded before the view was opened, and raise nothing.
        """
        if not self.alarms.alarms:
            return []
        self.goes_by_clock = snapshot.came is not None
        changes = []
        if history is not None and history.steps >= known:  # all that is known has been read
            if self.seen < known and self._check_steps(history, known):
                self.alarms.forget_past_calls()
            changes = self._check_steps(history, history.steps)
        if snapshot.came is not None and not snapshot.has_ended:
            silence = Silence(snapshot.came, now, max(snapshot.steps - 1, 0), snapshot.time)
            changes += self.alarms.check_clock(silence)
        return changes

    def _check_steps(self, history: History, steps: int) -> list[Change]:
        """Judge the history up to so many steps."""
        stride = _EVERY
        while (steps - self.seen) // stride > _MOST:
            stride *= 2
        first = self.seen // stride + 1
        moments = stride * np.arange(first, steps // stride + 1)
        if not len(moments):
            return []
        self.seen = int(moments[-1])
        return list(self.alarms.check(self._samples(history, moments)))

    def _samples(self, history: History, moments: np.ndarray) -> list[Sample]:
        points, errors = history.at(moments), history.errors(moments, self.window)
        pauses = self._pauses(history, moments)
        samples = []
        for i, moment in enumerate(moments.tolist()):
            total = int(points.subroutines[:, i].sum())
            born = 0 if self.subroutines is None else total - self.subroutines
            self.subroutines = total
            if points.rows[i] >= _FEWEST_ROWS:
                by_name = {name: float(errors[STRATEGIES.index(name), i]) for name in SERIES}
                time = None if points.times is None else int(points.times[i])
                samples.append(Sample(moment - 1, time, by_name, born, int(pauses[i])))
        return samples

    def _pauses(self, history: History, moments: np.ndarray) -> np.ndarray:
        """The longest time between two rows since the moment before each; 0 if no rule needs it."""
        longest = np.zeros(len(moments), np.int64)
        is_asked = any(alarm.rule.kind == "silence" for alarm in self.alarms.alarms)
        if self.goes_by_clock or not is_asked:
            return longest
        results = history.results(self.judged, int(moments[-1]))
        if results.times is not None:
            before = results.times[0] if self.last_time is None else self.last_time
            gaps = np.diff(results.times, prepend=before)
            begins = np.concatenate([[self.judged], moments[:-1]]) - results.first_step
            longest = np.maximum.reduceat(gaps, results.starts[begins])
            self.last_time = int(results.times[-1])
        self.judged = int(moments[-1])
        return longest
