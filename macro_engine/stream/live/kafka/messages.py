"""Parses messages to rows: JSON objects, or lines of CSV."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from macro_engine.core.escape import visible
from macro_engine.stream.formats.csv_parser import LONGEST_FIELD, CsvParser
from macro_engine.stream.formats.json_lines import object_of, text_of
from macro_engine.stream.formats.string_column import StringColumn
from macro_engine.stream.table import Problem, Rejection, Table, unit_at

if TYPE_CHECKING:
    from macro_engine.stream.formats.dialect import Dialect

JSON, CSV = "json", "csv"
UNIT = "offset"
_NO_VALUE = Problem("has no value (a tombstone)")
_EMPTY = Problem("is empty")
_TOO_LONG = Problem(f"is longer than {LONGEST_FIELD >> 20} MB")
_NONE_OF_THEM = "has none of the columns"
_SHOWN = 200


class MessageRow(NamedTuple):
    """A message: the texts of the columns that are needed, or why it is no row.

    `fields` is None for a message that is no row and no mistake. `key` orders messages of several
    partitions, `came` is when it was received.
    """

    partition: int
    offset: int
    fields: list[str] | Problem | None
    size: int
    came: float
    key: int = 0


class Format(ABC):
    """The format of messages.

    Attributes
    ----------
    names
        All columns, where their order counts.
    needed
        The columns whose texts a row has.
    """

    kind: str

    def __init__(self, names: Sequence[str], needed: Sequence[str], decimal: str = ".") -> None:
        self.names = list(names)
        self.needed = list(needed)
        self.decimal = decimal

    def read(self, value: bytes | None) -> list[str] | Problem | None:
        """The texts of a message, in the order of the columns that are needed."""
        if value is None:
            return _NO_VALUE
        if not value:
            return _EMPTY
        if len(value) > LONGEST_FIELD:
            return _TOO_LONG
        return self._read(value)

    @abstractmethod
    def _read(self, value: bytes) -> list[str] | Problem | None: ...

    def table(self, rows: Sequence[MessageRow], file: str) -> Table:
        """The rows in their order, and what is none."""
        good, broken, before = [], [], []
        for row in rows:
            if isinstance(row.fields, list):
                good.append(row)
            elif row.fields is not None:
                unit = unit_at(UNIT, np.array([row.partition]), 0)
                broken.append(Rejection(file, row.offset, unit, None, row.fields))
                before.append(len(good))
        columns = list(zip(*(row.fields for row in good), strict=True)) or [()] * len(self.needed)
        return Table(
            file,
            UNIT,
            {
                name: StringColumn(pl.Series(values=column, dtype=pl.String), self.decimal)
                for name, column in zip(self.needed, columns, strict=True)
            },
            np.array([row.offset for row in good], np.int64),
            broken,
            partitions=np.array([row.partition for row in good], np.int64),
            good_before=np.array(before, np.int64),
        )


class JsonFormat(Format):
    """A message is an object; a key that it lacks, and null, is a missing value."""

    kind = JSON

    def _read(self, value: bytes) -> list[str] | Problem | None:
        found = object_of(value)
        if isinstance(found, Problem):
            return found
        fields = [found.get(name) for name in self.needed]
        if all(type(field) is str for field in fields):
            return fields  # type: ignore[return-value]
        for name, field in zip(self.needed, fields, strict=True):
            if isinstance(field, dict | list):
                return Problem(
                    f"is a list or an object in '{visible(name)}'; a plain value is expected",
                    text_of(field)[:_SHOWN],
                )
        if found.keys().isdisjoint(self.needed):
            return Problem(_NONE_OF_THEM, value[:_SHOWN].decode(errors="backslashreplace"))
        return [text_of(field) for field in fields]


class CsvFormat(Format):
    """A message is one line of values; one that names the columns is left out."""

    kind = CSV

    def __init__(self, names: Sequence[str], needed: Sequence[str], dialect: Dialect) -> None:
        super().__init__(names, needed, dialect.decimal)
        self.delimiter = dialect.delimiter
        place = {name: i for i, name in enumerate(self.names)}
        self.places = [place[name] for name in self.needed]

    def _read(self, value: bytes) -> list[str] | Problem | None:
        fields = fields_of(value, self.delimiter)
        if isinstance(fields, Problem):
            return fields
        if len(fields) != len(self.names):
            found = len(fields)
            return Problem(f"{found} field{'s' * (found != 1)}, the header has {len(self.names)}")
        if fields[0] == self.names[0] and fields == self.names:
            return None
        return [fields[place] for place in self.places]


def fields_of(value: bytes, delimiter: str) -> list[str] | Problem:
    r"""The fields of a message of one line.

    >>> fields_of(b'9:00,"a,b"\n', ",")
    ['9:00', 'a,b']
    """
    line = value.rstrip(b"\r\n")
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        shown = line[:_SHOWN].decode(errors="backslashreplace")
        return Problem(f"is not UTF-8 (byte 0x{line[error.start]:02x})", shown)
    if '"' not in text and "\n" not in text and "\r" not in text:
        return text.split(delimiter)
    parser = CsvParser(delimiter)
    records = parser.feed(line + b"\n") + parser.finish()
    if not records:
        return _EMPTY
    if records[0].problem is not None:
        return records[0].problem
    if len(records) > 1:
        return Problem("has several lines; one is expected", text[:_SHOWN])
    return records[0].fields
