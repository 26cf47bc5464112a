"""The values that alarm rules are checked against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Sample:
    """The values that rules are checked against at a moment.

    Attributes
    ----------
    errors, rejected
        Shares of rows, by series; of the rows that were read.
    unknown
        The share of rows whose label is none of the classes.
    lag
        How far the newest row lies behind the clock, in microseconds.
    born, led
        How many subroutines were born, and how often the leader changed, since the sample before.
    pause, step_pause
        The longest times between two rows and between the first rows of two steps since then, in
        microseconds.
    clock
        The time on the wall in microseconds since 1970, where the sample goes by that.

    What is None is not judged by this sample.
    """

    step: int
    time: int | None
    errors: dict[str, float] = field(default_factory=dict)
    born: int = 0
    pause: int = 0
    step_pause: int = 0
    led: int = 0
    rejected: float | None = None
    unknown: float | None = None
    lag: float | None = None
    clock: int | None = None

    @property
    def moment(self) -> int | None:
        """The time from which durations of rules are measured."""
        return self.time if self.clock is None else self.clock


@dataclass(frozen=True)
class Silence:
    """The time without rows, or without a closed step, by the wall clock.

    Attributes
    ----------
    since, now
        In seconds since 1970.
    step, time
        Where the stream stands.
    """

    since: float
    now: float
    step: int
    time: int | None
    of: Literal["row", "step"] = "row"

    @property
    def microseconds(self) -> float:
        return 1e6 * (self.now - self.since)
