"""How fast a recording is played: pause, single steps, speed, and going somewhere at full speed."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

import numpy as np

from macro_engine.rows import Block, Floats
from macro_engine.run.speed import Speed

WHOLE_RECORDING = 180.0  # seconds in which a recording is played unless a speed is asked for
_SHORTEST_NAP, _LONGEST_NAP = 0.02, 0.5


@dataclass(frozen=True)
class Target:
    """Where to go at full speed: to a row, a time in microseconds, or a share of the input."""

    row: int | None = None
    time: int | None = None
    share: float | None = None

    def reached_at(self, block: Block, shares: Floats) -> int:
        """How many of the block's steps lie before the one that has it."""
        if self.row is not None:
            ends = block.first_row + block.starts[1:]
            return int(np.searchsorted(ends, self.row, side="right"))
        if self.time is not None:
            if block.times is None:
                return 0
            firsts = np.maximum.accumulate(block.times[block.starts[:-1]])
            return int(np.searchsorted(firsts, self.time, side="left"))
        assert self.share is not None
        return int(np.searchsorted(shares, self.share, side="left"))


class Pace:
    """Decides how many of the steps at hand may run now.

    The wishes come from any thread; `allowed` is awaited by the engine.
    """

    def __init__(self, speed: Speed | None) -> None:
        self.speed = speed  # None: to be chosen when the length of the recording is known
        self.paused = False
        self.single_steps = 0
        self.target: Target | None = None
        self.stopping = False
        self.position = -math.inf  # of the newest step: its time in seconds, or rows
        self.started: tuple[float, float] | None = None  # when, and at which position
        self.released = 0.0  # when steps were last allowed to run
        self.measured: tuple[Block, Floats, float] | None = None
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

    def go_to(self, target: Target | None) -> None:
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
            span = float(block.times.max() - block.times.min()) / 1e6 / share
            if span > WHOLE_RECORDING:
                self.speed = Speed(multiple=_round(span / WHOLE_RECORDING))
                return
        self.speed = Speed(rate=_round(len(block.rows) / share / WHOLE_RECORDING))

    async def allowed(self, block: Block, start: int, shares: Floats) -> int:
        """Wait until a step may run; returns the end of those that may, or `start` at a stop."""
        self.loop = asyncio.get_running_loop()
        while not self.stopping:
            self.woken.clear()
            if (target := self.target) is not None:
                stop = target.reached_at(block, shares)
                if stop > start:
                    return stop
                self.target = None
                self.started = None
            if self.single_steps:
                self.single_steps -= 1
                self.started = None
                return start + 1
            if self.paused:
                self.started = None
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
            await self.nap(min(max(delay, rest), _LONGEST_NAP))
        return start

    def _due(self, block: Block, start: int) -> tuple[int, float]:
        """The end of the steps whose time has come, and how long until the next one's."""
        positions, pace = self._positions(block)
        now = monotonic()
        started = self.started  # a wish may come at any moment and take it away
        if started is None:
            before = positions[start - 1] if start else self.position
            started = now, max(before, positions[start] - pace * _LONGEST_NAP)
            self.started = started
        reached = started[1] + (now - started[0]) * pace
        stop = max(int(np.searchsorted(positions, reached, side="right")), start)
        delay = (positions[stop] - reached) / pace if stop < block.steps else 0.0
        return stop, float(delay)

    def _positions(self, block: Block) -> tuple[Floats, float]:
        """Where each step ends, rising, and how much of that passes in a second."""
        measured = self.measured
        if measured is None or measured[0] is not block:
            measured = block, *self._measure(block)
            self.measured = measured
        return measured[1:]

    def _measure(self, block: Block) -> tuple[Floats, float]:
        speed = self.speed or Speed()
        if speed.multiple is not None and block.times is not None:
            seconds = block.times[block.starts[1:] - 1] / 1e6
            return np.maximum(np.maximum.accumulate(seconds), self.position), speed.multiple
        rows = (block.first_row + block.starts[1:]).astype(np.float64)
        return rows, speed.rate or 1.0

    def passed(self, block: Block) -> None:
        """Take note that the steps of a block have run."""
        if self.speed is not None and self.speed.is_limited:
            self.position = float(self._measure(block)[0][-1])

    async def nap(self, seconds: float) -> None:
        """Sleep, unless a wish comes."""
        self.loop = asyncio.get_running_loop()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.woken.wait(), seconds)

    def _wish(self) -> None:
        self.started = self.measured = None
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.woken.set)


def _round(speed: float) -> float:
    """Two digits are enough, and no slower than 1."""
    return max(float(f"{speed:.2g}"), 1.0)
