"""A CSV file, read in chunks: a clean chunk at once, any other piece by piece."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.format import count_text
from macro_engine.core.state import State, whole
from macro_engine.stream.formats.clean_text import cut
from macro_engine.stream.formats.csv_parser import CsvParser, Record
from macro_engine.stream.formats.dialect import (
    SAMPLE_LINES,
    Dialect,
    HeaderError,
    begins_with,
    check_encoding,
    check_given,
    header_of,
    misfit,
    named,
    preamble_of,
    sniff,
)
from macro_engine.stream.formats.encodings import encoding_of, first_undecodable
from macro_engine.stream.formats.parquet import SeriesColumn
from macro_engine.stream.formats.string_column import StringColumn
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.formats.text_file import CHUNK, PIECE, TextFile
from macro_engine.stream.table import Column, Problem, Rejection, Table


class CsvFile(TextFile):
    """A CSV file, plain or compressed, with a header line unless its columns are given.

    Lines above the header that begin with `#`, and Excel's `sep=;`, are skipped.

    Parameters
    ----------
    delimiter, decimal
        Sniffed from the first lines where None.
    columns
        Names the columns of a file without a header.
    is_shown_only
        A header that cannot be used is a `problem` then, and the columns have names for now.

    Attributes
    ----------
    numeric
        Columns that will be asked for numbers and nothing else. One in which something else is
        found is taken out.
    """

    description: None = None

    def __init__(
        self,
        path: Path,
        delimiter: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
        columns: Sequence[str] | None = None,
        is_shown_only: bool = False,
    ) -> None:
        super().__init__(path, encoding)
        self.numeric: set[str] = set()
        self.problem: str | None = None
        head = self._head()
        self.guessed_encoding = None if encoding else encoding_of(head[:-1])
        if self.guessed_encoding is not None:
            self.encoding = self.guessed_encoding
            head = self._head()
        lines, separator = preamble_of(head)
        self.preamble = sum(len(line) + 1 for line in head[:lines])
        head = head[lines:]
        self.position = 0
        sniffed = sniff(head, delimiter or separator)
        self.dialect = Dialect(sniffed.delimiter, decimal or sniffed.decimal)
        self.has_header = not columns or begins_with(head, self.dialect.delimiter, columns)
        if columns:
            self.names = list(columns)
            check_given(columns, head, self.dialect.delimiter, path)
        else:
            try:
                self.names = header_of(head, self.dialect.delimiter, path, lines)
            except HeaderError as error:
                if not is_shown_only:
                    raise
                self.problem, self.names = str(error), error.names
                self.has_header = not error.is_row
        self.notes = [
            f"{what} {'given' if given else 'sniffed'}"
            for what, given in (
                (f"delimiter {named(self.dialect.delimiter)}", delimiter),
                (f"decimal {named(self.dialect.decimal)}", decimal),
            )
        ]
        self.notes += self._warnings(head[:-1], lines)

    def _warnings(self, head: list[bytes], lines: int) -> Iterator[str]:
        """Warnings about the first lines, for the user."""
        if self.guessed_encoding is not None:
            yield (
                f"its text is not UTF-8 and is read as {self.guessed_encoding}; --encoding names "
                "another"
            )
        if lines:
            yield f"{count_text(lines, 'line')} above the header skipped"
        if (
            self.has_header
            and (odd := misfit(head, self.names, self.dialect.delimiter)) is not None
        ):
            yield odd
        if (number := first_undecodable([*head, b""])) is not None:
            yield (
                f"line {lines + number} is not UTF-8 and such lines are rejected; name the "
                "encoding, as in --encoding latin-1"
            )

    def sample(self, rows: int) -> Table:
        """The first rows, with all columns."""
        with self.open() as file:
            data = self.first_lines(file, rows)
            table = self._clean_sample(data, rows)
            if table is None:
                parser = self._parser()
                records = parser.feed(data)
                while len(records) <= rows and (data := self.read(file, PIECE)):
                    records += parser.feed(data)
                if len(records) <= rows:
                    records += parser.finish()
                table = self._table(records[self.has_header :][:rows], self.names)
        self.position = 0
        return table

    def _clean_sample(self, data: bytes, rows: int) -> Table | None:
        """The first rows of the file's first bytes, if they are clean, and there are so many."""
        parser = self._parser()
        header: list[Record] = []
        if self.has_header:
            header, data = parser.feed_first(data)
        lines = data.split(b"\n", rows)[:-1]
        if len(header) != self.has_header or len(lines) < rows:
            return None
        return self._clean(parser, b"\n".join([*lines, b""]), self.names)

    def tables(self, columns: Sequence[str], at: State | None = None) -> Iterator[Table]:
        """The rows from a position on, or all of them, with the named columns."""
        parser = self._parser()
        with self.open() as file:
            if at is not None:
                parser.bytes, parser.lines = whole(at, "byte"), whole(at, "line")
                self.skip_to(file, parser.bytes)
            header_seen = at is not None or not self.has_header
            # from a position within a chunk on, the rest of that piece by piece: so it was before,
            # or it is less than a line
            at_once = at is None or parser.bytes % CHUNK == 0
            while data := self.read(file, CHUNK):
                if not parser.bytes:
                    parser.bytes, parser.lines = self.skipped, self.skipped_lines
                if not header_seen:
                    records, data = parser.feed_first(data)
                    header_seen = bool(records)
                    yield from self._rows_of(parser, records[1:], columns)
                yield from self._tables(parser, data, columns, at_once)
                at_once = True
            last = parser.finish()
            yield from self._rows_of(parser, last if header_seen else last[1:], columns)

    def _tables(
        self, parser: CsvParser, data: bytes, columns: Sequence[str], at_once: bool
    ) -> Iterator[Table]:
        """The rows that these bytes complete."""
        if at_once and (table := self._clean(parser, data, columns)) is not None:
            yield table
            return
        place = 0
        while place < len(data):
            # up to the same places, wherever reading began: a run that goes on reads as before
            piece = data[place : place + PIECE - parser.bytes % PIECE]
            place += len(piece)
            if (table := self._clean(parser, piece, columns)) is not None:
                yield table
            else:
                yield from self._rows_of(parser, parser.feed(piece), columns)

    def _clean(self, parser: CsvParser, data: bytes, columns: Sequence[str]) -> Table | None:
        numeric = self.numeric.intersection(columns)
        table = clean_table(
            parser, data, self.names, columns, self.dialect, self.path.name, numeric
        )
        if table is not None:
            self.numeric -= {n for n in numeric if isinstance(table.columns[n], StringColumn)}
        return table

    def _rows_of(
        self, parser: CsvParser, records: list[Record], columns: Sequence[str]
    ) -> Iterator[Table]:
        if records:
            yield self._table(records, columns, parser.position)

    def _parser(self) -> CsvParser:
        parser = CsvParser(self.dialect.delimiter, len(self.names))
        parser.lines = self.skipped_lines
        return parser

    def _table(
        self, records: list[Record], columns: Sequence[str], end: State | None = None
    ) -> Table:
        return table_of(records, self.names, columns, self.dialect, self.path.name, end or {})

    def _head(self) -> list[bytes]:
        """The first lines, without the BOM; the last one may be cut off."""
        with self.open() as file:
            data = self.first_lines(file, SAMPLE_LINES)
        if not data.strip():
            raise MacroError(f"{visible(self.path)} is empty; a header line was expected")
        check_encoding(data, self.path)
        return data.split(b"\n")


