"""How often each subroutine of a threshold was used, and with which errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from macro_engine.rows import Ints
from macro_engine.run.results import STRATEGIES, Results

_MARGINAL = STRATEGIES.index("marginal")
_EVERY = 1 << 15  # steps between two states that are remembered


class Usage:
    """Counts for the subroutines of one threshold, numbered from 1; index 0 is unused.

    They follow the run; what they were at a moment of the past is counted from the last state
    before it that is remembered.

    Attributes
    ----------
    uses, rows
        Steps in which each was active, and their rows.
    wrong, marginal_wrong
        Which of those rows it got wrong, and the marginal baseline.
    last_used
        The last step in which it was active.
    """

    def __init__(self, threshold: int) -> None:
        self.threshold = threshold
        self.moment = 0
        self.uses: Ints = np.zeros(1, np.int64)
        self.rows: Ints = np.zeros(1, np.int64)
        self.wrong: Ints = np.zeros(1, np.int64)
        self.marginal_wrong: Ints = np.zeros(1, np.int64)
        self.last_used: Ints = np.zeros(1, np.int64)
        self.remembered: list[Usage] = []

    def at(self, moment: int, results: Callable[[int, int], Results]) -> Usage:
        """The counts at a moment."""
        nearest = max(
            (usage for usage in [*self.remembered, self] if usage.moment <= moment),
            key=lambda usage: usage.moment,
            default=None,
        )
        found = Usage(self.threshold) if nearest is None else nearest.copy()
        while found.moment < moment:
            found.add(results(found.moment, min(moment, found.moment + _EVERY)))
        return found

    def follow(self, results: Results) -> None:
        """Count the newest steps, and remember now and then how it stood."""
        self.add(results)
        last = self.remembered[-1].moment if self.remembered else 0
        if self.moment - last >= _EVERY:
            self.remembered.append(self.copy())

    def add(self, results: Results) -> None:
        """Count the steps that follow."""
        k = self.threshold
        active = results.active[k]
        n = max(len(self.uses), int(results.subroutines[k, -1]) + 1)
        wrong = results.wrong[len(STRATEGIES) + k]
        for name, weights in (
            ("uses", None),
            ("rows", results.lengths),
            ("wrong", wrong),
            ("marginal_wrong", results.wrong[_MARGINAL]),
        ):
            counts = np.bincount(active, weights, n).astype(np.int64)
            before = getattr(self, name)
            counts[: len(before)] += before
            setattr(self, name, counts)
        last = np.zeros(n, np.int64)
        last[: len(self.last_used)] = self.last_used
        last[active] = results.first_step + np.arange(results.steps)
        self.last_used = last
        self.moment = results.stop

    def copy(self) -> Usage:
        other = Usage(self.threshold)
        other._become(self)
        return other

    def _become(self, other: Usage) -> None:
        self.moment = other.moment
        self.uses, self.rows = other.uses, other.rows
        self.wrong, self.marginal_wrong = other.wrong, other.marginal_wrong
        self.last_used = other.last_used
