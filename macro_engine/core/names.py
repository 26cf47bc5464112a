"""The names of what stands along the axes of results."""

from __future__ import annotations

from dataclasses import dataclass

from macro_engine.core.members import Member, names_of


@dataclass(frozen=True)
class Shown:
    """Something of its own that a strategy shows, one number a step: a thing, or a part of one."""

    strategy: str
    thing: str
    part: str = ""


@dataclass(frozen=True)
class Names:
    """What stands along the axes of columns.

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
    """

    series: tuple[str, ...]
    members: tuple[Member, ...]
    classes: int
    shown: tuple[Shown, ...] = ()

    @property
    def predictors(self) -> int:
        """How many predict: the series, then the members."""
        return len(self.series) + len(self.members)

    @property
    def member_names(self) -> tuple[str, ...]:
        """The members as they are written."""
        return names_of(self.members)

    def place(self, series: str) -> int:
        """Where a series stands among the predictors."""
        return self.series.index(series)
