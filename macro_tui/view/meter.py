"""Measures the output to the terminal and the memory of the process."""

from __future__ import annotations

import resource
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

_SECONDS = 3.0  # over which rates are measured
_STATM = Path("/proc/self/statm")


@dataclass(frozen=True)
class Traffic:
    """Measurements beside the run.

    Attributes
    ----------
    seconds_left
        None where it cannot be told.
    memory
        In MB.
    frames, bytes
        To the terminal, a second.
    """

    seconds_left: float | None = None
    memory: int = 0
    frames: float = 0.0
    bytes: float = 0.0


@dataclass(frozen=True)
class _Reading:
    time: float
    done: float
    frames: int
    bytes: int


class Meter:
    """Measures rates over the last seconds."""

    def __init__(self) -> None:
        self.marks: deque[_Reading] = deque()

    def measure(self, done: float | None, frames: int, sent: int) -> Traffic:
        now = _Reading(monotonic(), done or 0.0, frames, sent)
        self.marks.append(now)
        while len(self.marks) > 2 and now.time - self.marks[1].time >= _SECONDS:
            self.marks.popleft()
        first = self.marks[0]
        passed = now.time - first.time
        if passed <= 0:
            return Traffic(memory=memory())
        progress = (now.done - first.done) / passed
        is_under_way = progress > 0 and first.done > 0  # at first it is opened, and compiles
        return Traffic(
            (1 - now.done) / progress if is_under_way else None,
            memory(),
            (now.frames - first.frames) / passed,
            (now.bytes - first.bytes) / passed,
        )


def memory() -> int:
    """Memory of the process in MB; its maximum where the system does not report the present one."""
    if _STATM.exists():
        return int(_STATM.read_text().split()[1]) * resource.getpagesize() // 1_000_000
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 1_000_000
