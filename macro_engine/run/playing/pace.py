"""The pace of a recording: pause, single steps, speed, and a target at full speed."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple

import numpy as np

from macro_engine.core.format import rough_duration_text
from macro_engine.core.rows import Block, Floats
from macro_engine.run.clock import LONGEST_WAIT, Clock
from macro_engine.run.playing.speed import Speed
from macro_engine.stream.reader import PLAYING

WHOLE_RECORDING = 180.0  # seconds in which a recording is played unless a speed is asked for
_SHORTEST_NAP, _LONGEST_NAP = 0.02, 0.5
_OUTLIERS = 0.05  # the share of times, at either end, that may be wrong


@dataclass(frozen=True)
class Destination:
    """Where to go at full speed: a step, a row, a time in microseconds, a share of the input."""

    step: int | None = None
    row: int | None = None
    time: int | None = None
    share: float | None = None

    def reached_at(self, block: Block, shares: Floats | None) -> int:
        """Returns the number of the block's steps before the target; a target step is played."""
        if self.step is not None:
            return min(max(self.step + 1 - block.first_step, 0), block.steps)
        if self.row is not None:
            ends = block.first_row + block.starts[1:]
            return int(np.searchsorted(ends, self.row, side="right"))
        if self.time is not None:
            if block.times is None:
                return 0
            firsts = np.maximum.accumulate(block.times[block.starts[:-1]])
            return int(np.searchsorted(firsts, self.time, side="left"))
        assert self.share is not None
        assert shares is not None
        if self.share >= 1.0:  # all of it, not up to its last steps
            return block.steps
        return int(np.searchsorted(shares, self.share, side="left"))


class _Schedule(NamedTuple):
    """When the steps of a block are due, from the step `first` on."""

    clock: Clock
    block: Block
    first: int
    moments: Floats
    wishes: int  # how many there were when it was made


