"""Parses times to microseconds since 1970; times without an offset stay as they are."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.core.rows import Ints
from macro_engine.stream.table import IS_MISSING, MISSING, Problem, Problems

_EPOCH = datetime(1970, 1, 1)
FIRST_TIME, LAST_TIME = -62_135_596_800_000_000, 253_402_300_799_999_999
OUT_OF_RANGE = "is a time outside the years 1 to 9999"

# An epoch in this unit stays below this number until the year 5138.
_UNITS = {"s": (1e11, 1_000_000), "ms": (1e14, 1_000), "us": (1e17, 1), "ns": (float("inf"), 0.001)}

EPOCHS = {f"epoch in {unit}": factor for unit, (_, factor) in _UNITS.items()}

TIMESTAMPS = "timestamps"
ISO_8601 = "ISO 8601"
FORMATTED = "in the format "


class TimeReader:
    """Turns the text of a time column into times.

    Attributes
    ----------
    described
        What the times are, in words for the user.
    """

    def __init__(self, described: str, parse: Callable[[str], int]) -> None:
        self.described = described
        self.parse = parse

    def read(self, texts: Sequence[str]) -> tuple[Ints, Problems]:
        known: dict[str, int | Problem] = {text: self._one(text) for text in set(texts)}
        times = np.zeros(len(texts), np.int64)
        problems = {}
        for i, text in enumerate(texts):
            time = known[text]
            if isinstance(time, Problem):
                problems[i] = time
            else:
                times[i] = time
        return times, problems

    def _one(self, text: str) -> int | Problem:
        stripped = text.strip()
        if stripped in MISSING:
            return Problem(IS_MISSING)
        try:
            time = self.parse(stripped)
        except (ValueError, OverflowError):
            return Problem(f"is not a time ({self.described}; see --time-format)", text)
        if not FIRST_TIME <= time <= LAST_TIME:
            return Problem(OUT_OF_RANGE, text)
        return time


def time_reader(sample: Iterable[str], time_format: str | None = None) -> TimeReader:
    """How to read a time column, judged by its first values unless a format is given.

    >>> time_reader(["2008-03-14 11:02"]).described
    'ISO 8601'
    >>> time_reader(["1205492520000"]).described
    'epoch in ms'
    """
    if time_format is not None:
        return _formatted(time_format)
    for text in sample:
        if text.strip() in MISSING:
            continue
        try:
            number = abs(float(text))
        except ValueError:
            break
        if not math.isfinite(number):
            continue
        unit = next(unit for unit, (limit, _) in _UNITS.items() if number < limit)
        return _epoch(unit)
    return TimeReader(ISO_8601, lambda text: microseconds(datetime.fromisoformat(text)))


def time_reader_described(described: str, time_format: str | None) -> TimeReader:
    """The reader that describes itself in these words."""
    if described == TIMESTAMPS:
        return TimeReader(TIMESTAMPS, int)  # typed columns need no parsing
    for unit in _UNITS:
        if described == f"epoch in {unit}":
            return _epoch(unit)
    return time_reader([], time_format)


def microseconds(time: datetime) -> int:
    if time.tzinfo is not None:
        time = time.astimezone(UTC).replace(tzinfo=None)
    since = time - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def iso(time: int) -> str:
    """The time in ISO 8601, without a fraction where there is none."""
    return (_EPOCH + timedelta(microseconds=time)).isoformat()


def _formatted(time_format: str) -> TimeReader:
    try:
        datetime.strptime(datetime(2008, 3, 14, tzinfo=UTC).strftime(time_format), time_format)
    except (ValueError, re.error) as error:
        raise UsageError(
            f"--time-format '{visible(time_format)}' cannot be used: {visible(error)}; "
            "an example: '%d.%m.%Y %H:%M'"
        ) from None
    return TimeReader(
        f"{FORMATTED}{visible(time_format)}",
        lambda text: microseconds(datetime.strptime(text, time_format)),
    )


def _epoch(unit: str) -> TimeReader:
    factor = _UNITS[unit][1]

    def parse(text: str) -> int:
        try:
            whole = int(text)
        except ValueError:
            return int(np.floor(float(text) * factor))
        return whole // 1000 if unit == "ns" else whole * int(factor)

    return TimeReader(f"epoch in {unit}", parse)
