"""Who moves the answer: how strongly each expert pulls, and each group of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from macro_engine.blend.shape import GROUPS, Shape
from macro_engine.core.rows import Floats

STEPS = 100  # the last steps over which pulls are averaged


class RecentPulls:
    """The mean over all steps, from the hundredth on fading with each step by a hundredth."""

    def __init__(self, experts: int) -> None:
        self.mean = [0.0] * experts
        self.steps = 0

    def add(self, rows: Sequence[Sequence[float]]) -> None:
        """Add a step, given the experts' pulls of each row."""
        if not rows:
            return
        self.steps += 1
        for e, mean in enumerate(self.mean):
            total = 0.0
            for row in rows:
                total += row[e]
            self.mean[e] = mean + (total / len(rows) - mean) / min(self.steps, STEPS)


def pulls_of(
    filters: Iterable[Sequence[float]], shares: Sequence[float], logs: Sequence[float]
) -> list[float]:
    """|w l| of each expert for the class that is answered, the mean of both filters by share."""
    slow, fast = filters
    both = shares[0] + shares[1]
    return [
        (shares[0] * abs(slow[e] * log) + shares[1] * abs(fast[e] * log)) / both
        for e, log in enumerate(logs)
    ]


def by_group(pulls: Floats, shape: Shape) -> dict[str, float]:
    """The share of each group that is there in all that pulls; all are 0 before anything does.

    >>> import numpy as np
    >>> by_group(np.array([1.0, 1.0, 0.0, 0.0, 2.0]), Shape.of(2, 0, 0, 3))
    {'linear': 0.5, 'shares': 0.0, 'persistence': 0.0, 'macro': 0.5}
    """
    totals = {
        group: float(pulls[[g == group for g in shape.groups]].sum())
        for group in GROUPS
        if group in shape.groups
    }
    whole = sum(totals.values())
    return {group: total / whole if whole else 0.0 for group, total in totals.items()}
