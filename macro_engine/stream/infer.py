"""Guesses the roles of columns that the user did not name; every guess is shown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from macro_engine.core.escape import visible
from macro_engine.core.format import count_text
from macro_engine.stream.clock_columns import BOUNDS, NO_CLOCK, OFF, ON, clock_beside
from macro_engine.stream.identifiers import has_fractions, is_called_id, why_identifier
from macro_engine.stream.label import parse_label
from macro_engine.stream.label_candidates import LabelGuess, guess_label
from macro_engine.stream.leaks import CERTAIN, LIKELY, LabelSample
from macro_engine.stream.misreadings import listed, misreadings_of
from macro_engine.stream.table import IS_MISSING, MISSING, NOT_FINITE, Column, Problems, Table
from macro_engine.stream.time_formats import (
    AmbiguousError,
    are_dates_in_digits,
    format_of,
    may_be_epochs,
)
from macro_engine.stream.times import EPOCHS, TIMESTAMPS, time_reader

COLUMN_OPTIONS = ("time", "label", "features", "categorical")


def lacking_options(given: Collection[str], needed: Sequence[str] = COLUMN_OPTIONS) -> str:
    """The options that would spare the wait for rows to guess them from.

    >>> lacking_options({"label": "y", "time": "t"})
    '--features and --categorical'
    """
    *others, last = [f"--{name}" for name in needed if name not in given]
    return f"{', '.join(others)} and {last}" if others else last


_TIME_NAME = re.compile(r"(date|time|datetime|timestamp|ts|when)|.*(_at|_time|_date|_ts)", re.I)
_CATEGORY_VALUES = 100
_MOSTLY = 0.9
_OTHERS = 2  # candidates for the label that are named beside it
TIME, LABEL, FEATURE, CATEGORY, LEFT_OUT = "time", "label", "feature", "category", "left out"
_OPTIONS = {FEATURE: "features", CATEGORY: "categorical"}
NAMED, NOT_NAMED = "named", "others are named"
MOSTLY_MISSING = "mostly missing"
CONSTANT = "constant in the first rows; it stays, in case it changes"
LABELS_ALONE = "no column is left to learn from: learners know the labels alone, and the time"
NOTHING_ELSE = "it stays, because nothing else is there to learn from"
LEAK = "it tells the label by itself in the first rows: a leak, if it is known only after the label"
NEARLY_LEAK = "it tells the label by itself, or nearly, in the first rows: is it known earlier?"
COMES_WITH_LABEL = "missing where the label is, and only there: is it known before the label?"


@dataclass(frozen=True)
class Role:
    """The role of a column, and the reason for it."""

    name: str
    why: str


@dataclass
class Guesses:
    """The settings inferred from the first rows.

    Attributes
    ----------
    settings
        Values of `time`, `time_format`, `label`, `features`, `categorical`, `clock` and `bounds`
        that nobody named.
    roles
        Of each column.
    remarks
        Lines that the user should read.
    questions
        What must be known and cannot be guessed, with the option that answers it.
    proposals
        Possible answers, by the name of the option.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    proposals: dict[str, list[str]] = field(default_factory=dict)
    label: LabelGuess = field(default_factory=lambda: LabelGuess(None, ""))

    @property
    def headline(self) -> str:
        """The choice of the label, what else it may be, and why; empty where it was not guessed."""
        if self.label.column is None:
            return ""
        others = [f"'{visible(name, 30)}'" for name in self.label.others[:_OTHERS]]
        if more := len(self.label.others) - len(others):
            others.append(f"{more} more")
        instead = f" (not {' or '.join(others)})" if others else ""
        return f"label '{visible(self.label.column, 30)}'{instead}, {self.label.why}"


def infer(table: Table, known: Mapping[str, Any]) -> Guesses:
    """Guess from the first rows what is not known."""
    return _Inference(table, known).guesses


