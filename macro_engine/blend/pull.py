"""The pull of each expert, and of each group of experts, on the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from macro_engine.blend.shape import GROUPS, BlendShape
from macro_engine.core.rows import Floats

STEPS = 100  # the last steps over which pulls are averaged


class RecentPulls:
    """The mean over all steps, from the hundredth on fading with each step by a hundredth."""

    def __init__(self, experts: int) -> None:
        self.mean = [0.0] * experts
        self.steps = 0

    def add(self, rows: Sequence[Sequence[float]]) -> None:
        """Add a step, given the experts' pulls of each row."""
        self.mean = mean_after(self.mean, self.steps, rows)
        self.steps += bool(rows)


def mean_after(mean: Sequence[float], steps: int, rows: Sequence[Sequence[float]]) -> list[float]:
    """The mean over so many steps and one more, given the experts' pulls of each of its rows."""
    if not rows:
        return list(mean)
    found = []
    for e, before in enumerate(mean):
        total = 0.0
        for row in rows:
            total += row[e]
        found.append(before + (total / len(rows) - before) / min(steps + 1, STEPS))
    return found


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


def by_group(pulls: Floats, shape: BlendShape) -> Floats:
    """Steps by groups, given steps by experts; 0 for a group that is left out.

    >>> by_group(np.array([[1.0, 1.0, 0.0, 0.5, 2.0]]), BlendShape.of(2, 0, 0, 3)).tolist()
    [[2.0, 0.0, 0.5, 2.0, 0.0]]
    """
    found = np.zeros((len(pulls), len(GROUPS)))
    for e, group in enumerate(shape.groups):
        found[:, GROUPS.index(group)] += pulls[:, e]
    return found
