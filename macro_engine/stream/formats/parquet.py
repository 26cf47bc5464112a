"""Parquet recordings, read slice by slice, so that memory does not grow with the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from polars import selectors

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.rows import Floats, Ints
from macro_engine.core.state import State, from_json, whole
from macro_engine.stream.formats.string_column import StringColumn
from macro_engine.stream.formats.text_column import TextColumn, has_values
from macro_engine.stream.spec import check_width
from macro_engine.stream.table import IS_MISSING, NOT_FINITE, Column, Problem, Problems, Table
from macro_engine.stream.times import (
    FIRST_TIME,
    LAST_TIME,
    OUT_OF_RANGE,
    TIMESTAMPS,
    TimeReader,
)

KEY = "macro.stream"  # of the key-value metadata under which a file describes itself
SLICE = 1 << 17


@dataclass(frozen=True)
class SeriesColumn:
    """A typed column."""

    series: pl.Series

    def numbers(self) -> tuple[Floats, Problems]:
        if self.series.dtype == pl.String:
            return self._as_text.numbers()
        if not (self.series.dtype.is_numeric() or self.series.dtype == pl.Boolean):
            return np.zeros(len(self.series)), self._all(f"is not a number but {self.series.dtype}")
        numbers = self.series.cast(pl.Float64).to_numpy()
        if np.isfinite(numbers).all():
            return numbers, {}
        missing = self.series.is_null().to_numpy()
        problems = {
            int(i): Problem(IS_MISSING) if missing[i] else Problem(NOT_FINITE, str(numbers[i]))
            for i in np.flatnonzero(~np.isfinite(numbers))
        }
        return numbers, problems

    def texts(self) -> list[str]:
        return self._as_text.texts()

    def has_values(self) -> bool:
        return has_values(map(_text, self.series))

    def time_reader(self, time_format: str | None) -> TimeReader:
        if self.series.dtype.is_temporal():
            return TimeReader(TIMESTAMPS, int)  # `times` needs no parsing
        return self._as_text.time_reader(time_format)

    def times(self, reader: TimeReader) -> tuple[Ints, Problems]:
        dtype = self.series.dtype
        if not dtype.is_temporal():
            return self._as_text.times(reader)
        if not isinstance(dtype, pl.Datetime | pl.Date):
            return np.zeros(len(self.series), np.int64), self._all(f"is not a time but {dtype}")
        times = self.series.dt.epoch("us")
        problems = {int(i): Problem(IS_MISSING) for i in times.is_null().arg_true()}
        found = times.fill_null(0).to_numpy()
        for i in np.flatnonzero((found < FIRST_TIME) | (found > LAST_TIME)):
            problems[int(i)] = Problem(OUT_OF_RANGE)
        return found, problems

    @cached_property
    def _as_text(self) -> Column:
        dtype = self.series.dtype
        is_written_alike = (  # by Polars and by Python
            dtype in (pl.String, pl.Boolean)
            or dtype.is_integer()
            or (dtype.is_temporal() and dtype != pl.Duration)
        )
        if is_written_alike:
            return StringColumn(self.series.cast(pl.String).fill_null(""))
        return TextColumn([_text(value) for value in self.series.to_list()])

    def _all(self, kind: str) -> Problems:
        return {i: Problem(kind) for i in range(len(self.series))}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


class FrameFile:
    """A file of typed columns; a row is named by its number, from 1."""

    unit = "row"
    format: str  # what it is called
    description: dict[str, Any] | None = None

    def __init__(self, path: Path) -> None:
        self.path = path
        self.position = 0
        try:
            schema = self.scan().collect_schema()
            check_width(len(schema), path)
            self.size = int(self.scan().select(pl.len()).collect().item())
        except (pl.exceptions.PolarsError, OSError) as error:
            raise MacroError(
                f"{visible(path)} is not a readable {self.format} file: {visible(error, 120)}"
            ) from None
        self.names = [name for name, dtype in schema.items() if not dtype.is_nested()]
        self.notes = [
            f"'{visible(name)}' is left out: {dtype}"
            for name, dtype in schema.items()
            if dtype.is_nested()
        ]

    def scan(self) -> pl.LazyFrame:
        """All rows."""
        raise NotImplementedError

    @property
    def done(self) -> float:
        """The share of the file that was read."""
        return self.position / self.size if self.size else 1.0

    def sample(self, rows: int) -> Table:
        """The first rows, with all columns."""
        return self._slice(0, rows, self.names)

    def tables(self, columns: Sequence[str], at: State | None = None) -> Iterator[Table]:
        """The rows from a position on, or all of them, with the named columns."""
        self.position = 0 if at is None else whole(at, "row", 0, self.size)
        while self.position < self.size:
            table = self._slice(self.position, SLICE, columns)
            self.position += len(table)
            yield table

    def _slice(self, start: int, length: int, columns: Sequence[str]) -> Table:
        try:
            scan = self.scan().slice(start, length)
            frame = scan.select(selectors.by_name(*columns)).collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise MacroError(
                f"{visible(self.path)}, rows from {start + 1}: cannot be read: "
                f"{visible(error, 120)}"
            ) from None
        lines = np.arange(start + 1, start + 1 + len(frame))
        return Table(
            self.path.name,
            self.unit,
            {name: SeriesColumn(frame[name]) for name in columns},
            lines,
            end={"row": start + len(frame)},
        )


class ParquetFile(FrameFile):
    """A Parquet file, which may hold a description."""

    format = "Parquet"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.description = self._description(pl.read_parquet_metadata(path).get(KEY))

    def scan(self) -> pl.LazyFrame:
        return pl.scan_parquet(self.path, glob=False)

    def _description(self, text: str | None) -> dict[str, Any] | None:
        if text is None:
            return None
        try:
            description = from_json(text)
        except (ValueError, RecursionError) as error:
            raise MacroError(
                f"{visible(self.path)}: its description (key {KEY}) is not JSON: {visible(error)}"
            ) from None
        if not isinstance(description, dict):
            raise MacroError(
                f"{visible(self.path)}: its description (key {KEY}) is not a JSON object"
            )
        return description


class ArrowFile(FrameFile):
    """A file of Arrow IPC, also called Feather; one in the streaming form is read at once."""

    format = "Arrow"

    def scan(self) -> pl.LazyFrame:
        with self.path.open("rb") as file:
            is_stream = file.read(4) == b"\xff\xff\xff\xff"
        if is_stream:
            return pl.read_ipc_stream(self.path).lazy()
        return pl.scan_ipc(self.path, glob=False)
