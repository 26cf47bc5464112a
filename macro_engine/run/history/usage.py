"""Uses and errors of each subroutine of a threshold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from macro_engine.core.rows import Floats, Ints
from macro_engine.core.steps import Steps

_EVERY = 1 << 15  # steps between two states that are remembered


class Usage:
    """Counts for the subroutines of one threshold, numbered from 1; index 0 is unused.

    They follow the run; what they were at a moment of the past is counted from the last state
    before it that is remembered.

    Attributes
    ----------
    begin
        The first step that is counted.
    uses, rows
        Steps in which each was active, and those of their rows that have a label.
    wrong, marginal_wrong
        Which of those rows it got wrong, and the marginal baseline.
    gained
        By strategies: how many fewer of those rows each got wrong than the marginal baseline.
        Whatever member it is of, its subroutines share out all that a strategy gained, because one
        of them was active in each step.
    last_used
        The last step in which it was active.
    """

    def __init__(self, threshold: int, begin: int = 0) -> None:
        self.threshold = threshold
        self.begin = self.moment = begin
        self.uses: Ints = np.zeros(1, np.int64)
        self.rows: Ints = np.zeros(1, np.int64)
        self.wrong: Ints = np.zeros(1, np.int64)
        self.marginal_wrong: Ints = np.zeros(1, np.int64)
        self.gained: dict[str, Ints] = {}
        self.last_used: Ints = np.zeros(1, np.int64)
        self.remembered: list[Usage] = []

    def at(self, moment: int, results: Callable[[int, int], Steps], first: int = 0) -> Usage:
        """The counts at a moment, where `first` is the first step that can still be read."""
        nearest = max(
            (
                usage
                for usage in [*self.remembered, self]
                if first <= usage.moment <= moment or usage.moment == moment
            ),
            key=lambda usage: usage.moment,
            default=None,
        )
        begin = max(self.begin, first)
        found = Usage(self.threshold, begin) if nearest is None else nearest.copy()
        while found.moment < moment:
            found.add(results(found.moment, min(moment, found.moment + _EVERY)))
        return found

    def follow(self, results: Steps) -> None:
        """Count the newest steps, and remember now and then how it stood."""
        if not self.moment:
            self.begin = results.first_step
        self.add(results)
        last = self.remembered[-1].moment if self.remembered else 0
        if self.moment - last >= _EVERY:
            self.remembered.append(self.copy())

    def add(self, results: Steps) -> None:
        """Count the steps that follow."""
        k = self.threshold
        active = results.active[k]
        n = max(len(self.uses), int(results.subroutines[k, -1]) + 1)
        baseline = results.wrong_of("marginal").astype(np.int64)
        for name, weights in (
            ("uses", None),
            ("rows", results.judged),
            ("wrong", results.member_wrong[k]),
            ("marginal_wrong", baseline),
        ):
            setattr(self, name, _added(getattr(self, name), np.bincount(active, weights, n)))
        for strategy in results.names.strategies:
            gained = np.bincount(active, baseline - results.wrong_of(strategy), n)
            self.gained[strategy] = _added(self.of(strategy), gained)
        last = np.zeros(n, np.int64)
        last[: len(self.last_used)] = self.last_used
        last[active] = results.first_step + np.arange(results.steps)
        self.last_used = last
        self.moment = results.stop

    def copy(self) -> Usage:
        other = Usage(self.threshold, self.begin)
        other._become(self)
        return other

    def _become(self, other: Usage) -> None:
        self.moment = other.moment
        self.uses, self.rows = other.uses, other.rows
        self.wrong, self.marginal_wrong = other.wrong, other.marginal_wrong
        self.last_used, self.gained = other.last_used, dict(other.gained)

    def of(self, strategy: str) -> Ints:
        """Returns the gain of a strategy."""
        return self.gained.get(strategy, np.zeros(len(self.uses), np.int64))

    def points(self, strategy: str) -> Floats:
        """How many points of a strategy's lead over the baseline each subroutine's steps earned.

        They sum to the lead over all rows that are counted.
        """
        points: Floats = 100 * self.of(strategy) / max(int(self.rows.sum()), 1)
        return points


def _added(before: Ints, counts: Floats | Ints) -> Ints:
    """Counts that go on from those before, which may be fewer."""
    found = counts.astype(np.int64)
    found[: len(before)] += before
    return found
