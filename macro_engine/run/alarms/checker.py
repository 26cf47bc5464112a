"""Checks the alarms of a run: by its steps, and on a live feed also by the wall clock.

Steps are judged at fixed moments, every eighth of them, so that the result does not depend on
timing: it is the same in the process that makes the run and in those that watch its file.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from macro_engine.core.declared import Array, Declared, Integer
from macro_engine.core.rows import Ints
from macro_engine.core.state import DamagedError, State, children
from macro_engine.core.steps import Steps
from macro_engine.run.alarms.alarms import Alarms, Change, Sample, Silence
from macro_engine.run.snapshot import Snapshot

WINDOW = 512  # steps over which errors are taken
_EVERY = 8  # steps
_KEPT = WINDOW // _EVERY + 1  # moments that reach over the window
_FEWEST_ROWS = 100
_RECENT = 1000  # rows that were read, over which a live feed's rejected ones are counted


class AlarmChecker:
    """Checks the alarm rules against the steps of a run, and remembers what they need.

    Attributes
    ----------
    moments
        The numbers of the last judged moments, every eighth step, in order.
    totals
        At each of them, over all steps before it: rows, rejected rows, wrong rows of each series.
    last_time, last_first, leader
        The time of the newest row, that of its step's first row, and the member that was shown.
    born, led, pause, step_pause
        As in `Sample`, since the newest judged moment.
    """

    remembers = Declared(
        Integer("steps"),
        Array("moments", np.int64, ("moments",), low=0, shared=True),
        Array("totals", np.int64, ("moments", None), low=0, shared=True),
        Integer("rejected"),
        Integer("last_time", -(1 << 62), optional=True),
        Integer("last_first", -(1 << 62), optional=True),
        Integer("leader", -1),
        Integer("born"),
        Integer("led"),
        Integer("pause"),
        Integer("step_pause"),
    )

    def __init__(self, alarms: Alarms) -> None:
        self.alarms = alarms
        self.steps = 0
        self.moments: Ints = np.zeros(0, np.int64)
        self.totals: Ints = np.zeros((0, 2), np.int64)
        self.rejected = 0
        self.last_time: int | None = None
        self.last_first: int | None = None
        self.leader = -1
        self.born = self.led = self.pause = self.step_pause = 0
        self.goes_by_clock = False  # a live feed
        self.reads: deque[tuple[int, int]] = deque()  # rows read, and rejected, of late

    def state(self) -> State:
        return self.remembers.state_of(self) | {"alarms": self.alarms.state()}

    def restore(self, state: State) -> None:
        self.remembers.restore(self, state, moments=len(state.get("moments", ())))
        self.alarms.restore(children(state, "alarms"))

    def take(self, results: Steps) -> list[Change]:
        """Judges further steps; returns what was raised and cleared."""
        if results.first_step != self.steps:  # the file keeps no steps before these
            self.moments, self.totals = self.moments[:0], self.totals[:0]
        if not results.steps:
            return []
        first, last = results.first_step // _EVERY + 1, results.stop // _EVERY
        samples = list(self._samples(results, _EVERY * np.arange(first, last + 1)))
        self.steps = results.stop
        return list(self.alarms.check(samples))

    def take_past(self, results: Steps) -> None:
        """Judges steps that were recorded before: alarms that no longer hold are dropped."""
        self.take(results)
        self.alarms.forget_past_calls()

    def look(self, snapshot: Snapshot, now: float, unknown: int = 0) -> list[Change]:
        """Checks the rules against a snapshot; `now` is in seconds since 1970.

        `unknown` is how many rows had a label that is none of the classes.
        """
        self.goes_by_clock = snapshot.came is not None
        changes: list[Change] = []
        read = snapshot.rows + snapshot.open_rows + snapshot.rejected
        step = max(snapshot.steps - 1, 0)
        if unknown and read >= _FEWEST_ROWS:
            sample = Sample(step, snapshot.time, unknown=unknown / read)
            changes += self.alarms.check([sample])
        if snapshot.came is None or snapshot.has_ended:
            return changes
        now = now if snapshot.seen is None else min(now, snapshot.seen)
        changes += self.alarms.check([self._by_clock(snapshot, now, read)])
        changes += self.alarms.check_clock(Silence(snapshot.came, now, step, snapshot.time))
        if snapshot.closed is not None:
            silence = Silence(snapshot.closed, now, step, snapshot.time, "step")
            changes += self.alarms.check_clock(silence)
        return changes

    def _by_clock(self, snapshot: Snapshot, now: float, read: int) -> Sample:
        """Returns the lag of a live feed, and the share of rejected rows among its newest."""
        if not self.reads or self.reads[-1][0] != read:
            self.reads.append((read, snapshot.rejected))
        while len(self.reads) > 2 and read - self.reads[1][0] >= _RECENT:
            self.reads.popleft()
        before, rejected_before = self.reads[0]
        came = read - before
        lag = None if snapshot.time is None else 1e6 * now - snapshot.time
        return Sample(
            max(snapshot.steps - 1, 0),
            snapshot.time,
            rejected=(snapshot.rejected - rejected_before) / came if came >= _FEWEST_ROWS else None,
            lag=lag,
            clock=round(1e6 * now),
        )

    def _samples(self, results: Steps, moments: Ints) -> Iterator[Sample]:
        """One for each moment; what lies after the last one is remembered for the next."""
        steps, series = results.steps, len(results.names.series)
        before = np.concatenate(
            [[results.before.rows, self.rejected], results.before.wrong[:series]]
        ).astype(np.int64)
        added = np.vstack([results.judged, results.rejected, results.wrong[:series]])
        after = before[:, None] + np.cumsum(added, axis=1, dtype=np.int64)
        self.rejected = int(after[1, -1])
        if not len(self.moments):
            self.moments, self.totals = np.array([results.first_step]), before[None]
        if self.totals.shape[1] != len(before):
            raise DamagedError("in its state the alarms are of other series")
        ends = moments - results.first_step  # steps of the results before each moment
        known = np.concatenate([self.moments, moments])
        totals = np.concatenate([self.totals, after[:, ends - 1].T])
        pasts = np.searchsorted(known, moments - WINDOW)
        first = len(self.moments)
        self.moments, self.totals = known[-_KEPT:], totals[-_KEPT:]
        happened, begin, starts = self._happened(results), 0, results.starts
        for i, end in enumerate(ends.tolist()):
            self._gather(happened, begin, end)
            begin = end
            if totals[first + i, 0] >= _FEWEST_ROWS:
                window = totals[first + i] - totals[pasts[i]]
                time = None if results.times is None else int(results.times[starts[end] - 1])
                yield self._sample(results, int(moments[i]) - 1, time, window)
            self.born = self.led = self.pause = self.step_pause = 0
        self._gather(happened, begin, steps)

    def _sample(self, results: Steps, step: int, time: int | None, window: Ints) -> Sample:
        rows, rejected = int(window[0]), int(window[1])
        errors = dict(zip(results.names.series, (window[2:] / max(rows, 1)).tolist(), strict=True))
        by_clock = self.goes_by_clock
        return Sample(
            step,
            time,
            errors,
            self.born,
            0 if by_clock else self.pause,
            0 if by_clock else self.step_pause,
            self.led,
            None if by_clock else rejected / max(rows + rejected, 1),
        )

    def _happened(self, results: Steps) -> Ints:
        """By steps: births, changes of the leader, longest pauses between rows and steps."""
        happened = np.zeros((4, results.steps), np.int64)
        happened[0] = results.born.sum(axis=0)
        members = results.shown_members
        before = self.leader if self.leader >= 0 else int(members[0])
        happened[1] = np.diff(members, prepend=before) != 0
        self.leader = int(members[-1])
        firsts = results.first_times
        if results.times is not None and firsts is not None:
            gaps = np.diff(results.times, prepend=_known(self.last_time, results.times[0]))
            happened[2] = np.maximum(np.maximum.reduceat(gaps, results.starts[:-1]), 0)
            step_gaps = np.diff(firsts, prepend=_known(self.last_first, firsts[0]))
            happened[3] = np.maximum(step_gaps, 0)
            self.last_time, self.last_first = int(results.times[-1]), int(firsts[-1])
        return happened

    def _gather(self, happened: Ints, begin: int, end: int) -> None:
        if begin < end:
            part = happened[:, begin:end]
            self.born += int(part[0].sum())
            self.led += int(part[1].sum())
            self.pause = max(self.pause, int(part[2].max()))
            self.step_pause = max(self.step_pause, int(part[3].max()))


def _known(last: int | None, first: int) -> int:
    return first if last is None else last
