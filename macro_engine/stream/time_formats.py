"""Detects the time format of a column from its first values.

What ISO 8601 or an epoch explains needs no format, see `times`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise, product

from macro_engine.stream.table import MISSING
from macro_engine.stream.times import EPOCHS, microseconds, time_reader

MOSTLY = 0.9  # of the values must be times
_SELDOM = 0.05  # of the times may be out of order, for the order to settle anything
_FIRST, _LAST = 1990, 2100  # years in which a number may be an epoch
_DATES = (
    "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%m/%d/%y", "%d/%m/%y",
    "%m-%d-%Y", "%d-%m-%Y", "%d-%b-%Y", "%d-%b-%y",
    "%d.%m.%Y", "%d.%m.%y", "%Y.%m.%d",
    "%b %d %Y", "%b %d, %Y", "%B %d %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y",
    "%A, %d %B %Y", "%A %d %B %Y", "%a, %d %b %Y", "%a %d %b %Y", "%A, %B %d, %Y", "%a, %b %d, %Y",
)  # fmt: skip
_CLOCKS = (
    "", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", " %I:%M%p",
    ", %H:%M", ", %H:%M:%S", ", %I:%M %p", ", %I:%M:%S %p", "T%H:%M:%S",
)  # fmt: skip
_CLOCKS_BEFORE = ("%H:%M ", "%H:%M:%S ", "%I:%M %p ", "%H:%M, ")
_WHOLE = (
    "%d/%b/%Y:%H:%M:%S %z",  # Apache's
    "[%d/%b/%Y:%H:%M:%S %z]",
    "%a %b %d %H:%M:%S %Y",
    "%a, %d %b %Y %H:%M:%S %z",
    "%a, %d %b %Y %H:%M:%S GMT",
    "%Y-%m-%d %H:%M:%S UTC",
    "%Y-%m-%d %H:%M:%S.%f UTC",
)
_DIGITS = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
_FORMATS = (
    *(date + clock for date, clock in product(_DATES, _CLOCKS)),
    *(clock + date for date, clock in product(_DATES, _CLOCKS_BEFORE)),
    *_WHOLE,
)


class AmbiguousError(ValueError):
    """The order of day and month is ambiguous."""

    def __init__(self, text: str, formats: tuple[str, str]) -> None:
        super().__init__(text, formats)
        self.text = text
        self.formats = formats


def format_of(texts: Sequence[str]) -> str | None:
    """The format in which most of the texts are times; None where none is, or none is needed.

    Day and month are told apart by a number above 12, or else by the order of the times, where
    one reading has nearly all of them in order, oldest or newest first.

    >>> format_of(["01/31/2024 1:00 PM", "02/01/2024 9:30 AM"])
    '%m/%d/%Y %I:%M %p'
    """
    present = [text for text in map(str.strip, texts) if text not in MISSING]
    if not present or _is_plain(present):
        return None
    few = present[:3]
    candidates = [f for f in _candidates(few[0]) if any(_read(text, f) is not None for text in few)]
    found = {f: [_read(text, f) for text in present] for f in candidates}
    known = {f: [t for t in times if t is not None] for f, times in found.items()}
    most = max(map(len, known.values()), default=0)
    if most < MOSTLY * len(present):
        return None
    best = [f for f in candidates if len(known[f]) == most]
    turns = {f: _out_of_order(known[f]) for f in best}
    fewest = min(turns.values())
    if fewest <= _SELDOM * most:
        best = [f for f in best if turns[f] == fewest]
    if len(best) > 1 and known[best[0]] != known[best[1]]:
        raise AmbiguousError(present[0], (best[0], best[1]))
    return best[0]


def _out_of_order(times: Sequence[int]) -> int:
    """How many go against the direction of the rest: a file may begin with the newest."""
    pairs = list(pairwise(times))
    return min(sum(b < a for a, b in pairs), sum(b > a for a, b in pairs))


def may_be_epochs(texts: Sequence[str]) -> bool:
    """Whether numbers are moments of the years 1990 to 2100, most of them."""
    present = [text for text in map(str.strip, texts) if text not in MISSING]
    reader = time_reader(present)
    if not present or reader.described not in EPOCHS:
        return False
    times, problems = reader.read(present)
    first, last = (microseconds(datetime(year, 1, 1)) for year in (_FIRST, _LAST))
    inside = sum(first <= t < last for i, t in enumerate(times.tolist()) if i not in problems)
    return bool(inside >= MOSTLY * len(present))


def are_dates_in_digits(texts: Sequence[str]) -> bool:
    """Whether numbers are dates with the time of day, as in 20240131130000."""
    time_format = format_of(texts)
    return time_format is not None and time_format in _DIGITS.values() and "%H" in time_format


def _is_plain(present: Sequence[str]) -> bool:
    """Whether they are times without a format: ISO 8601, or epochs that are no rows of digits."""
    if len(present[0]) in _DIGITS and present[0].isdigit():
        return may_be_epochs(present)
    problems = time_reader(present).read(present)[1]
    return len(problems) <= (1 - MOSTLY) * len(present)


def _candidates(text: str) -> Iterator[str]:
    if text.isdigit():
        if len(text) in _DIGITS:
            yield _DIGITS[len(text)]
    elif any(character.isdigit() for character in text):
        yield from _FORMATS


def _read(text: str, time_format: str) -> int | None:
    try:
        time = datetime.strptime(text, time_format)
    except ValueError:
        return None
    if text.isdigit() and not _FIRST <= time.year < _LAST:
        return None
    return microseconds(time)
