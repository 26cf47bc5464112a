"""The cells of an experiment's tables: an error rate, with the paper's beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from macro_engine.experiments.bootstrap import Difference

SQRT = "sqrt"
PRINTED, CONSTANT = 1.0, 0.05
Rate: TypeAlias = str | float | None

THRESHOLD, LAG = "threshold", "lag"
SERIES = ("marginal", "ftl", "ewa", "blend", "no_change")  # of a run, in their order


@dataclass(frozen=True)
class Group:
    """One run at one place: what its cells have in common.

    Attributes
    ----------
    place
        An airport or an activity.
    rate
        The step of the learner: `sqrt`, a number, or None for a learner that takes none.
    """

    place: str
    distance: str | None
    learner: str | None
    rate: Rate = None
    history: int | None = None

    def elsewhere(self, place: str) -> Group:
        return Group(place, self.distance, self.learner, self.rate, self.history)


@dataclass(frozen=True)
class Cell:
    """One error rate as a share, and the paper's in %, None where it has none."""

    group: Group
    series: str
    threshold: float | None
    error: float
    paper: float | None = None

    def document(self, place_name: str) -> dict[str, Any]:
        """As JSON has it."""
        group = self.group
        return {
            place_name: group.place,
            "distance": group.distance,
            "learner": group.learner,
            "rate": group.rate,
            "series": self.series,
            "threshold": self.threshold,
            "error": self.error,
            "paper": self.paper,
            "history": group.history,
        }


@dataclass(frozen=True)
class Verdict:
    """Whether a claim of the paper holds at one place, and the number that decides it.

    Attributes
    ----------
    rule
        What must be true of the value.
    where
        The place; `anywhere` for a claim that one place is enough for.
    """

    claim: str
    rule: str
    where: str
    holds: bool
    value: float
    distance: str | None = None
    learner: str | None = None
    rate: Rate = None

    def document(self) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "where": self.where,
            "holds": self.holds,
            "value": self.value,
            "rule": self.rule,
            "distance": self.distance,
            "learner": self.learner,
            "rate": self.rate,
        }


@dataclass(frozen=True)
class Compared:
    """FTL's error minus that of a rival, with an interval."""

    group: Group
    rival: str
    difference: Difference

    def document(self, place_name: str) -> dict[str, Any]:
        group = self.group
        return {
            place_name: group.place,
            "distance": group.distance,
            "learner": group.learner,
            "rate": group.rate,
            "series": "ftl",
            "rival": self.rival,
            "difference": self.difference.value,
            "low": self.difference.low,
            "high": self.difference.high,
            "history": group.history,
        }


@dataclass
class Cells:
    """All cells of an experiment, in their order."""

    places: Sequence[str]
    cells: list[Cell] = field(default_factory=list)
    _found: dict[tuple[Group, str, float | None], Cell] = field(default_factory=dict, repr=False)

    def add(self, cell: Cell) -> None:
        self.cells.append(cell)
        self._found[cell.group, cell.series, cell.threshold] = cell

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    def cell(self, group: Group, series: str, threshold: float | None = None) -> Cell | None:
        return self._found.get((group, series, threshold))

    def error(self, group: Group, series: str, threshold: float | None = None) -> float | None:
        """A share of rows; None where that was not computed."""
        found = self.cell(group, series, threshold)
        return None if found is None else found.error

    def thresholds(self, group: Group) -> Mapping[float, float]:
        """The error at each threshold of a run."""
        return {
            threshold: cell.error
            for (of, series, threshold), cell in self._found.items()
            if of == group and series == THRESHOLD and threshold is not None
        }

    @property
    def groups(self) -> list[Group]:
        """Each run that has cells, in their order."""
        return list(dict.fromkeys(cell.group for cell in self.cells))
