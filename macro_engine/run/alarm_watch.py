"""Checks the alarms at fixed steps of a run, so that the result does not depend on timing."""

from __future__ import annotations

import numpy as np

from macro_engine.run.alarms import Alarms, Change, Sample, Silence
from macro_engine.run.history import History
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
        self.last_first: int | None = None  # the time of the newest step's first row
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
            now = now if snapshot.seen is None else min(now, snapshot.seen)
            step = max(snapshot.steps - 1, 0)
            changes += self.alarms.check_clock(Silence(snapshot.came, now, step, snapshot.time))
            if snapshot.closed is not None:
                silence = Silence(snapshot.closed, now, step, snapshot.time, "step")
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
        pauses, step_pauses = self._pauses(history, moments)
        samples = []
        for i, moment in enumerate(moments.tolist()):
            total = int(points.subroutines[:, i].sum())
            born = 0 if self.subroutines is None else total - self.subroutines
            self.subroutines = total
            if points.rows[i] >= _FEWEST_ROWS:
                series = history.names.series
                by_name = dict(zip(series, errors[: len(series), i].tolist(), strict=True))
                time = None if points.times is None else int(points.times[i])
                pause, step_pause = int(pauses[i]), int(step_pauses[i])
                samples.append(Sample(moment - 1, time, by_name, born, pause, step_pause))
        return samples

    def _pauses(self, history: History, moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The longest times between rows, and steps, since the moment before; else 0."""
        none = np.zeros(len(moments), np.int64)
        is_asked = any(alarm.rule.kind == "silence" for alarm in self.alarms.alarms)
        if self.goes_by_clock or not is_asked:
            return none, none
        results = history.results(self.judged, int(moments[-1]))
        begins = np.concatenate([[self.judged], moments[:-1]]) - results.first_step
        self.judged = int(moments[-1])
        firsts = results.first_times
        if results.times is None or firsts is None:
            return none, none
        gaps = np.diff(results.times, prepend=_known(self.last_time, results.times[0]))
        step_gaps = np.diff(firsts, prepend=_known(self.last_first, firsts[0]))
        self.last_time, self.last_first = int(results.times[-1]), int(firsts[-1])
        return (
            np.maximum.reduceat(gaps, results.starts[begins]),
            np.maximum.reduceat(step_gaps, begins),
        )


def _known(last: int | None, first: int) -> int:
    return first if last is None else last
