"""Columns made from the time of a row: the time of day and the weekday."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from macro_engine.core.rows import Floats, Ints

ON, OFF = "on", "off"
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
TIME_OF_DAY = ("time_of_day", "time_sin", "time_cos")
WEEKDAY = "weekday"
BOUNDS = dict.fromkeys(TIME_OF_DAY, (0.0, 1.0))
_DAY = 86_400_000_000  # microseconds
# names that say that a column is one of them already, without case and what stands between words
_TIMES_OF_DAY = {"timeofday", "timesin", "timecos", "tod", "hour", "hourofday", "hr", "minuteofday"}
_WEEKDAYS = {"weekday", "dayofweek", "dow", "wday", "dayname", "weekdayname"}


@dataclass(frozen=True)
class ClockColumns:
    """The columns to add for learners and tiles; no distance compares them."""

    numbers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def numbers_at(self, times: Ints) -> Floats:
        """The numeric columns at some times, rows by columns."""
        return times_of_day(times % _DAY / _DAY) if self.numbers else np.empty((len(times), 0))

    def categories_at(self, times: Ints) -> list[list[str]]:
        """The values of each category at some times."""
        return [weekdays(times // _DAY)] if self.categories else []


NO_CLOCK = ClockColumns()


def clock_beside(columns: Iterable[str]) -> ClockColumns:
    """What is added to columns of these names: what none of them is called.

    >>> clock_beside(["origin", "Day of week"]).categories
    ()
    """
    known = {re.sub(r"[^a-z]", "", column.lower()) for column in columns}
    return ClockColumns(
        () if known & _TIMES_OF_DAY else TIME_OF_DAY, () if known & _WEEKDAYS else (WEEKDAY,)
    )


def times_of_day(share: Floats) -> Floats:
    """A share of the day, linear, as sine and as cosine, each in [0, 1]."""
    angle = 2 * np.pi * share
    return np.column_stack([share, (np.sin(angle) + 1) / 2, (np.cos(angle) + 1) / 2])


def weekdays(days: Ints) -> list[str]:
    """The weekday, so many whole days after 1970-01-01, which was a Thursday."""
    return [WEEKDAYS[day] for day in ((days + 3) % 7).tolist()]