class _Inference:
    def __init__(self, table: Table, known: Mapping[str, Any]) -> None:
        self.table = table
        self.known = known
        self.named = {*known.get("features", ()), *known.get("categorical", ())}
        self.guesses = Guesses()
        self._time()
        self._label()
        self._features()
        label = None if "classes" in known else self._value("label")
        self.guesses.remarks += misreadings_of(table.columns, self._value("time"), label)

    def _value(self, option: str) -> Any:
        return self.known.get(option, self.guesses.settings.get(option))

    def _time(self) -> None:
        found = self.guesses
        if "time" not in self.known:
            time = _time_column(self.table, self.known, self.named)
            if time is not None:
                found.settings["time"] = time
        time = self._value("time")
        if time not in self.table.columns:
            return
        found.roles[time] = Role(TIME, NAMED if "time" in self.known else "it holds times")
        if self.known.get("time_format") is None:
            self._time_format(time, self.table.columns[time])
        if not found.questions and not self.known.get("sort"):
            self._say_if_backwards(time, self.table.columns[time])

    def _time_format(self, name: str, column: Column) -> None:
        """Returns the time format of a column, if it must be named."""
        if column.time_reader(None).described == TIMESTAMPS:
            return
        try:
            time_format = format_of(column.texts())
        except AmbiguousError as error:
            one, other = error.formats
            self.guesses.proposals["time_format"] = [one, other]
            self.guesses.questions.append(
                f"{visible(self.table.file)}, column '{visible(name)}': is "
                f"'{visible(error.text, 40)}' month first or day first? use --time-format "
                f"'{one}' or --time-format '{other}'"
            )
        else:
            if time_format is not None:
                self.guesses.settings["time_format"] = time_format

    def _say_if_backwards(self, name: str, column: Column) -> None:
        partitions = self.table.partitions
        if partitions is not None and len(np.unique(partitions)) > 1:
            return  # they are put in the order of this column
        times, problems = column.times(column.time_reader(self._value("time_format")))
        lines = np.delete(self.table.lines, list(problems))
        falls = np.flatnonzero(np.diff(np.delete(times, list(problems))) < 0)
        if len(falls):
            self.guesses.remarks.append(
                f"'{visible(name)}': {count_text(len(falls), 'time')} of the first "
                f"{len(self.table):,} run backwards, the first at {self.table.unit} "
                f"{lines[falls[0] + 1]}; --sort puts a recording in order"
            )

    def _label(self) -> None:
        found, columns = self.guesses, self.table.columns
        if "label" in self.known:
            column = parse_label(self.known["label"], list(columns)).column
            found.roles[column] = Role(LABEL, NAMED)
            return
        used = {self._value("time"), *self.named}
        found.label = guess = guess_label({n: c for n, c in columns.items() if n not in used})
        if guess.column is None:
            found.questions.append(_which_label(self.table, guess))
            found.proposals["label"] = [*guess.others, *guess.rules[::-1]] or ["COLUMN"]
            return
        found.settings["label"] = guess.column
        found.roles[guess.column] = Role(LABEL, guess.why)
        also = f"; {listed(guess.others)} may be it as well" if guess.others else ""
        found.remarks.append(
            f"the label is '{visible(guess.column)}', {guess.why}{also}; --label names another"
        )

    def _features(self) -> None:
        found, known = self.guesses, self.known
        guessed: dict[str, list[str]] = {FEATURE: [], CATEGORY: []}
        for name, column in self.table.columns.items():
            if name in found.roles:
                continue
            role = role_of(name, column)
            if name == known.get("label_time"):
                role = Role(LEFT_OUT, "it tells when the label was known")
            elif name in self.named:
                role = Role(FEATURE if name in known.get("features", ()) else CATEGORY, NAMED)
            elif role.name != LEFT_OUT and _OPTIONS[role.name] in known:
                role = Role(LEFT_OUT, NOT_NAMED)
            elif role.name != LEFT_OUT:
                guessed[role.name].append(name)
            found.roles[name] = role
        is_needed = not (self.named or guessed[FEATURE] or guessed[CATEGORY])
        if is_needed and "features" not in known:
            self._take_back(guessed[FEATURE])
        self._leave_leaks_out(guessed)
        for role_name, option in _OPTIONS.items():
            if option not in known and self._value("label") is not None:
                found.settings[option] = guessed[role_name]
        if "features" in found.settings and self._value("time") and "clock" not in known:
            found.settings["clock"] = self._clock()
        bounds = {name: [*BOUNDS[name]] for name in guessed[FEATURE] if self._is_clock(name)}
        if bounds and "features" in found.settings and "bounds" not in known:
            found.settings["bounds"] = bounds
        found.remarks += _remarks(found.roles)
        if not (self.named or any(guessed.values())) and self._value("label") is not None:
            found.remarks.append(LABELS_ALONE)

    def _clock(self) -> str:
        """Whether columns are made from the time: those that are not there already."""
        label = parse_label(self._value("label"), list(self.table.columns)).column
        used = [*self._value("features"), *(self._value("categorical") or ()), label]
        return OFF if clock_beside(used) == NO_CLOCK else ON

    def _is_clock(self, name: str) -> bool:
        """Whether a column is what would be made from the time, by its name and its values."""
        if name not in BOUNDS:
            return False
        numbers, problems = self.table.columns[name].numbers()
        present = np.delete(numbers, list(problems))
        low, high = BOUNDS[name]
        return bool(((present >= low) & (present <= high)).all())

    def _take_back(self, features: list[str]) -> None:
        """Take ids and counts of rows that are numbers, where there is nothing else."""
        for name, column in self.table.columns.items():
            role = self.guesses.roles[name]
            if role.name == LEFT_OUT and is_numeric(column) and role.why != MOSTLY_MISSING:
                features.append(name)
                self.guesses.roles[name] = Role(FEATURE, f"numbers, {role.why}; {NOTHING_ELSE}")

    def _leave_leaks_out(self, guessed: dict[str, list[str]]) -> None:
        """Leaves out guessed columns that determine the label, if others remain."""
        sample = self._label_sample()
        if sample is None:
            return
        columns = self.table.columns
        told = self._told(sample)
        names = [*guessed[FEATURE], *guessed[CATEGORY]]
        # a number that tells the label by a limit may be what there is to learn
        certain = [
            name
            for name in names
            if told[name] >= CERTAIN
            and (name in guessed[CATEGORY] or sample.is_copied_by(columns[name]))
        ]
        has_others = len(certain) < len(names) or bool(self.named)
        roles = self.guesses.roles
        for name, share in told.items():
            if name in certain and has_others:
                guessed[roles[name].name].remove(name)
                roles[name] = Role(LEFT_OUT, LEAK)
            elif share >= LIKELY:
                roles[name] = Role(roles[name].name, f"{roles[name].why}, {NEARLY_LEAK}")
            elif sample.is_missing_with(columns[name]):
                roles[name] = Role(roles[name].name, f"{roles[name].why}, {COMES_WITH_LABEL}")

    def _label_sample(self) -> LabelSample | None:
        """The labels of the first rows; None where they do not allow a judgement."""
        if self._value("label") is None:
            return None
        columns = self.table.columns
        rule = parse_label(self._value("label"), list(columns))
        if rule.column not in columns:
            return None
        labels, problems = rule.read(columns[rule.column], self.known.get("classes"))
        is_known = np.ones(len(labels), np.bool_)
        is_known[list(problems)] = False
        sample = LabelSample(labels, is_known)
        return sample if sample.is_enough else None

    def _told(self, sample: LabelSample) -> dict[str, float]:
        """The share of the label that each feature and category tells by itself."""
        columns = self.table.columns
        return {
            name: sample.told_by_numbers(columns[name])
            if role.name == FEATURE
            else sample.told_by_texts(columns[name])
            for name, role in self.guesses.roles.items()
            if role.name in _OPTIONS
        }


