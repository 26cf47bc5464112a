"""The summary of a run as data, from an engine or from a run file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from macro_engine.core.escape import visible
from macro_engine.core.members import Member, names_of
from macro_engine.core.metrics import METRICS, Values
from macro_engine.core.state import DamagedError
from macro_engine.run.score.lead import standing
from macro_engine.stream.label import class_titles
from macro_engine.stream.table import Rejections

_LARGEST = 1 << 62
_LINES = 5  # that are named for each reason


@dataclass(frozen=True)
class MemberSummary:
    """One member of the grid: how it is written, its error, and how many subroutines it has.

    `used` is how many of them predicted a step, `least_learned` the least number of steps that one
    of these learned; None where that was not counted.
    """

    name: str
    error: float
    subroutines: int
    used: int | None = None
    least_learned: int | None = None


@dataclass(frozen=True)
class Earner:
    """A subroutine whose steps earned points of the lead, on a share of the rows."""

    number: int
    rows: float
    points: float
    situation: str


@dataclass(frozen=True)
class LeadSummary:
    """Where the lead of a strategy comes from.

    Attributes
    ----------
    points
        Of the lead over the baseline; with `low` and `high`, between which it is taken to lie.
    member
        Whose subroutines these are, as it is written.
    earners
        Those that earned most first.
    """

    strategy: str
    points: float
    low: float
    high: float
    member: str
    earners: tuple[Earner, ...]

    @property
    def standing(self) -> str:
        """`better` or `worse` if that is no luck, `level` or `early`."""
        return standing(self.points, self.low, self.high)


@dataclass(frozen=True)
class Reason:
    """Why rows were rejected; `lines` are the first of them, as far as they are known."""

    column: str | None
    kind: str
    count: int
    unit: str = "line"
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class MetricSummary:
    """Metrics by series, then by metric; None where one is undefined.

    Attributes
    ----------
    of
        The class of precision, recall and F1.
    recent, recent_steps
        The same over so many steps at the end of the run.
    """

    of: str
    all: Values
    recent: Values
    recent_steps: int


@dataclass(frozen=True)
class Confusion:
    """Rows by label, then by what a strategy predicted."""

    strategy: str
    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Summary:
    """A run in numbers.

    Attributes
    ----------
    document
        As `--json` writes it.
    labels
        Rows of each class.
    errors
        Shares of rows, by series.
    judged, confusion
        None in a run file of version 1.
    held
        Rows held aside, because they lie far ahead.
    notes
        Lines on values that were cut off.
    stopped_at
        The share of a recording at which the run was stopped; None if it was not.
    lead
        Where the lead comes from; None where that was not counted.
    """

    document: dict[str, Any]
    inputs: tuple[str, ...]
    classes: tuple[str, ...]
    labels: tuple[int, ...]
    rows: int
    steps: int
    seconds: float
    path: str
    errors: dict[str, float]
    judged: MetricSummary | None
    confusion: Confusion | None
    members: tuple[MemberSummary, ...]
    settings: dict[str, Any]
    late: int
    held: int
    unanswered: int
    references: int
    distance_share: float
    rejected: int
    reasons: tuple[Reason, ...]
    notes: tuple[str, ...]
    stopped_at: float | None
    lead: LeadSummary | None

    @property
    def titles(self) -> tuple[str, ...]:
        """The display names of the classes; classes of a rule are named by the rule."""
        return class_titles(self.classes, str(self.settings.get("label")))

    def title_of(self, name: str) -> str:
        """Returns the display name of a class."""
        return dict(zip(self.classes, self.titles, strict=True)).get(name, name)

    @staticmethod
    def read(document: dict[str, Any], inputs: Sequence[str], rejections: Rejections) -> Summary:
        """Checks the document of a run, which anybody may have written."""
        try:
            return Summary(
                document,
                tuple(inputs),
                tuple(map(str, document["classes"])),
                tuple(map(_count, document.get("labels", ()))),
                _count(document["rows"]),
                _count(document["steps"]),
                _number(document["seconds"]),
                str(document["path"]),
                {str(name): _number(error) for name, error in document["errors"].items()},
                _judged(document.get("metrics")),
                _confusion(document.get("confusion"), len(document["classes"])),
                _members(document["thresholds"]),
                dict(document["settings"]),
                _count(document["late"]),
                _count(document.get("held", 0)),
                _count(document["unanswered"]),
                _count(document["references"]),
                _number(document["distance_share"]),
                _count(document["rejected"]),
                _reasons(rejections),
                tuple(map(str, document.get("notes", ()))),
                None if (share := document.get("stopped_at")) is None else _number(share),
                None if (lead := document.get("lead")) is None else _lead(lead, document),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise DamagedError("its summary is invalid") from None


def _count(value: Any) -> int:
    """A number of rows, steps or subroutines."""
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise ValueError
    return value


def _number(value: Any) -> float:
    """A finite number that can be printed."""
    if type(value) not in (int, float) or not abs(value) <= _LARGEST:
        raise ValueError
    return float(value)


def _judged(told: dict[str, Any] | None) -> MetricSummary | None:
    if told is None:
        return None
    return MetricSummary(
        str(told["class"]),
        _values(told["all"]),
        _values(told["recent"]),
        _count(told["recent_steps"]),
    )


def _values(told: dict[str, Any]) -> Values:
    return {
        str(series): {
            name: None if values[name] is None else _number(values[name]) for name in METRICS
        }
        for series, values in told.items()
    }


def _confusion(told: dict[str, Any] | None, classes: int) -> Confusion | None:
    if told is None:
        return None
    rows = tuple(tuple(map(_count, line)) for line in told["rows"])
    if [len(line) for line in rows] != [classes] * classes:
        raise ValueError
    return Confusion(str(told["strategy"]), rows)


def _members(told: list[dict[str, Any]]) -> tuple[MemberSummary, ...]:
    return tuple(
        MemberSummary(
            visible(name, 40),
            _number(m["error"]),
            _count(m["subroutines"]),
            None if "used" not in m else _count(m["used"]),
            None if "least_learned" not in m else _count(m["least_learned"]),
        )
        for name, m in zip(names_of(_grid(told)), told, strict=True)
    )


def _grid(told: list[dict[str, Any]]) -> list[Member]:
    return [Member(m.get("history"), float(m["threshold"])) for m in told]


def _lead(told: dict[str, Any], document: dict[str, Any]) -> LeadSummary:
    grid = _grid(document["thresholds"])
    place = grid.index(_grid([told])[0])
    return LeadSummary(
        visible(told["strategy"], 40),
        _number(told["points"]),
        _number(told["low"]),
        _number(told["high"]),
        visible(names_of(grid)[place], 40),
        tuple(
            Earner(
                _count(one["number"]),
                _number(one["rows"]),
                _number(one["points"]),
                visible(one["situation"], 100),
            )
            for one in told["subroutines"]
        ),
    )


def _reasons(rejections: Rejections) -> tuple[Reason, ...]:
    """The reasons with the lines of the first rows that are known, the most frequent first."""
    lines: dict[tuple[str | None, str], list[int]] = {}
    units: dict[tuple[str | None, str], str] = {}
    for rejection in rejections.first:
        key = rejection.column, rejection.problem.kind
        unit = units.setdefault(key, rejection.unit)
        if len(found := lines.setdefault(key, [])) < _LINES and rejection.unit == unit:
            found.append(rejection.line)
    return tuple(
        Reason(*key, count, units.get(key, "line"), tuple(lines.get(key, ())))
        for key, count in rejections.reasons.most_common()
    )
