"""Describes an error in comparison with the baseline's."""

from __future__ import annotations


def lead_text(error: float, baseline: float) -> str:
    """Describes an error in % relative to the baseline's.

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
    """The same, shortened.

    >>> short_lead_text(19.0, 18.69)
    '0.3 worse'
    """
    points = abs(baseline - error)
    if not points >= 0.05:
        return "level"
    return f"{points:.1f} {'better' if error < baseline else 'worse'}"
