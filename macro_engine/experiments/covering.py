"""Exact covering numbers for Lemma 1."""

from __future__ import annotations

from collections.abc import Sequence

_ROUNDING = 1e-12


def covering_number(places: Sequence[float], radius: float) -> int:
    """The least number of places whose neighbourhoods cover all; exact on the line.

    >>> covering_number([0.0, 0.1, 0.2, 0.9], 0.1), covering_number([0.0, 0.1, 0.2, 0.9], 0.05)
    (2, 4)
    """
    left = sorted(set(places))
    count = 0
    while left:
        reach = left[0] + radius + _ROUNDING
        centre = max(place for place in left if place <= reach)
        left = [place for place in left if place > centre + radius + _ROUNDING]
        count += 1
    return count
