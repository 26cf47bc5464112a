"""Raw rows of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from macro_engine.core.escape import visible
from macro_engine.core.rows import Floats, Ints
from macro_engine.core.state import State, children, whole

if TYPE_CHECKING:
    from macro_engine.stream.times import TimeReader

# What stands where there is no value.
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"})
# and where there is no number, in any case of letters
NO_NUMBERS = frozenset(
    {"?", "-", "--", ".", "none", "n/a", "na", "nan", "null", "#n/a", "#na", "<na>"}
)
IS_MISSING, NOT_FINITE = "is missing", "is not a finite number"
NO_CLASS = "is not one of the classes"


@dataclass(frozen=True)
class Problem:
    """Why a value cannot be used; `value` is text from the stream."""

    kind: str
    value: str | None = None

    def __str__(self) -> str:
        return self.kind if self.value is None else f"'{visible(self.value, 40)}' {self.kind}"


NOTHING = Problem(IS_MISSING)  # one for all: where labels come late, half of all fields are empty
Problems = dict[int, Problem]  # by the row's place in the table


class Column(Protocol):
    """One column of raw rows."""

    def numbers(self) -> tuple[Floats, Problems]:
        """The values as finite numbers; those with a problem are arbitrary."""

    def texts(self) -> list[str]:
        """The values as text; a missing one is one of `MISSING`."""

    def has_values(self) -> bool:
        """Whether any value is there."""

    def time_reader(self, time_format: str | None) -> TimeReader:
        """How to read the column as times, judged by its first values."""

    def times(self, reader: TimeReader) -> tuple[Ints, Problems]:
        """The values as microseconds since 1970; those with a problem are arbitrary."""


@dataclass(frozen=True)
class Rejection:
    """A row that is not part of the stream, and why."""

    file: str
    line: int
    unit: str  # what `line` counts: lines of text, or rows
    column: str | None
    problem: Problem

    def shortened(self, limit: int) -> Rejection:
        """The same with no more than so many characters of the value."""
        value = self.problem.value
        if value is None or len(value) <= limit:
            return self
        return replace(self, problem=Problem(self.problem.kind, value[:limit]))

    def __str__(self) -> str:
        where = f"{visible(self.file)}, {self.unit} {self.line}"
        if self.column is not None:
            where += f", column '{visible(self.column)}'"
        return f"{where}: {self.problem}"


def unit_at(unit: str, partitions: Ints | None, i: int) -> str:
    """What the line of a row counts, with the partition where there are several."""
    return unit if partitions is None else f"partition {int(partitions[i])}, {unit}"


@dataclass
class Rejections:
    """All rejected rows: counted by reason, the first ones kept, each reported once.

    `examples` has the first row of each reason, which may not be among the first of all.
    """

    KEPT = 1000
    LONGEST_VALUE = 2000  # characters of a value that are kept

    report: Callable[[Rejection], None] = lambda _rejection: None
    count: int = 0
    reasons: Counter[tuple[str | None, str]] = field(default_factory=Counter)
    first: list[Rejection] = field(default_factory=list)
    examples: dict[tuple[str | None, str], Rejection] = field(default_factory=dict)

    def state(self) -> State:
        """How many there are, by reason; the rows themselves are recorded elsewhere."""
        return {
            "count": self.count,
            "reasons": [
                {"column": column, "kind": kind, "count": count}
                for (column, kind), count in sorted(
                    self.reasons.items(), key=lambda item: (item[0][0] or "", item[0][1])
                )
            ],
        }

    def restore(self, state: State) -> None:
        self.count = whole(state, "count")
        self.reasons = Counter()
        for kept in children(state, "reasons"):
            column = None if kept.get("column") is None else str(kept["column"])
            self.reasons[column, str(kept.get("kind"))] = whole(kept, "count")

    @property
    def unknown_labels(self) -> int:
        """Rows whose label is none of the classes."""
        return sum(n for (_, kind), n in self.reasons.items() if kind.startswith(NO_CLASS))

    def add(self, rejection: Rejection) -> None:
        rejection = rejection.shortened(self.LONGEST_VALUE)
        self.count += 1
        self.reasons[rejection.column, rejection.problem.kind] += 1
        self.keep(rejection)
        self.report(rejection)

    def keep(self, rejection: Rejection) -> None:
        """Keeps a row that is counted, among the first and as an example."""
        if len(self.first) < self.KEPT:
            self.first.append(rejection)
        self.examples.setdefault((rejection.column, rejection.problem.kind), rejection)


@dataclass(frozen=True)
class Table:
    """Some rows of one file, in order, column by column.

    `end` is the position after them. `begins_file` says that they are the first of a recorded file,
    which may write its times in its own way. `partitions` tells for each row of which part of the
    source its line is counted, where a source has several: such rows come in no order of lines, and
    `good_before` says how many good rows stand before each broken one.
    """

    file: str
    unit: str
    columns: dict[str, Column]
    lines: Ints
    broken: list[Rejection] = field(default_factory=list)
    end: State = field(default_factory=dict)
    begins_file: bool = False
    partitions: Ints | None = None
    good_before: Ints | None = None

    def __len__(self) -> int:
        return len(self.lines)
