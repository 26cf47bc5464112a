"""Numbers, times and standings in words."""

from __future__ import annotations

from datetime import datetime, timedelta

_EPOCH = datetime(1970, 1, 1)


def moment_text(time: int) -> str:
    """A time to the minute, or to the second where it has seconds.

    >>> moment_text(984_567_720_000_000)
    '2001-03-14 11:02'
    """
    when = _EPOCH + timedelta(microseconds=time)
    return f"{when:%Y-%m-%d %H:%M:%S}" if when.second else f"{when:%Y-%m-%d %H:%M}"


def axis_text(time: int, span: int) -> str:
    """A time along an axis that spans so many microseconds.

    >>> axis_text(984_567_720_000_000, 86_400_000_000 * 30)
    'Mar 14'
    """
    when = _EPOCH + timedelta(microseconds=time)
    days = span / 86_400e6
    if days > 1000:
        return f"{when:%b %Y}"
    if days > 20:
        return f"{when:%b} {when.day}"
    if days > 4:
        return f"{when:%b} {when.day} {when:%H}h"
    return f"{when:%a %H:%M}" if days > 0.5 else f"{when:%H:%M:%S}"


def wait_text(seconds: float) -> str:
    """A wait, as a clock shows it.

    >>> wait_text(73), wait_text(5.2), wait_text(7384), wait_text(200_000)
    ('1:13', '0:05', '2:03:04', '2 d 7 h')
    """
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02}"
    if whole < 86_400:
        return f"{whole // 3600}:{whole % 3600 // 60:02}:{whole % 60:02}"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"


def duration(microseconds: int) -> str:
    """A length of time in its largest unit.

    >>> duration(5_400_000_000), duration(90_000_000)
    ('1.5 h', '1.5 min')
    """
    seconds = microseconds / 1e6
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def counted(count: int, what: str) -> str:
    """
    >>> counted(1, "step"), counted(1200, "row")
    ('1 step', '1,200 rows')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def lead_text(error: float, baseline: float) -> str:
    """How an error in % stands to that of the baseline.

    >>> lead_text(16.87, 18.69)
    '1.8 points (9.7%) fewer errors than the baseline'
    """
    points = abs(baseline - error)
    if points < 0.05:
        return "as many errors as the baseline"
    share = f" ({points / baseline:.1%})" if baseline else ""
    which = "fewer" if error < baseline else "more"
    return f"{points:.1f} points{share} {which} errors than the baseline"


def short_lead_text(error: float, baseline: float) -> str:
    """The same where the rest of the sentence has been said.

    >>> short_lead_text(19.0, 18.69)
    '0.3 more'
    """
    points = abs(baseline - error)
    if not points >= 0.05:
        return "as many"
    return f"{points:.1f} {'fewer' if error < baseline else 'more'}"
