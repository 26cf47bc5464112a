"""A CSV file, read in chunks."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from macro_engine.errors import MacroError
from macro_engine.state import State, whole
from macro_engine.stream.csv_parser import BOM, CsvParser, Record
from macro_engine.stream.dialect import (
    SAMPLE_LINES,
    Dialect,
    check_encoding,
    header_of,
    named,
    sniff,
)
from macro_engine.stream.table import Problem, Rejection, Table
from macro_engine.stream.text_column import TextColumn
from macro_engine.visible import visible

CHUNK = 1 << 18


class CsvFile:
    """A CSV file, plain or compressed, with a header line.

    Parameters
    ----------
    path
        Its first bytes tell whether it is compressed.
    delimiter, decimal
        Sniffed from the first lines where None.
    """

    unit = "line"
    description: None = None

    def __init__(
        self, path: Path, delimiter: str | None = None, decimal: str | None = None
    ) -> None:
        self.path = path
        self.size = path.stat().st_size
        head = self._head()
        self.position = 0
        sniffed = sniff(head, delimiter)
        self.dialect = Dialect(sniffed.delimiter, decimal or sniffed.decimal)
        self.names = header_of(head, self.dialect.delimiter, path)
        self.notes = [
            f"{what} {'given' if given else 'sniffed'}"
            for what, given in (
                (f"delimiter {named(self.dialect.delimiter)}", delimiter),
                (f"decimal {named(self.dialect.decimal)}", decimal),
            )
        ]

    @property
    def done(self) -> float:
        """The share of the file that was read."""
        return self.position / self.size if self.size else 1.0

    def sample(self, rows: int) -> Table:
        """The first rows, with all columns."""
        sample = next(self._tables(self.names, rows), self._table([], self.names))
        self.position = 0
        return sample

    def tables(self, columns: Sequence[str], at: State | None = None) -> Iterator[Table]:
        """The rows from a position on, or all of them, with the named columns."""
        return self._tables(columns, None, at)

    def _tables(
        self, columns: Sequence[str], rows: int | None, at: State | None = None
    ) -> Iterator[Table]:
        parser = CsvParser(self.dialect.delimiter, len(self.names))
        header_seen = False
        records: list[Record] = []
        with self._open() as file:
            if at is not None:
                header_seen = True
                parser.bytes, parser.lines = whole(at, "byte"), whole(at, "line")
                self._skip_to(file, parser.bytes)
            while True:
                data = self._read(file)
                parser.bytes = parser.bytes or self.bom
                records += parser.feed(data) if data else parser.finish()
                if records and not header_seen:
                    header_seen = True
                    records = records[1:]
                if records and (rows is None or not data or len(records) >= rows):
                    yield self._table(records[:rows], columns, parser.position)
                    if rows is not None:
                        return
                    records = []
                if not data:
                    return

    def _table(
        self, records: list[Record], columns: Sequence[str], end: State | None = None
    ) -> Table:
        return table_of(records, self.names, columns, self.dialect, self.path.name, end or {})

    def _head(self) -> list[bytes]:
        """The first lines, without the BOM; the last one may be cut off."""
        with self._open() as file:
            data = self._read(file)
            while data.count(b"\n") <= SAMPLE_LINES and (more := self._read(file)):
                data += more
        if not data.strip():
            raise MacroError(f"{visible(self.path)} is empty; a header line was expected")
        check_encoding(data, self.path)
        return data.split(b"\n")

    @contextmanager
    def _open(self) -> Iterator[io.BufferedIOBase]:
        self.first_read, self.bom = True, 0
        with ExitStack() as stack:
            self.file = file = stack.enter_context(self.path.open("rb"))
            start = file.read(3)
            file.seek(0)
            if start.startswith(b"\x1f\x8b"):
                yield stack.enter_context(gzip.open(file))
            elif start == b"BZh":
                yield stack.enter_context(bz2.open(file))
            else:
                yield file

    def _skip_to(self, file: io.BufferedIOBase, place: int) -> None:
        """Go to a byte of the text, which in a compressed file must be read up to there."""
        self.first_read = False
        try:
            file.seek(place)
        except (EOFError, OSError, zlib.error) as error:
            raise MacroError(
                f"{visible(self.path)} cannot be read up to byte {place}: {visible(error)}; is the "
                "file cut off or damaged?"
            ) from None

    def _read(self, file: io.BufferedIOBase) -> bytes:
        try:
            # up to the same places, wherever reading began: a run that goes on reads as before
            data = file.read(CHUNK - file.tell() % CHUNK)
        except (EOFError, OSError, zlib.error) as error:
            raise MacroError(
                f"{visible(self.path)} cannot be read to its end: {visible(error)}; is the file "
                "cut off or damaged?"
            ) from None
        self.position = self.file.tell()
        if self.first_read:
            self.first_read = False
            self.bom = len(BOM) if data.startswith(BOM) else 0
            data = data[self.bom :]
        return data


def table_of(
    records: Sequence[Record],
    names: Sequence[str],
    columns: Sequence[str],
    dialect: Dialect,
    file: str,
    end: State,
) -> Table:
    """The records of a file whose columns have these names, as a table of some of the columns."""
    width = len(names)
    good, broken = [], []
    for record in records:
        problem = record.problem
        if problem is None and len(record.fields) != width:
            found = len(record.fields)
            problem = Problem(f"{found} field{'s' * (found != 1)}, the header has {width}")
        if problem is None:
            good.append(record)
        else:
            broken.append(Rejection(file, record.line, CsvFile.unit, None, problem))
    place = {name: i for i, name in enumerate(names)}
    places = {name: place[name] for name in columns}
    return Table(
        file,
        CsvFile.unit,
        {
            name: TextColumn([record.fields[place] for record in good], dialect.decimal)
            for name, place in places.items()
        },
        np.array([record.line for record in good], np.int64),
        broken,
        end,
    )
