"""Confidence intervals of differences of error rates, by a block bootstrap over days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from macro_engine.core.rows import Floats, Ints

BLOCK, DRAWS, LEVEL, SEED = 7, 2000, 0.95, 1  # days, ..., of the intervals


@dataclass(frozen=True)
class Difference:
    """Error of one minus error of another, as shares of rows, and an interval around it.

    There is no interval where there is one day or one person alone.
    """

    value: float
    low: float | None
    high: float | None


def by_days(rows: Sequence[int], one: Sequence[int], other: Sequence[int]) -> Difference:
    """The difference with an interval by a circular block bootstrap over days.

    Blocks of seven days in succession are drawn until there are as many days as before; the
    interval holds the middle 95 % of 2,000 draws. Where there are fewer than fourteen days, they
    are drawn one by one.

    >>> by_days([10] * 28, [1] * 28, [2] * 28)
    Difference(value=-0.1, low=-0.1, high=-0.1)
    """
    length = BLOCK if len(rows) >= 2 * BLOCK else 1
    chosen = _drawn(len(rows), length)
    counts = np.array(rows, np.float64)
    gaps = np.array(one, np.float64) - np.array(other, np.float64)
    drawn = gaps[chosen].sum(axis=1) / np.maximum(counts[chosen].sum(axis=1), 1.0)
    return _difference(float(gaps.sum() / max(counts.sum(), 1.0)), drawn, len(rows))


def by_persons(one: Sequence[float], other: Sequence[float]) -> Difference:
    """The difference of two means over the same persons, which are drawn with replacement."""
    gaps = np.array(one) - np.array(other)
    drawn = gaps[_drawn(len(gaps), 1)].mean(axis=1)
    return _difference(float(gaps.mean()), drawn, len(gaps))


def _drawn(count: int, length: int) -> Ints:
    """Draws by places: which of so many, in blocks of a length that go round at the end."""
    random = np.random.default_rng(SEED)
    blocks = -(-count // length)
    starts = random.integers(0, count, (DRAWS, blocks))
    places = (starts[:, :, None] + np.arange(length)) % count
    chosen: Ints = places.reshape(DRAWS, -1)[:, :count]
    return chosen


def _difference(value: float, drawn: Floats, count: int) -> Difference:
    if count < 2:
        return Difference(value, None, None)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Difference(value, low, high)
