"""Parses many times of the same format at once."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import polars as pl

from macro_engine.core.rows import Bools, Ints
from macro_engine.stream.times import EPOCHS, FIRST_TIME, FORMATTED, ISO_8601, LAST_TIME

_LONGEST = "0000-00-00T00:00:00.000000"
# by length: to the day, minute, second, millisecond, microsecond, and those with a Z
_SHAPES = {n: _LONGEST[:n] for n in (10, 16, 19, 23, 26)}
_SHAPES |= {n + 1: f"{shape}Z" for n, shape in _SHAPES.items() if n > 10}
# of hours, minutes and seconds, by place in the text: the first number that is too large
_LIMITS = {11: 24, 14: 60, 17: 60}

# the directives that mean the same to Polars, as they are written without a doubt
_WRITTEN = {
    "Y": "[1-9][0-9]{3}",
    "m": "(0[1-9]|1[0-2])",
    "d": "(0[1-9]|[12][0-9]|3[01])",
    "H": "([01][0-9]|2[0-3])",
    "I": "(0[1-9]|1[0-2])",
    "M": "[0-5][0-9]",
    "S": "[0-5][0-9]",
    "p": "(AM|PM)",
    "b": "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)",
}

Smalls = npt.NDArray[np.int32]


def fast_times(texts: pl.Series, described: str) -> tuple[Ints, Ints]:
    """The times of a column in microseconds since 1970, and the places of those not read.

    `described` is the `TimeReader`'s word for how they are written. Whatever is read here, that
    reader reads as the same time; it has to read the others.
    """
    times = np.zeros(len(texts), np.int64)
    if described == ISO_8601:
        is_read = _read_iso(texts, times)
    elif described in EPOCHS:
        is_read = _read_epochs(texts, times, EPOCHS[described])
    elif described.startswith(FORMATTED):
        is_read = _read_formatted(texts, times, described.removeprefix(FORMATTED))
    else:
        is_read = np.zeros(len(texts), np.bool_)
    return times, np.flatnonzero(~is_read)


def _read_formatted(texts: pl.Series, times: Ints, time_format: str) -> Bools:
    """Put in what Polars and Python read alike; whether it was, for each."""
    pattern = re.sub(r"%(.)", lambda part: _WRITTEN.get(part[1], "%"), re.escape(time_format))
    if "%" in pattern:
        return np.zeros(len(texts), np.bool_)
    plain = texts.set(~texts.str.contains(f"^{pattern}$"), None)
    found = plain.str.to_datetime(time_format, time_unit="us", strict=False)
    is_read = found.is_not_null()
    if "%H" not in time_format and "%I" not in time_format:
        found = plain.str.to_date(time_format, strict=False).cast(pl.Datetime("us"))
        is_read = found.is_not_null()
    times[:] = found.dt.epoch("us").fill_null(0).to_numpy()
    return is_read.to_numpy()


def _read_epochs(texts: pl.Series, times: Ints, factor: float) -> Bools:
    """Put in what is written as a whole number; whether it is, for each."""
    whole = texts.cast(pl.Int64, strict=False)
    if factor < 1:
        is_read, found = whole.is_not_null(), whole.fill_null(0).to_numpy() // 1000
    else:
        unit = int(factor)
        is_read = whole.is_between(FIRST_TIME // unit + 1, LAST_TIME // unit).fill_null(False)
        found = whole.set(~is_read, 0).to_numpy() * unit
    times[:] = found
    return is_read.to_numpy()


def _read_iso(texts: pl.Series, times: Ints) -> Bools:
    """Put in what has the shape that most have; whether it is a time of it, for each."""
    is_read = np.zeros(len(texts), np.bool_)
    if not len(texts):
        return is_read
    lengths = texts.str.len_bytes().to_numpy()
    length = int(np.bincount(lengths).argmax())
    shape = _SHAPES.get(length)
    if shape is None:
        return is_read
    alike = lengths == length
    if alike.all():
        times[:], is_read[:] = _iso(texts, shape)
    else:
        times[alike], is_read[alike] = _iso(texts.filter(pl.Series(alike)), shape)
    return is_read


def _iso(texts: pl.Series, shape: str) -> tuple[Ints, Bools]:
    """The times, and whether they are: all digits and marks in place, no 30th of February."""
    text = texts.str.join("").item().encode()

    def each(kind: str, place: int) -> npt.NDArray[np.unsignedinteger]:
        """What stands at a place of each text."""
        return np.ndarray(len(texts), kind, text, place, (len(shape),))

    months, days = each("<u8", 0), each("<u2", 8)
    # times mostly come in order: a date is read where it differs from the one before
    differs = (months[1:] != months[:-1]) | (days[1:] != days[:-1])
    first = np.append(0, np.flatnonzero(differs) + 1)
    century, year, month, day = (_TWO_DIGITS[each("<u2", place)[first]] for place in (0, 2, 5, 8))
    dates, is_date = _days(century * 100 + year, month, day)
    is_date &= (each("u1", 4)[first] == ord("-")) & (each("u1", 7)[first] == ord("-"))
    repeated = np.diff(first, append=len(texts))
    times, is_time = np.repeat(dates.astype(np.int64), repeated), np.repeat(is_date, repeated)
    for place, limit in _LIMITS.items():
        times *= limit
        if place < len(shape):
            number = _TWO_DIGITS[each("<u2", place)]
            is_time &= (number >= 0) & (number < limit)
            times += number
    times *= 1_000_000
    for place, mark in enumerate(shape[10:], start=10):
        if place > 19 and mark == "0":
            digit = each("u1", place) - np.uint8(ord("0"))
            is_time &= digit <= 9
            times += digit * np.int64(10 ** (25 - place))
        elif mark != "0":
            is_mark = each("u1", place) == ord(mark)
            is_time &= is_mark | (each("u1", place) == ord(" ")) if mark == "T" else is_mark
    return times, is_time


def _two_digits() -> Smalls:
    """The number of two characters by the number that their bytes make; negative for none."""
    numbers = np.full(1 << 16, -10_000, np.int32)
    written = b"".join(b"%02d" % number for number in range(100))
    numbers[np.frombuffer(written, "<u2")] = np.arange(100)
    return numbers


def _days(year: Smalls, month: Smalls, day: Smalls) -> tuple[Smalls, Bools]:
    """Days since 1970, and whether there is such a day."""
    is_day = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    months = np.where(is_day, year * 12 + month, 1970 * 12 + 1)
    earliest = int(months.min())
    every_month = np.arange(earliest, int(months.max()) + 2) - (1970 * 12 + 1)
    firsts = every_month.astype("datetime64[M]").astype("datetime64[D]").astype(np.int32)
    months -= earliest
    is_day &= day <= np.diff(firsts)[months]
    return firsts[months] + day - 1, is_day


_TWO_DIGITS = _two_digits()
