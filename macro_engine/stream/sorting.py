"""A recording sorted by time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.state import State, whole
from macro_engine.stream.formats.parquet import SeriesColumn
from macro_engine.stream.formats.string_column import StringColumn
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.table import Column, Rejection, Table
from macro_engine.stream.times import LAST_TIME

MOST_BYTES = 1 << 30  # of rows that are held in memory
_SLICE = 1 << 16


class _File(Protocol):
    path: Path
    unit: str
    names: list[str]
    notes: list[str]
    size: int
    position: int
    description: Any

    def sample(self, rows: int) -> Table: ...
    def tables(self, columns: Sequence[str], at: State | None = None) -> Iterator[Table]: ...


class SortedFile:
    """A file of which all rows are read, sorted by time and then given out.

    Rows of the same time keep their order. Rows whose time cannot be read come last. A position
    is the number of sorted rows before it.
    """

    def __init__(self, file: _File, time: str | None, time_format: str | None) -> None:
        if time is None:
            raise UsageError("--sort needs a time column; name it with --time")
        self.file = file
        self.time = time
        self.time_format = time_format
        self.path, self.names, self.notes = file.path, file.names, file.notes
        self.unit, self.description, self.size = file.unit, file.description, file.size
        self.position = 0
        self.share = 0.0

    @property
    def done(self) -> float:
        """The share that was given out."""
        return 1.0 if self.position >= self.size else self.share

    def sample(self, rows: int) -> Table:
        """The first rows of the file as it is."""
        return self.file.sample(rows)

    def tables(self, columns: Sequence[str], at: State | None = None) -> Iterator[Table]:
        """The rows in their order, from a position on."""
        first = 0 if at is None else whole(at, "row")
        parts, lines, broken = self._all(columns)
        count = len(lines)
        order = self._order(parts[self.time])
        for start in range(first, max(count, 1), _SLICE):
            places = order[start : start + _SLICE]
            yield Table(
                self.path.name,
                self.unit,
                {name: _picked(column, places) for name, column in parts.items()},
                lines[places],
                broken if start == 0 else [],
                {"row": start + len(places)},
            )
            self.share = (start + len(places)) / max(count, 1)
        self.position = self.size

    def _all(
        self, columns: Sequence[str]
    ) -> tuple[dict[str, Column], np.ndarray[Any, np.dtype[np.int64]], list[Rejection]]:
        """Every row of the file; the columns, the lines, and what is broken."""
        parts: dict[str, list[Column]] = {name: [] for name in columns}
        lines, broken, held = [np.empty(0, np.int64)], [], 0
        for table in self.file.tables(columns):
            for name, found in parts.items():
                column = _as_series(table.columns[name])
                held += int(column.series.estimated_size())
                found.append(column)
            lines.append(table.lines)
            broken += table.broken
            if held > MOST_BYTES:
                raise MacroError(
                    f"{visible(self.path)}: --sort holds the rows in memory, and these are more "
                    f"than {MOST_BYTES >> 20:,} MB; sort the file itself, then read it without "
                    "--sort"
                )
        joined = {name: _joined(found) for name, found in parts.items()}
        return joined, np.concatenate(lines), broken

    def _order(self, column: Column) -> np.ndarray[Any, np.dtype[np.int64]]:
        times, problems = column.times(column.time_reader(self.time_format))
        times = times.copy()
        times[list(problems)] = LAST_TIME
        return np.argsort(times, kind="stable")


def _as_series(column: Column) -> StringColumn | SeriesColumn:
    if isinstance(column, StringColumn | SeriesColumn):
        return column
    assert isinstance(column, TextColumn)
    return StringColumn(pl.Series(column.values, dtype=pl.String), column.decimal)


def _joined(parts: Sequence[Any]) -> Column:
    if not parts:
        return StringColumn(pl.Series([], dtype=pl.String))
    series = pl.concat([part.series for part in parts])
    if isinstance(parts[0], SeriesColumn):
        return SeriesColumn(series)
    return StringColumn(series, parts[0].decimal)


def _picked(column: Any, places: np.ndarray[Any, np.dtype[np.int64]]) -> Column:
    series = column.series.gather(places)
    if isinstance(column, SeriesColumn):
        return SeriesColumn(series)
    return StringColumn(series, column.decimal)
