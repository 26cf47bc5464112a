"""Round positions along an axis: calendar times, or numbers of steps."""

from __future__ import annotations

from datetime import datetime, timedelta

from macro_tui.view.axis import step

_EPOCH = datetime(1970, 1, 1)
_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SECOND = 1_000_000
_HOUR, _DAY = 3600 * _SECOND, 86_400 * _SECOND
_UNITS = (
    *(n * _SECOND for n in (1, 5, 15, 30, 60, 300, 900, 1800)),
    *(n * _HOUR for n in (1, 3, 6, 12)),
    *(n * _DAY for n in (1, 2, 7)),
)
_MONTHS = (1, 3, 6, 12, 24, 60, 120, 600)
_LONGEST = 30 * _DAY  # Jan 31: no time of a unit has a longer text
_BLANKS = 1  # between two texts
_LAST_MONTH = 12 * 10_000


def round_times(first: int, last: int, cells: int) -> list[tuple[int, str]]:
    """Times from one to another, in microseconds since 1970, with texts that fit in the cells.

    >>> [text for _, text in round_times(978_307_200_000_000, 993_945_600_000_000, 50)]
    ['Jan 1', 'Feb 1', 'Mar 1', 'Apr 1', 'May 1', 'Jun 1', 'Jul 1']
    >>> [text for _, text in round_times(0, 86_400_000_000, 33)]
    ['Jan 1 00h', 'Jan 1 12h', 'Jan 2 00h']
    """
    span = max(last - first, 1)
    unit = next((unit for unit in _UNITS if span / unit * _room(unit) <= cells), None)
    if unit is None:
        return _months(first, last, cells)
    found = range(-(-first // unit) * unit, last + 1, unit)
    return [(time, _text(time, unit)) for time in found]


def _room(unit: int) -> int:
    """Cells from one text to the next, at least."""
    return len(_text(_LONGEST, unit)) + _BLANKS


def _months(first: int, last: int, cells: int) -> list[tuple[int, str]]:
    months = (last - first) / (30.4 * _DAY)
    room = {apart: len(_month_text(_EPOCH, apart)) + _BLANKS for apart in _MONTHS}
    fitting = (apart for apart in _MONTHS if months / apart * room[apart] <= cells)
    apart = next(fitting, _MONTHS[-1])
    begin = _EPOCH + timedelta(microseconds=first)
    month = (begin.year * 12 + begin.month - 1) // apart * apart
    found = []
    while month < _LAST_MONTH and (time := _month(month)) <= last:
        if time >= first:
            when = _EPOCH + timedelta(microseconds=time)
            found.append((time, _month_text(when, apart)))
        month += apart
    while sum(len(text) + 1 for _, text in found[1:]) > cells:  # centuries in a few cells
        found = found[::2]
    return found


def _month(number: int) -> int:
    """The beginning of a month, counted from that of the year 0."""
    since = datetime(max(number // 12, 1), number % 12 + 1, 1) - _EPOCH
    return round(since.total_seconds()) * _SECOND


def _month_text(when: datetime, apart: int) -> str:
    name = _NAMES[when.month - 1]
    return f"{name} {when.year:04}" if apart > 3 else f"{name} 1"


def _text(time: int, unit: int) -> str:
    when = _EPOCH + timedelta(microseconds=time)
    if unit >= _HOUR:  # spelled out here: strftime takes most of the time of a mark
        day = f"{_NAMES[when.month - 1]} {when.day}"
        return day if unit >= _DAY else f"{day} {when.hour:02}h"
    clock = f"{when.hour:02}:{when.minute:02}"
    return clock if unit >= 60 * _SECOND else f"{clock}:{when.second:02}"


def round_steps(first: int, last: int, cells: int) -> list[tuple[int, str]]:
    """Numbers of steps from one to another, which fit in the cells.

    >>> round_steps(0, 1000, 35)
    [(0, '0'), (200, '200'), (400, '400'), (600, '600'), (800, '800'), (1000, '1,000')]
    """
    most = max(cells // (len(f"{last:,}") + _BLANKS), 1)
    size = max(round(step(max(last - first, 1), most)), 1)
    return [(n, f"{n:,}") for n in range(-(-first // size) * size, last + 1, size)]
