"""Confidence sequences for a difference of losses, valid at all times.

The predictable plug-in empirical-Bernstein confidence sequence of Waudby-Smith and Ramdas
(Estimating means of bounded random variables by betting, theorem 2) for differences of losses,
one a step, between -1 and 1. With a probability of 95 % it holds the mean at all moments together.

It assumes nothing on how steps depend on each other: the mean is that of the differences to be
expected, each by what was known before its step, weighted as the estimate weights them.
"""

from __future__ import annotations

import numpy as np

from macro_engine.core.declared import Array, Declared, Integer
from macro_engine.core.rows import Floats
from macro_engine.core.state import State

LEVEL = 0.05
_BOUND = np.log(2 / LEVEL)
_LARGEST_BET = 0.5


class Confidence:
    """The sequences of several series; what it remembers does not grow.

    Attributes
    ----------
    steps
        How many differences each series has had.
    low, high
        The newest interval of each series.
    """

    remembers = Declared(
        Integer("steps"),
        *(
            Array(name, np.float64, ("series",))
            for name in ("total", "squares", "bets", "weighted", "spread")
        ),
    )

    def __init__(self, series: int) -> None:
        self.steps = 0
        self.total = np.zeros(series)
        self.squares = np.zeros(series)
        self.bets = np.zeros(series)
        self.weighted = np.zeros(series)
        self.spread = np.zeros(series)

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State) -> None:
        self.remembers.restore(self, state, series=len(self.total))

    @property
    def low(self) -> Floats:
        return self._interval(self.weighted, self.spread, self.bets)[0]

    @property
    def high(self) -> Floats:
        return self._interval(self.weighted, self.spread, self.bets)[1]

    def update(self, differences: Floats) -> tuple[Floats, Floats]:
        """Takes differences, series by steps; the interval after each of them, low and high."""
        x = (differences + 1) / 2
        number = self.steps + 1 + np.arange(x.shape[1])
        totals = _summed(self.total, x)
        means = (0.5 + totals) / (number + 1)
        mean_before = np.column_stack([(0.5 + self.total) / number[0], means[:, :-1]])
        squares = _summed(self.squares, (x - means) ** 2)
        before = np.column_stack([self.squares, squares[:, :-1]])
        variance = (0.25 + before) / number
        bet = np.sqrt(2 * _BOUND / (variance * number * np.log(1 + number)))
        bet = np.minimum(bet, _LARGEST_BET)
        bets = _summed(self.bets, bet)
        weighted = _summed(self.weighted, bet * x)
        cost = (x - mean_before) ** 2 * (-np.log1p(-bet) - bet)  # v psi of the paper: 4 / 4 = 1
        spread = _summed(self.spread, cost)
        intervals = self._interval(weighted, spread, bets)
        self.steps = int(number[-1])
        self.total, self.squares, self.bets = totals[:, -1], squares[:, -1], bets[:, -1]
        self.weighted, self.spread = weighted[:, -1], spread[:, -1]
        return intervals

    def _interval(self, weighted: Floats, spread: Floats, bets: Floats) -> tuple[Floats, Floats]:
        """Around the weighted mean, as a difference; all that is possible before the first."""
        known = np.where(bets > 0, bets, 1.0)
        middle, half = weighted / known, np.where(bets > 0, (_BOUND + spread) / known, np.inf)
        low: Floats = np.maximum(2 * (middle - half) - 1, -1.0)
        high: Floats = np.minimum(2 * (middle + half) - 1, 1.0)
        return low, high


def _summed(before: Floats, values: Floats) -> Floats:
    """Sums that go on from before, added one after the other."""
    sums: Floats = np.cumsum(np.column_stack([before, values]), axis=1)[:, 1:]
    return sums
