"""Guessing which column is what, where nobody said so; every guess is shown to the user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.stream.label import parse_label
from macro_engine.stream.table import IS_MISSING, MISSING, NOT_FINITE, Column, Table
from macro_engine.stream.time_formats import AmbiguousError, format_of, may_be_epochs
from macro_engine.stream.times import EPOCHS, TIMESTAMPS, time_reader

COLUMN_OPTIONS = ("time", "label", "features", "categorical")  # which are guessed
_TIME_NAME = re.compile(r"(date|time|datetime|timestamp|ts|when)|.*(_at|_time|_date|_ts)", re.I)
_LABEL_NAMES = ("label", "target", "class", "outcome", "y")  # the likeliest first
_LABEL_VALUES = 20
_NAMED_LABEL_VALUES = 100
_CATEGORY_VALUES = 100
_MOSTLY = 0.9


def infer(table: Table, known: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Values for `time`, `label`, `features` and `categorical` that are not known, and remarks."""
    guesses: dict[str, Any] = {}
    remarks: list[str] = []
    if "time" not in known:
        time = _time(table, known)
        if time is not None:
            guesses["time"] = time
    time = known.get("time", guesses.get("time"))
    if time in table.columns and known.get("time_format") is None:
        time_format = _time_format(table, time)
        if time_format is not None:
            guesses["time_format"] = time_format
    taken = {time}
    if "label" not in known:
        guesses["label"] = _label(table, taken, known)
    taken.add(parse_label(known.get("label") or guesses["label"], list(table.columns)).column)
    taken.update(known.get("features", ()), known.get("categorical", ()))
    numbers, categories = [], []
    for name, column in table.columns.items():
        if name in taken:
            continue
        values = [text for text in column.texts() if text not in MISSING]
        if len(values) < len(table) / 2:
            remarks.append(f"'{visible(name)}' is left out: mostly missing")
        elif _is_numeric(column):
            numbers.append(name)
        elif len(set(values)) <= min(_CATEGORY_VALUES, max(2, len(values) // 2)):
            categories.append(name)
        else:
            remarks.append(f"'{visible(name)}' is left out: text with too many different values")
    if "features" not in known:
        guesses["features"] = numbers
    if "categorical" not in known:
        guesses["categorical"] = categories
    return guesses, remarks


def _is_numeric(column: Column) -> bool:
    """Whether most of what is there are numbers."""
    numbers, problems = column.numbers()
    wrong = sum(p.kind not in (IS_MISSING, NOT_FINITE) for p in problems.values())
    read = len(numbers) - len(problems)
    return read > 0 and read >= _MOSTLY * (read + wrong)


def _time(table: Table, known: Mapping[str, Any]) -> str | None:
    label = known.get("label")
    used = {*known.get("features", ()), *known.get("categorical", ())}
    if label is not None:
        used.add(parse_label(label, list(table.columns)).column)
    candidates = [name for name in table.columns if name not in used]
    for name in sorted(candidates, key=lambda name: not _TIME_NAME.fullmatch(name)):
        column = table.columns[name]
        present = [text for text in column.texts() if text not in MISSING]
        named = _TIME_NAME.fullmatch(name)
        if not present or (not named and _is_numeric(column)):
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


def _time_format(table: Table, name: str) -> str | None:
    """How the times of a column are written; None where that needs no word."""
    column = table.columns[name]
    if column.time_reader(None).described == TIMESTAMPS:
        return None
    try:
        return format_of(column.texts())
    except AmbiguousError as error:
        one, other = error.formats
        raise UsageError(
            f"{visible(table.file)}, column '{visible(name)}': is '{visible(error.text, 40)}' "
            f"month first or day first? Say --time-format '{one}' or --time-format '{other}'"
        ) from None


def _label(table: Table, taken: set[Any], known: Mapping[str, Any]) -> str:
    used = {*taken, *known.get("features", ()), *known.get("categorical", ())}
    candidates = [name for name in table.columns if name not in used]
    for likely in _LABEL_NAMES:
        for name in candidates:
            if name.lower() == likely and len(_values(table, name)) <= _NAMED_LABEL_VALUES:
                return name
    if candidates:
        last = candidates[-1]
        if 2 <= len(_values(table, last)) <= _LABEL_VALUES:
            return last
    shown = ", ".join(visible(name, 30) for name in list(table.columns)[:20])
    raise UsageError(
        f"{visible(table.file)}: which column is the label? Name it with --label, or give a rule "
        f"as in --label 'delay > 15'. The columns are: {shown}"
    )


def _values(table: Table, name: str) -> set[str]:
    return {text for text in table.columns[name].texts() if text not in MISSING}
