"""The description of a stream: the roles of its columns, and the length of its steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from macro_engine.core.did_you_mean import did_you_mean
from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.rows import Columns
from macro_engine.stream.clock_columns import NO_CLOCK, ClockColumns
from macro_engine.stream.label import Label, LabelRule
from macro_engine.stream.quantiles import QuantileRule

_UNITS = {"ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}
_LONGEST = 10_000 * 366 * _UNITS["d"]
AHEAD = _UNITS["d"]  # microseconds that a row may lie beyond the newest one
MAX_STEP = 100_000  # rows of one window in a step
LATE_TIMEOUT_WINDOWS = 30  # for which a label is waited for
LATE_TIMEOUT = _UNITS["d"]  # the same where steps are not windows
LATE_TIMEOUT_ROWS = 1_000_000  # and where there are no times
RUNNING, UNIT, NONE = "running", "unit", "none"  # scales
MEAN, REJECT = "mean", "reject"  # what becomes of missing numbers
MOST_CLASSES = 200
MOST_COLUMNS = 100_000


@dataclass(frozen=True)
class StepLength:
    """The length of a step: a time in microseconds, or a number of rows."""

    microseconds: int | None = None
    rows: int | None = None

    @staticmethod
    def parse(text: str) -> StepLength:
        """Read `10m` or `50`.

        >>> StepLength.parse("10m")
        StepLength(microseconds=600000000, rows=None)
        """
        match = re.fullmatch(r"([1-9]\d{0,11})(ms|s|m|h|d)?", text.strip())
        if match is None:
            raise ValueError(
                f"'{visible(text)}' is not the length of a step; write 10m (ms s m h d) "
                "or 50 (rows)"
            )
        amount, unit = int(match[1]), match[2]
        if unit is None:
            return StepLength(rows=amount)
        if amount * _UNITS[unit] > _LONGEST:
            raise ValueError(f"'{visible(text)}' is longer than ten thousand years")
        return StepLength(microseconds=amount * _UNITS[unit])


@dataclass(frozen=True)
class LateLabels:
    """How late labels arrive.

    Attributes
    ----------
    key
        The columns that identify a row; none where labels stand in their rows.
    file
        A second file with keys and labels.
    delay
        How long after its row a label is known, in microseconds of the stream's time.
    time
        The column that says when the label was known.
    timeout
        For how long a label is waited for, in microseconds, or in rows where `every` is a number of
        rows; None for ever.
    has_column
        Whether rows have a column for the label, which need not be where a file has it.
    """

    key: tuple[str, ...] = ()
    file: Path | None = None
    delay: int = 0
    time: str | None = None
    timeout: StepLength | None = None
    has_column: bool = True

    @property
    def columns(self) -> list[str]:
        """The columns that are read because of it."""
        return [*self.key, *([self.time] if self.time and self.file is None else [])]


@dataclass(frozen=True)
class StreamSpec:
    """A stream's description, with nothing left to guess but classes.

    Attributes
    ----------
    classes
        The ordered class names; None: to be learned from the first rows.
    bounds
        Smallest and largest value of numeric columns, where they are known.
    scale
        `RUNNING`: columns with bounds are brought to [0, 1], the others by running mean and
        deviation; `UNIT`: all have bounds; `NONE`: numbers stay as they are.
    missing
        `MEAN`: a missing or infinite number is 0 once it is scaled; `REJECT`: its row is rejected.
    reject_late
        Whether late rows are turned away instead of joining the open step.
    ahead
        How far a row may lie beyond the newest step, in microseconds, before it is held aside.
    max_step
        The rows that a step of a time window holds at most.
    late_labels
        How labels come that are not known with their rows; None where all are.
    wants_raw, wants_units
        Whether rows come with the numbers as they stand in the stream, and as tiles see them.
    clock
        The columns that are made from the time.
    quantiles
        How thresholds come from the first rows; None where they are known.
    """

    label: Label
    features: tuple[str, ...]
    categorical: tuple[str, ...]
    time: str | None
    time_format: str | None
    classes: tuple[str, ...] | None
    bounds: Mapping[str, tuple[float, float]]
    every: StepLength
    scale: str
    reject_late: bool
    missing: str = REJECT
    ahead: int = AHEAD
    max_step: int = MAX_STEP
    wants_raw: bool = False
    wants_units: bool = False
    clock: ClockColumns = NO_CLOCK
    quantiles: QuantileRule | None = None
    late_labels: LateLabels | None = None

    @property
    def scaled(self) -> bool:
        """Whether learners and distance see scaled numbers."""
        return self.scale != NONE

    @property
    def numbers(self) -> tuple[str, ...]:
        """All numeric columns, those made from the time last."""
        return (*self.features, *self.clock.numbers)

    def encoded(self, slots: tuple[tuple[str, ...], ...] = ()) -> Columns:
        """The columns of encoded rows, with the values that categories have so far."""
        made = self.clock
        categories = (*self.categorical, *made.categories)
        return Columns(self.numbers, categories, slots, len(made.numbers), len(made.categories))

    @property
    def columns(self) -> list[str]:
        """The columns to read, each once."""
        time = [self.time] if self.time else []
        late = [] if self.late_labels is None else self.late_labels.columns
        label = [self.label.column] if self.has_label_column else []
        used = [*time, *label, *self.features, *self.categorical, *late]
        return list(dict.fromkeys(used))

    @property
    def has_label_column(self) -> bool:
        """Whether rows have a column for the label."""
        return self.late_labels is None or self.late_labels.has_column

    @property
    def numeric(self) -> set[str]:
        """The columns of which only numbers are read."""
        by_limit = isinstance(self.label, LabelRule) and isinstance(self.label.value, float)
        numbers = {*self.features, *([self.label.column] if by_limit else [])}
        return numbers - {self.time, *self.categorical}

    def check(self, names: Sequence[str], file: Path) -> None:
        """Refuse what a file with these columns cannot give."""
        known = set(names)
        late = self.late_labels or LateLabels()
        label_times = [late.time] if late.time else []
        for option, columns in (
            ("--time", [self.time] if self.time else []),
            ("--label", [self.label.column] if self.has_label_column else []),
            ("--features", self.features),
            ("--categorical", self.categorical),
            ("--key", late.key),
            ("--label-time", label_times if late.file is None else []),
        ):
            for column in columns:
                if column not in known:
                    raise UsageError(unknown_column(option, column, names, file))
        used = [*self.features, *self.categorical]
        for column, count in Counter(used).items():
            if count > 1:
                raise UsageError(
                    f"the column '{visible(column)}' is named twice in --features and "
                    "--categorical; once is enough"
                )
        categories = set(self.categorical)
        for column in used:
            for equals in re.finditer("=", column):
                if (category := column[: equals.start()]) in categories:
                    raise UsageError(
                        f"the column '{visible(column)}' could be taken for a value of the "
                        f"category '{visible(category)}'; rename one of them, or leave one out of "
                        "--features or --categorical"
                    )
        if late.time in used:
            raise UsageError(
                f"the column '{visible(late.time)}' tells when the label was known and "
                "cannot be a feature too; take it out of --features or --categorical"
            )
        if self.label.column in used:
            raise UsageError(
                f"the column '{visible(self.label.column)}' gives the label and cannot be a "
                "feature too, because it is the answer; take it out of --features or --categorical"
            )
        if self.every.microseconds is not None and self.time is None:
            raise UsageError(
                f"{visible(file)}: --every by time needs a time column; name it with --time or "
                "count rows, as in --every 50"
            )


def check_width(columns: int, file: Path) -> None:
    """Refuse a file with more columns than anything here is made for."""
    if columns > MOST_COLUMNS:
        raise MacroError(
            f"{visible(file)} has {columns:,} columns; at most {MOST_COLUMNS:,} can be read: write "
            "a file with those that matter"
        )


def unknown_column(option: str, column: str, names: Sequence[str], file: Path) -> str:
    """What is said where an option names a column that is not there."""
    hint = did_you_mean(column, names, otherwise=".")
    shown = ", ".join(visible(name, 30) for name in names[:20]) + (", ..." if names[20:] else "")
    return f"{option}: {visible(file)} has no column '{visible(column)}'{hint} It has: {shown}"
