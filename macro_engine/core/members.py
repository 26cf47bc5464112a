"""The members of a run's grid, pairs of a history and a threshold, and their text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from macro_engine.core.format import member_text, short_threshold_text, threshold_text

ALL = "all"
_LONGEST_NAME = 8  # characters of a threshold that are written out
_FEWEST_DIGITS, _ALL_DIGITS = 3, 17


@dataclass(frozen=True)
class Member:
    """One cell of the grid.

    Attributes
    ----------
    history
        H, how many completed steps make a history; `all` takes every one. None for an infinite
        threshold, at which no history matters: that member is the marginal baseline.
    threshold
        The paper's epsilon.
    """

    history: int | str | None
    threshold: float

    @property
    def is_marginal(self) -> bool:
        return math.isinf(self.threshold)

    @property
    def steps(self) -> int | None:
        """H as a number of steps, None for all; for a marginal member none are needed."""
        if self.history is None:
            return 0
        return None if self.history == ALL else int(self.history)


MARGINAL = Member(None, math.inf)


def grid(histories: Iterable[int | str], thresholds: Iterable[float]) -> tuple[Member, ...]:
    """The members in their order: by history, then by threshold; infinity last, only once.

    >>> [(m.history, m.threshold) for m in grid([36, 6], [0.1, math.inf])]
    [(6, 0.1), (36, 0.1), (None, inf)]
    """
    rising = sorted(set(thresholds))
    finite = [t for t in rising if not math.isinf(t)]
    members = [Member(h, t) for h in sorted_histories(histories) for t in finite]
    return (*members, MARGINAL) if len(finite) < len(rising) else tuple(members)


def sorted_histories(histories: Iterable[int | str]) -> list[int | str]:
    """Rising, without duplicates, `all` last."""
    return sorted(set(histories), key=lambda h: math.inf if h == ALL else int(h))


def names_of(members: Sequence[Member]) -> tuple[str, ...]:
    """Each member as it is written: `0.10` for one history, `6:0.10` for several, `inf`.

    >>> names_of(grid([6], [0.005, 0.1, 7.0]))
    ('0.005', '0.10', '7')
    >>> names_of(grid([6, "all"], [0.1, math.inf]))
    ('6:0.10', 'all:0.10', 'inf')

    Thresholds that nobody typed have many digits: as many are written as tell them apart.

    >>> names_of(grid([6], [0.041219259072035816, 0.04121800000000001, 0.3]))
    ('0.041218', '0.041219', '0.30')
    """
    several, written = _has_several(members), _written({m.threshold for m in members})
    return tuple(member_text(written[m.threshold], m.history if several else None) for m in members)


def _written(thresholds: set[float]) -> dict[float, float]:
    """Each threshold, rounded where it is long, to no fewer digits than keep all apart."""
    for digits in range(_FEWEST_DIGITS, _ALL_DIGITS):
        rounded = {
            t: t if len(threshold_text(t)) <= _LONGEST_NAME else float(f"{t:.{digits}g}")
            for t in thresholds
        }
        if len(set(rounded.values())) == len(thresholds):
            return rounded
    return {t: t for t in thresholds}


def short_names_of(members: Sequence[Member]) -> tuple[str, ...]:
    """The same with thresholds in at most five characters, rounded where they have more.

    >>> short_names_of(grid([6, 36], [0.0125, math.inf]))
    ('6:0.013', '36:0.013', 'inf')
    """
    several = _has_several(members)
    return tuple(
        f"{m.history}:{short_threshold_text(m.threshold)}"
        if several and m.history is not None
        else short_threshold_text(m.threshold)
        for m in members
    )


def _has_several(members: Sequence[Member]) -> bool:
    return len({m.history for m in members if m.history is not None}) > 1
