"""The names along the axes of results: series, members and classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from macro_engine.core.members import Member, names_of

# what a strategy may show under names that panels know
LEADER = "leader"  # the index of the member that it follows, by steps
WEIGHTS = "weights"  # steps by members, not negative, with sum 1
TURNING = "turning"  # by steps, from 0 to 1: how much the fast one of two filters leads
PULL = "pull"  # steps by parts, not negative: how strongly each moves the answers

BASELINES = ("marginal", "no_change")  # what strategies are set against; always computed


def strategies_of(series: Iterable[str]) -> list[str]:
    """The series that are no baselines."""
    return [name for name in series if name not in BASELINES]


@dataclass(frozen=True)
class Shown:
    """A value that a strategy shows, one number a step: a thing, or a part of one."""

    strategy: str
    thing: str
    part: str = ""


@dataclass(frozen=True)
class Names:
    """The names along the axes of results.

    Attributes
    ----------
    series
        The strategies and baselines.
    members
        The grid from which strategies choose.
    classes
        How many classes there are.
    shown
        What strategies show beside their answers.
    leading, weighing
        The strategies whose leader is `Steps.leaders`, and whose weights of the members are looked
        at; empty where none shows any.
    """

    series: tuple[str, ...]
    members: tuple[Member, ...]
    classes: int
    shown: tuple[Shown, ...] = ()
    leading: str = ""
    weighing: str = ""

    @property
    def strategies(self) -> list[str]:
        """The strategies that are computed."""
        return strategies_of(self.series)

    @property
    def predictors(self) -> int:
        """The number of predictors: the series, then the members."""
        return len(self.series) + len(self.members)

    @property
    def member_names(self) -> tuple[str, ...]:
        """The members as they are written."""
        return names_of(self.members)

    def lines_of(self, thing: str) -> dict[str, list[int]]:
        """Returns the indices in `shown` of the parts of a value, by strategy."""
        found: dict[str, list[int]] = {}
        for i, one in enumerate(self.shown):
            if one.thing == thing:
                found.setdefault(one.strategy, []).append(i)
        return found

    @property
    def shown_apart(self) -> list[int]:
        """Where among `shown` there is more than the weights of the members that are looked at."""
        with_members = self.weighing, WEIGHTS
        return [i for i, one in enumerate(self.shown) if (one.strategy, one.thing) != with_members]

    def index(self, series: str) -> int:
        """Returns the index of a series among the predictors."""
        return self.series.index(series)