def clean_table(
    parser: CsvParser,
    data: bytes,
    names: Sequence[str],
    columns: Sequence[str],
    dialect: Dialect,
    file: str,
    numeric: Collection[str] = (),
) -> Table | None:
    """The rows that these bytes complete, if the text is clean; the parser goes on after them.

    Of the columns in `numeric` nothing but numbers will be wanted.
    """
    places = {name: place for place, name in enumerate(names)}
    wanted = [places[name] for name in columns]
    # a decimal comma is replaced in texts
    numbers = [places[name] for name in numeric if dialect.decimal == "."]
    lines = parser.whole_lines(data)
    if dialect.encoding is not None and not all(bytes(part).isascii() for part in lines):
        return None
    frame = cut(lines, dialect.delimiter, len(names), wanted, numbers)
    if frame is None:
        return None
    numbers_of_lines = np.arange(parser.lines + 1, parser.lines + 1 + len(frame))
    parser.pass_over(data, len(frame))
    return Table(
        file,
        CsvFile.unit,
        {name: column_of(frame[str(places[name])], dialect.decimal) for name in columns},
        numbers_of_lines,
        end=parser.position,
    )


def column_of(series: pl.Series, decimal: str) -> Column:
    """Texts, or finite numbers, that were cut at once."""
    return StringColumn(series, decimal) if series.dtype == pl.String else SeriesColumn(series)


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
