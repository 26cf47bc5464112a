"""The vertical axis: round ticks, and a range that is stable between frames."""

from __future__ import annotations

import math
from dataclasses import dataclass

LEADS = ("points", "nats ahead")  # units of differences
_PADDING = 0.05
_PARTS = 10  # a range is a whole number of steps, at most about so many
_NARROWER = 0.6  # the least that a narrower range must save


@dataclass(frozen=True)
class Bounds:
    """The values at the bottom and the top of a picture."""

    low: float
    high: float

    @property
    def span(self) -> float:
        return self.high - self.low


def step(span: float, most: int) -> float:
    """The smallest of 1, 2, 5, 10, ... that cuts the span into at most so many parts.

    >>> step(12.0, 4)
    5.0
    """
    least = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(least))
    return next((f * power for f in (1.0, 2.0, 5.0) if f * power >= least * 0.999999), 10 * power)


def ticks(bounds: Bounds, most: int) -> list[float]:
    """Round values from the bottom to the top.

    >>> ticks(Bounds(28.0, 41.0), 4)
    [30.0, 35.0, 40.0]
    """
    size = step(bounds.span, most)
    first = math.ceil(bounds.low / size - 1e-9)
    last = math.floor(bounds.high / size + 1e-9)
    return [round(i * size, 10) for i in range(first, last + 1)]


def tick_text(value: float, size: float, unit: str) -> str:
    """A tick with as many decimals as the step needs, a sign for leads, % for shares.

    >>> tick_text(35.0, 5.0, "%"), tick_text(0.5, 0.5, "points"), tick_text(0.5, 0.1, "nats")
    ('35%', '+0.5', '0.5')
    """
    decimals = max(0, -math.floor(math.log10(size) + 1e-9))
    if unit in LEADS:
        return f"{value:+z.{decimals}f}" if value else "0"
    return f"{value:.{decimals}f}{'%' if unit == '%' else ''}"


def settled(before: Bounds | None, low: float, high: float, limits: Bounds, least: float) -> Bounds:
    """The range for data from low to high: widened at once, narrowed only when it is worth it."""
    wanted = _rounded(low, high, limits, least)
    if before is None or high < before.low or low > before.high:
        return wanted
    if low < before.low or high > before.high:
        return _rounded(min(low, before.low), max(high, before.high), limits, least)
    if high - low < before.span / 2 and wanted.span < before.span * _NARROWER:
        return wanted
    return before


def _rounded(low: float, high: float, limits: Bounds, least: float) -> Bounds:
    """Padded, at least so far apart, moved out to round values, within the limits."""
    padding = max((high - low) * _PADDING, (least - (high - low)) / 2)
    low, high = max(low - padding, limits.low), min(high + padding, limits.high)
    size = step(max(high - low, least), _PARTS)
    low, high = math.floor(low / size + 1e-9) * size, math.ceil(high / size - 1e-9) * size
    return Bounds(max(low, limits.low), min(max(high, low + size), limits.high))
