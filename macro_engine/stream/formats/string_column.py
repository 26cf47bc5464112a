"""Columns of text in Polars: the values of `TextColumn`, many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from macro_engine.core.rows import Floats, Ints
from macro_engine.stream.formats.fast_times import fast_times
from macro_engine.stream.formats.text_column import TextColumn, has_values
from macro_engine.stream.table import Problems
from macro_engine.stream.times import TimeReader, time_reader

_AT_ONCE = 500  # values that are looked at


@dataclass(frozen=True)
class StringColumn:
    """A column of text fields without nulls.

    What Polars reads, Python reads as the same number; the other way round it is not so. A value
    that Polars does not read as a finite number is read by `TextColumn`, with its problem.
    """

    series: pl.Series
    decimal: str = "."

    def texts(self) -> list[str]:
        return self._stripped

    @cached_property
    def _stripped(self) -> list[str]:
        """Whoever guesses what a column is asks for its texts several times."""
        return [text.strip() for text in self.series.to_list()]

    def has_values(self) -> bool:
        return has_values(self._values())

    def time_reader(self, time_format: str | None) -> TimeReader:
        return time_reader(self._values(), time_format)

    def _values(self) -> Iterator[str]:
        """One after the other: most often the first is enough."""
        for start in range(0, len(self.series), _AT_ONCE):
            yield from self.series.slice(start, _AT_ONCE).to_list()

    def times(self, reader: TimeReader) -> tuple[Ints, Problems]:
        times, unread = fast_times(self.series, reader.described)
        return times, self._read_singly(times, unread, reader)

    def numbers(self) -> tuple[Floats, Problems]:
        series = self.series
        if self.decimal == ",":  # a point is none of a number's, see `TextColumn`
            with_point = series.str.contains(".", literal=True)
            series = series.str.replace(",", ".", literal=True).set(with_point, None)
        numbers = series.cast(pl.Float64, strict=False).to_numpy(writable=True)  # null is NaN
        return numbers, self._read_singly(numbers, np.flatnonzero(~np.isfinite(numbers)))

    def _read_singly(
        self, found: Floats | Ints, unread: Ints, reader: TimeReader | None = None
    ) -> Problems:
        """Put the values at some places in, as numbers or times; the problems among them."""
        if not len(unread):
            return {}
        column = TextColumn(self.series.gather(unread).to_list(), self.decimal)
        found[unread], problems = column.numbers() if reader is None else column.times(reader)
        return {int(unread[i]): problem for i, problem in problems.items()}
