"""Detects files that may be misread, by their first rows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from macro_engine.core.escape import visible
from macro_engine.stream.label import class_order
from macro_engine.stream.table import MISSING, NO_NUMBERS, Column

_CLOCK = re.compile(r"\d{1,2}:\d\d(:\d\d(\.\d+)?)?(\s?[AP]M)?", re.I)
_DAY = re.compile(r"[^:]*[^:\d][^:]*|\d{8}|")  # no epoch either
_SHOWN = 10  # columns in one remark


def misreadings_of(
    columns: Mapping[str, Column], time: str | None, label: str | None
) -> Iterator[str]:
    """Remarks for the user; `label` is None where its classes are named."""
    if len(columns) > 1 and all(name in column.texts() for name, column in columns.items()):
        yield (
            "every name of a column is one of its values too: if the first line is a row, put a "
            "header line above it"
        )
    clock = None if time is None else _clock_beside(time, columns)
    if clock is not None:
        yield (
            f"'{visible(time)}' holds days and '{visible(clock)}' the time of day: written in one "
            "column, as in 2024-01-31 13:00, both are used"
        )
    if label is not None and label in columns:
        yield from _signs_for_nothing(label, columns[label])


def listed(names: Sequence[str]) -> str:
    """Names of columns for the user, not too many of them."""
    shown = ", ".join(f"'{visible(name, 40)}'" for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN:,} more" if names[_SHOWN:] else shown


def _clock_beside(time: str, columns: Mapping[str, Column]) -> str | None:
    """The column with the times of day, where the time column has days only."""
    if time not in columns or not all(map(_DAY.fullmatch, columns[time].texts())):
        return None
    for name, column in columns.items():
        present = [text for text in column.texts() if text not in MISSING]
        if present and all(map(_CLOCK.fullmatch, present)):
            return name
    return None


def _signs_for_nothing(name: str, column: Column) -> Iterator[str]:
    """A remark if labels are signs that mean a missing number elsewhere."""
    classes = sorted(set(column.texts()) - MISSING, key=class_order)
    signs = [text for text in classes if text.lower() in NO_NUMBERS]
    others = [text for text in classes if text not in signs]
    if signs and 2 <= len(others) <= _SHOWN:
        yield (
            f"'{visible(name)}': {listed(signs)} is taken for a class; --classes "
            f"{shlex.quote(visible(','.join(others)))} rejects such rows"
        )