def role_of(name: str, column: Column) -> Role:
    """Returns the role of a column that is neither time nor label."""
    texts = column.texts()
    values = [text for text in texts if text not in MISSING]
    if len(values) < len(texts) / 2:
        return Role(LEFT_OUT, MOSTLY_MISSING)
    numbers, problems = column.numbers()
    known = np.delete(numbers, list(problems)) if problems else numbers
    if (why := why_identifier(name, values, known)) is not None:
        return Role(LEFT_OUT, why)
    different = len(set(values))
    constant = f", {CONSTANT}" if different == 1 and len(values) > 1 else ""
    is_few = different <= min(_CATEGORY_VALUES, max(2, len(values) // 2))
    is_id = is_called_id(name) and is_few and not has_fractions(known)
    if _are_mostly_numbers(len(known), problems) and not is_id:
        return Role(FEATURE, f"numbers{constant}")
    if different <= max(2, len(values) // 2):
        return Role(CATEGORY, f"{count_text(different, 'value')}{constant}")
    return Role(LEFT_OUT, "text with too many different values")


def is_numeric(column: Column) -> bool:
    """Whether most of what is there are numbers."""
    numbers, problems = column.numbers()
    return _are_mostly_numbers(len(numbers) - len(problems), problems)


def _are_mostly_numbers(read: int, problems: Problems) -> bool:
    wrong = sum(p.kind not in (IS_MISSING, NOT_FINITE) for p in problems.values())
    return read > 0 and read >= _MOSTLY * (read + wrong)


def _remarks(roles: Mapping[str, Role]) -> list[str]:
    """Returns remarks on columns, a line for each reason."""
    reasons: dict[str, list[str]] = {}
    for name, role in roles.items():
        if role.name == LEFT_OUT and role.why != NOT_NAMED:
            back = "; --features or --categorical takes it back" if role.why == LEAK else ""
            reasons.setdefault(f"left out, {role.why}{back}", []).append(name)
        for odd in (CONSTANT, NEARLY_LEAK, COMES_WITH_LABEL, NOTHING_ELSE):
            if role.why.endswith(odd):
                reasons.setdefault(odd, []).append(name)
    return [f"{listed(names)}: {reason}" for reason, names in reasons.items()]


def _time_column(table: Table, known: Mapping[str, Any], named: set[str]) -> str | None:
    label = known.get("label")
    used = {*named, label and parse_label(label, list(table.columns)).column}
    candidates = [name for name in table.columns if name not in used]
    for name in sorted(candidates, key=lambda name: not _TIME_NAME.fullmatch(name)):
        column = table.columns[name]
        present = [text for text in column.texts() if text not in MISSING]
        is_called_time = _TIME_NAME.fullmatch(name)
        if not present:
            continue
        if not is_called_time and is_numeric(column) and not are_dates_in_digits(present):
            continue
        if _are_times(present, known.get("time_format")):
            return name
    return None


def _are_times(present: list[str], time_format: str | None) -> bool:
    """Whether texts may be taken for times though nobody said so."""
    reader = time_reader(present, time_format)
    if reader.described in EPOCHS:
        return may_be_epochs(present) or format_of(present) is not None
    if len(reader.read(present)[1]) <= (1 - _MOSTLY) * len(present):
        return True
    try:
        return time_format is None and format_of(present) is not None
    except AmbiguousError:
        return True


def _which_label(table: Table, guess: LabelGuess) -> str:
    file = visible(table.file)
    shown = ", ".join(visible(name, 30) for name in list(table.columns)[:20])
    choice = f"It may be {listed(guess.others)}. " if guess.others else ""
    if len(table.columns) == 1:
        choice += "There is one column only: does the file begin with its header line, and does a "
        choice += "comma, semicolon, tab or | stand between columns? "
    elif guess.too_many:
        choice += f"{listed(guess.too_many)}: too many different values for classes. "
    return (
        f"{file}: which column is the label? {choice}Name it with --label, or give a rule "
        f"as in --label {shlex.quote(guess.rules[-1] if guess.rules else 'delay > 15')}. "
        f"The columns are: {shown}"
    )
