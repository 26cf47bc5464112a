"""Profiles a column: its type, its range, its numbers of distinct and missing values."""

from __future__ import annotations

from typing import Any

import numpy as np

from macro_engine.core.escape import visible
from macro_engine.stream.infer import is_numeric
from macro_engine.stream.label import class_order
from macro_engine.stream.table import IS_MISSING, MISSING, Column
from macro_engine.stream.times import FIRST_TIME, LAST_TIME, TIMESTAMPS, TimeReader, iso

MOST_VALUES = 1_000  # that are told apart
_SHOWN = 4


class ColumnProfile:
    """One column, table by table.

    Parameters
    ----------
    sample
        Its first rows, which tell the type.
    is_time, time_format
        Whether it is the stream's time, and how times are written.
    """

    def __init__(self, sample: Column, is_time: bool, time_format: str | None = None) -> None:
        reader = sample.time_reader(time_format if is_time else None)
        has_times = is_time or reader.described == TIMESTAMPS
        self.reader: TimeReader | None = reader if has_times else None
        self.is_number = self.reader is None and is_numeric(sample)
        self.is_whole = True
        self.rows = self.missing = 0
        self.values: set[Any] = set()
        self.low, self.high = np.inf, -np.inf

    def add(self, column: Column, rows: int) -> None:
        self.rows += rows
        if self.reader is not None:
            self._add_times(column, self.reader)
        elif self.is_number:
            self._add_numbers(column)
        else:
            texts = column.texts()
            self.missing += sum(text in MISSING for text in texts)
            self._add_values(set(texts) - MISSING)

    @property
    def kind(self) -> str:
        if self.reader is not None:
            return "time"
        if self.is_number:
            return "whole number" if self.is_whole and self.low <= self.high else "number"
        return "text"

    @property
    def range(self) -> str:
        """From the smallest to the largest, or some of the values."""
        if self.reader is None and not self.is_number:
            shown = sorted(map(str, self.values), key=class_order)
            some = ", ".join(visible(value, 20) for value in shown[:_SHOWN])
            return f"{some}, ..." if shown[_SHOWN:] else some
        if self.low > self.high:
            return ""
        if self.reader is None:
            return f"{self.low:.6g} to {self.high:.6g}"
        return f"{iso(int(self.low))} to {iso(int(self.high))}"

    @property
    def different(self) -> str:
        """How many different values there are."""
        return f"{MOST_VALUES:,}+" if len(self.values) > MOST_VALUES else f"{len(self.values):,}"

    def _add_times(self, column: Column, reader: TimeReader) -> None:
        times, problems = column.times(reader)
        self.missing += sum(problem.kind == IS_MISSING for problem in problems.values())
        known = np.delete(times, list(problems))
        if len(known):
            self.low = min(self.low, max(int(known.min()), FIRST_TIME))
            self.high = max(self.high, min(int(known.max()), LAST_TIME))
        self._add_values(set(np.unique(known)[: MOST_VALUES + 1].tolist()))

    def _add_numbers(self, column: Column) -> None:
        numbers, problems = column.numbers()
        self.missing += sum(problem.kind == IS_MISSING for problem in problems.values())
        known = np.delete(numbers, list(problems))
        if len(known):
            self.low = min(self.low, float(known.min()))
            self.high = max(self.high, float(known.max()))
            self.is_whole = self.is_whole and bool((known == np.floor(known)).all())
        if len(self.values) <= MOST_VALUES:
            self._add_values(set(np.unique(known)[: MOST_VALUES + 1].tolist()))

    def _add_values(self, values: set[Any]) -> None:
        if len(self.values) <= MOST_VALUES:
            self.values |= values