class Pace:
    """Decides how many of the steps at hand may run now.

    The wishes come from any thread; `allowed` is awaited by the engine.

    Parameters
    ----------
    on_wait
        Called while steps are waited for, with the state in words.
    say
        Takes a line of text about a gap that is skipped, if it is longer than those before.
    waits
        Whether steps may wait, as those of a recording. What a live source gave is run at once,
        even when a stop was asked for: it was read, and must not be lost.
    """

    def __init__(
        self,
        speed: Speed | None,
        on_wait: Callable[[str], None] = lambda _words: None,
        say: Callable[[str], None] = lambda _text: None,
        waits: bool = True,
    ) -> None:
        self.waits = waits
        self.speed = speed  # None: to be chosen when the length of the recording is known
        self.paused = False
        self.single_steps = 0
        self.target: Destination | None = None
        self.stopping = False
        self.on_wait = on_wait
        self.say = say
        self.longest_said = 0.0  # seconds of the recording that were skipped and said
        self.last = -math.inf  # of the newest step: its time in seconds, or rows
        self.schedule: _Schedule | None = None
        self.wishes = 0
        self.released = 0.0  # when steps were last allowed to run
        self.loop: asyncio.AbstractEventLoop | None = None
        self.woken = asyncio.Event()

    def pause(self, paused: bool) -> None:
        self.paused = paused
        self._wish()

    def step(self) -> None:
        """Pause, and let one more step run."""
        self.paused = True
        self.single_steps += 1
        self._wish()

    def set_speed(self, speed: Speed) -> None:
        self.speed = speed
        self._wish()

    def go_to(self, target: Destination | None) -> None:
        """Run at full speed until there; None gives that up."""
        self.target = target
        self._wish()

    def stop(self) -> None:
        self.stopping = True
        self._wish()

    def choose(self, block: Block, share: float) -> None:
        """Choose a speed that plays the whole in three minutes, if none was asked for.

        `share` is how much of the recording the block is.
        """
        if self.speed is not None:
            return
        share = max(share, 1e-9)
        if block.times is not None:
            span = _span(block.times / 1e6) / share
            if span > WHOLE_RECORDING:
                self.speed = Speed(multiple=_round(span / WHOLE_RECORDING))
                return
        self.speed = Speed(rate=_round(len(block.rows) / share / WHOLE_RECORDING))

    async def allowed(self, block: Block, start: int, shares: Floats | None) -> int:
        """Wait until a step may run; returns the end of those that may, or `start` at a stop."""
        if not self.waits:
            return block.steps
        self.loop = asyncio.get_running_loop()
        while not self.stopping:
            self.woken.clear()
            if (target := self.target) is not None:
                stop = target.reached_at(block, shares)
                if stop > start:
                    return stop
                self.target = None
                self.schedule = None
            if self.single_steps:
                self.single_steps -= 1
                self.schedule = None
                return start + 1
            if self.paused:
                self.schedule = None
                if block.first_step + start:
                    self.on_wait(PLAYING)  # so that what is shown while it stands is up to date
                await self.woken.wait()
                continue
            if self.speed is None or not self.speed.is_limited:
                return block.steps
            # many steps now and then cost less than a few all the time
            rest = self.released + _SHORTEST_NAP - monotonic()
            stop, delay = self._due(block, start)
            if stop > start and rest <= 0:
                self.released = monotonic()
                return stop
            if delay >= _LONGEST_NAP:
                self.on_wait(self._in_words())
            await self.nap(min(max(delay, rest), _LONGEST_NAP))
        return start

    def _due(self, block: Block, start: int) -> tuple[int, float]:
        """The end of the steps whose time has come, and how long until the next one's."""
        schedule = self.schedule
        if schedule is None or schedule.wishes != self.wishes or schedule.block is not block:
            schedule = self._scheduled(block, start)
            self.schedule = schedule
        now = schedule.clock.elapsed
        due = schedule.first + int(np.searchsorted(schedule.moments, now, side="right"))
        stop = max(due, start)
        delay = schedule.moments[stop - schedule.first] - now if stop < block.steps else 0.0
        return stop, float(delay)

    def _scheduled(self, block: Block, start: int) -> _Schedule:
        """The steps from `start` on; the clock goes on unless there was a wish."""
        wishes, before = self.wishes, self.schedule
        ends = self._ends(block)[start:]
        if before is not None and before.wishes == wishes:
            return _Schedule(before.clock, block, start, before.clock.due(ends), wishes)
        speed = self.speed or Speed()
        by_time = speed.multiple is not None and block.times is not None
        pace = (speed.multiple if by_time else speed.rate) or 1.0
        clock = Clock(pace, LONGEST_WAIT if by_time else math.inf)
        clock.begin_before(float(ends[0]), self.last, _LONGEST_NAP)
        return _Schedule(clock, block, start, clock.due(ends), wishes)

    def _ends(self, block: Block) -> Floats:
        """Where each step ends: its time in seconds, or rows."""
        if self.speed is not None and self.speed.multiple is not None and block.times is not None:
            return np.asarray(block.times[block.starts[1:] - 1] / 1e6)
        return (block.first_row + block.starts[1:]).astype(np.float64)

    def _in_words(self) -> str:
        gap = None if self.schedule is None else self.schedule.clock.skipping
        if gap is None:
            return PLAYING
        words = f"skipping {rough_duration_text(gap)}"
        if gap > 2 * self.longest_said:
            self.longest_said = gap
            self.say(f"{words} without rows")
        return words

    def passed(self, block: Block) -> None:
        """Records that the steps of a block have run."""
        if self.speed is not None and self.speed.is_limited:
            self.last = float(self._ends(block)[-1])

    async def nap(self, seconds: float) -> None:
        """Sleep, unless a wish comes."""
        self.loop = asyncio.get_running_loop()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.woken.wait(), seconds)

    def _wish(self) -> None:
        self.wishes += 1
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.woken.set)


def _span(seconds: Floats) -> float:
    """From the first to the last of these times, unless a few of them lie far from the rest."""
    span = float(seconds.max() - seconds.min())
    low, high = np.quantile(seconds, [_OUTLIERS, 1 - _OUTLIERS]).tolist()
    most = (high - low) / (1 - 2 * _OUTLIERS)
    return span if span <= 2 * most or most <= 0 else float(most)


def _round(speed: float) -> float:
    """Two digits are enough, and no slower than 1."""
    return max(float(f"{speed:.2g}"), 1.0)
