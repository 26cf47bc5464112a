"""The text of durations, times, counts, shares and thresholds, for every output."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from decimal import Decimal

from macro_engine.core.escape import visible

_EPOCH = datetime(1970, 1, 1)
_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_NOUNS = (("year", 31_557_600), ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))
_SMALLEST_WRITTEN_OUT = 1e-6


def threshold_text(value: float) -> str:
    """A threshold: below 1 with at least two decimals, from 1 on in the shortest form.

    >>> [threshold_text(value) for value in (0.1, 0.005, 0.0125, 7.0, 17.5, math.inf)]
    ['0.10', '0.005', '0.0125', '7', '17.5', 'inf']
    """
    shortest = repr(float(value)).removesuffix(".0")  # two thresholds are never written alike
    if not 0 <= value < 1 or 0 < value < _SMALLEST_WRITTEN_OUT:
        return shortest
    whole, _, decimals = f"{Decimal(shortest):f}".partition(".")
    return f"{whole}.{decimals:0<2}"


def series_title(name: str) -> str:
    """A strategy as people read it: short names are abbreviations.

    >>> series_title("ftl"), series_title("blend")
    ('FTL', 'blend')
    """
    return name.upper() if len(name) <= 3 else visible(name, 12)


def member_text(threshold: float, history: int | str | None = None) -> str:
    """A member of the grid; the history is given where there are several.

    >>> member_text(0.1), member_text(0.1, 6), member_text(math.inf, 6)
    ('0.10', '6:0.10', 'inf')
    """
    text = threshold_text(threshold)
    return text if history is None or math.isinf(threshold) else f"{history}:{text}"


def short_threshold_text(value: float) -> str:
    """A threshold in at most five characters, rounded where it has more.

    >>> [short_threshold_text(value) for value in (0.1, 0.0125, 2.5e-7, 123456.7)]
    ['0.10', '0.013', '2e-07', '1e+05']
    """
    text = threshold_text(value)
    if len(text) > 5 and 0.001 <= value < 1:
        text = f"{value:.3f}"
    return text if len(text) <= 5 else f"{value:.0e}"


def duration_text(seconds: float) -> str:
    """A length of time in its two largest units.

    >>> [duration_text(seconds) for seconds in (0.25, 42, 200, 93_784, 0.00009)]
    ['0.25 s', '42 s', '3 min 20 s', '1 d 2 h', '0 s']
    """
    if seconds < 60:
        return f"{round(seconds, 3):.3g} s"
    left = int(seconds)
    parts: list[tuple[int, str]] = []
    for size, unit in _UNITS:
        amount, left = divmod(left, size)
        if amount or parts:
            parts.append((amount, unit))
    return " ".join(f"{amount} {unit}" for amount, unit in parts[:2] if amount)


def rough_duration_text(seconds: float) -> str:
    """A length of time in its largest unit, rounded.

    >>> [rough_duration_text(seconds) for seconds in (8 * 365.25 * 86_400, 90_000, 0.2)]
    ['8 years', '1 day', '0 seconds']
    """
    noun, size = next(((noun, size) for noun, size in _NOUNS if seconds >= size), _NOUNS[-1])
    return count_text(round(seconds / size), noun)


def elapsed_text(seconds: float) -> str:
    """A duration that is still growing; the text changes at most once a second.

    >>> elapsed_text(42.7), elapsed_text(0.26), elapsed_text(0.00009), elapsed_text(-1)
    ('42 s', '0.3 s', '0 s', '0 s')
    """
    return duration_text(int(seconds) if seconds >= 1 else round(max(seconds, 0.0), 1))


def clock_text(seconds: float) -> str:
    """A duration as a clock shows it.

    >>> clock_text(73), clock_text(5.2), clock_text(7384), clock_text(200_000)
    ('1:13', '0:05', '2:03:04', '2 d 7 h')
    """
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02}"
    if whole < 86_400:
        return f"{whole // 3600}:{whole % 3600 // 60:02}:{whole % 60:02}"
    return duration_text(whole)


def time_text(microseconds: int) -> str:
    """A time since 1970 to the minute, or to the second where it has seconds.

    >>> time_text(984_567_720_000_000)
    '2001-03-14 11:02'
    """
    when = _EPOCH + timedelta(microseconds=microseconds)
    return f"{when:%Y-%m-%d %H:%M:%S}" if when.second else f"{when:%Y-%m-%d %H:%M}"


def count_text(count: int, noun: str) -> str:
    """
    >>> count_text(1, "step"), count_text(1200, "row")
    ('1 step', '1,200 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def steps_text(start: int, stop: int) -> str:
    """The steps from `start` up to `stop`, which is not among them.

    >>> steps_text(0, 4096), steps_text(7, 8)
    ('steps 0 to 4,095', 'step 7')
    """
    return f"step {start:,}" if stop == start + 1 else f"steps {start:,} to {stop - 1:,}"


def size_text(size: float) -> str:
    """A number of bytes.

    >>> size_text(123_456_789), size_text(2.5e9)
    ('123.5 MB', '2.5 GB')
    """
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def short_percent_text(share: float) -> str:
    """A share in at most four characters.

    >>> short_percent_text(0.459), short_percent_text(0.004), short_percent_text(0.0)
    ('46%', '<1%', '0%')
    """
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"
