"""The one CSV parser: bytes go in as they come, whole records come out with their line numbers.

A record is parsed once its last line is complete. Quoted newlines, BOM, CRLF and multi-byte
characters cut in two are taken care of here.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import math
import re
import zlib
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from macro_engine.errors import MacroError
from macro_engine.rows import Floats, Ints
from macro_engine.state import State, whole
from macro_engine.stream.table import MISSING, Problem, Problems, Rejection, Table
from macro_engine.stream.times import TimeReader, time_reader
from macro_engine.visible import visible

CHUNK = 1 << 18
DELIMITERS = (",", ";", "\t", "|")
_FROM_COMMA = str.maketrans(",.", ".,")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
BOM = b"\xef\xbb\xbf"
_LONGEST_RECORD = 1_000  # lines that a quoted field may span before the quote counts as stray
_ROWS_INSIDE = 3  # lines in succession inside quotes that are rows by themselves: so does it then
SAMPLE_LINES = 500
LONGEST_FIELD = 1 << 24

csv.field_size_limit(LONGEST_FIELD)


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written."""

    delimiter: str = ","
    decimal: str = "."


@dataclass(frozen=True)
class Record:
    """The fields of one record, or why there are none, and the line on which it starts."""

    line: int
    fields: list[str]
    problem: Problem | None = None


class CsvParser:
    """Cuts a growing sequence of bytes into records.

    `width` is the number of fields that a record should have, once that is known: a record of
    several lines that has another number of them began with a stray quote.
    """

    def __init__(self, delimiter: str, width: int | None = None) -> None:
        self.delimiter = delimiter
        self.width = width
        self.lines = 0  # complete lines seen so far
        self.partial = b""  # the beginning of a line whose end has not come yet
        self.quoted: list[bytes] = []  # lines of a record that is inside quotes
        self.bytes = 0  # fed so far

    @property
    def waiting(self) -> int:
        """The bytes of records whose end has not come yet."""
        return len(self.partial) + sum(len(line) + 1 for line in self.quoted)

    @property
    def held(self) -> bytes:
        """Those bytes themselves."""
        return b"".join([*(line + b"\n" for line in self.quoted), self.partial])

    @property
    def position(self) -> State:
        """Where the first record starts that was not given out yet."""
        return {"byte": self.bytes - self.waiting, "line": self.lines - len(self.quoted)}

    def feed(self, data: bytes) -> list[Record]:
        """The records that these bytes complete."""
        self.bytes += len(data)
        data = self.partial + data
        end = data.rfind(b"\n") + 1
        self.partial = data[end:]
        return self._records(data[:end].split(b"\n")[:-1])

    def finish(self) -> list[Record]:
        """The records left when no more bytes will come; the last line may lack its newline."""
        last = [self.partial] if self.partial else []
        self.partial = b""
        return self._records(last, final=True)

    def give_up_quote(self) -> list[Record]:
        """The records of the lines inside quotes, taking the quote that opened them for stray."""
        return self._records([], final=True)

    def _records(self, lines: list[bytes], final: bool = False) -> list[Record]:
        whole = b"\n".join(lines)
        if not self.quoted and b'"' not in whole:
            return self._simple(whole, len(lines))
        if not self.quoted and (records := self._quoted_within_lines(lines)) is not None:
            return records
        records = []
        queue = deque(lines)
        while queue or (final and self.quoted):
            if queue:
                line = queue.popleft()
                self.lines += 1
                self.quoted.append(line)
                inside = ends_inside_quotes(line, self.delimiter.encode(), len(self.quoted) > 1)
                may_go_on = len(self.quoted) < _LONGEST_RECORD and (queue or not final)
                if inside and may_go_on and not self._has_rows_inside():
                    continue
            else:
                inside = True
            first, *rest = self.quoted
            number = self.lines - len(rest)
            record = self._parsed(number, b"\n".join(self.quoted))
            self.quoted = []
            odd = record.problem or self.width not in (None, len(record.fields))
            if inside or (rest and odd):
                # turn the line with the stray quote away and read on with the line after it
                problem = Problem("opens a quote that is not closed", _text(first))
                record = Record(number, [], problem)
                queue.extendleft(reversed(rest))
                self.lines = number
            if record.fields or record.problem:
                records.append(record)
        return records

    def _has_rows_inside(self) -> bool:
        """Whether the last lines inside quotes have the fields of rows, and data in one place."""
        rows = []
        for line in self.quoted[max(1, len(self.quoted) - _ROWS_INSIDE) :]:
            fields = _text(line).split(self.delimiter)
            if len(fields) != self.width or b'"' in line:
                return False
            rows.append([looks_like_data(field.strip()) for field in fields])
        return len(rows) == _ROWS_INSIDE and any(map(all, zip(*rows, strict=True)))

    def _quoted_within_lines(self, lines: list[bytes]) -> list[Record] | None:
        """The records, if every line is one of its own and all can be read."""
        try:
            texts = [line.decode() for line in lines]
            rows = list(csv.reader(texts, delimiter=self.delimiter, strict=True))
        except (UnicodeDecodeError, csv.Error):
            return None
        if len(rows) != len(lines):
            return None
        first = self.lines + 1
        self.lines += len(lines)
        return [Record(number, row) for number, row in enumerate(rows, start=first) if row]

    def _simple(self, whole: bytes, count: int) -> list[Record]:
        """The records of lines without quotes."""
        first = self.lines + 1
        self.lines += count
        if not count:
            return []
        try:
            text = whole.decode()
        except UnicodeDecodeError:
            text = "\r?"  # line by line, to find out which ones can be read
        if "\r" not in text.replace("\r\n", "\n").removesuffix("\r"):
            return [
                Record(number, line.removesuffix("\r").split(self.delimiter))
                for number, line in enumerate(text.split("\n"), start=first)
                if line not in ("", "\r")
            ]
        records = (self._parsed(n, line) for n, line in enumerate(whole.split(b"\n"), start=first))
        return [record for record in records if record.fields or record.problem]

    def _parsed(self, number: int, raw: bytes) -> Record:
        try:
            text = raw.removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            bad = raw[error.start : error.start + 1].hex()
            return Record(number, [], Problem(f"is not UTF-8 (byte 0x{bad})", _text(raw)))
        try:
            rows = list(csv.reader([text], delimiter=self.delimiter, strict=True))
        except csv.Error as error:
            return Record(number, [], Problem(f"does not parse ({error})", text))
        return Record(number, rows[0] if rows else [])


def ends_inside_quotes(line: bytes, delimiter: bytes, inside: bool) -> bool:
    """Whether a quoted field is still open at the end of a line.

    As in Python's csv module, a quote opens a field only at its very beginning.

    >>> ends_inside_quotes(b'a,"b', b",", inside=False)
    True
    >>> ends_inside_quotes(b'5" pipe,a', b",", inside=False)
    False
    """
    i = 0
    while True:
        if inside or line[i : i + 1] == b'"':
            i = i if inside else i + 1
            inside = True
            while inside:
                close = line.find(b'"', i)
                if close < 0:
                    return True
                inside = line[close + 1 : close + 2] == b'"'
                i = close + (2 if inside else 1)
        i = line.find(delimiter, i) + 1
        if i == 0:
            return False


def _text(raw: bytes) -> str:
    return raw.decode(errors="backslashreplace")


@dataclass(frozen=True)
class TextColumn:
    """A column of text fields."""

    values: Sequence[str]
    decimal: str = "."

    def texts(self) -> list[str]:
        return [value.strip() for value in self.values]

    def time_reader(self, time_format: str | None) -> TimeReader:
        return time_reader(self.values, time_format)

    def times(self, reader: TimeReader) -> tuple[Ints, Problems]:
        return reader.read(self.values)

    def numbers(self) -> tuple[Floats, Problems]:
        values = self.values
        if self.decimal == ",":  # a point would be a thousands separator, and is none of a number's
            values = [value.translate(_FROM_COMMA) for value in values]
        try:
            numbers = np.fromiter(map(float, values), np.float64, len(values))
        except ValueError:
            pass
        else:
            if np.isfinite(numbers).all() and "_" not in "".join(values):
                return numbers, {}
        numbers = np.zeros(len(values))
        problems = {}
        for i, value in enumerate(values):
            number = _number(value)
            if isinstance(number, Problem):
                problems[i] = Problem(number.kind, number.value and self.values[i])
            else:
                numbers[i] = number
        return numbers, problems


def _number(text: str) -> float | Problem:
    stripped = text.strip()
    if stripped in MISSING:
        return Problem("is missing")
    try:
        number = float(stripped)
    except ValueError:
        return Problem("is not a number", text)
    if "_" in stripped:  # Python's float takes 1_000, no other program does
        return Problem("is not a number", text)
    return number if math.isfinite(number) else Problem("is not a finite number", text)


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
                (f"delimiter {_named(self.dialect.delimiter)}", delimiter),
                (f"decimal {_named(self.dialect.decimal)}", decimal),
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
    places = {name: names.index(name) for name in columns}
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


def check_encoding(data: bytes, path: Path) -> None:
    """Refuse what is not lines of UTF-8, judged by the first bytes."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise MacroError(
            f"{visible(path)}, line 1: this is UTF-16; convert it to UTF-8, as in "
            "iconv -f UTF-16 -t UTF-8"
        )
    if b"\0" in data[:1024]:
        raise MacroError(f"{visible(path)} is neither CSV nor Parquet: it holds NUL bytes")
    if b"\n" not in data and b"\r" in data:
        raise MacroError(
            f"{visible(path)}: its lines end in CR alone; convert it, as in tr '\\r' '\\n'"
        )


def header_of(head: list[bytes], delimiter: str, path: Path) -> list[str]:
    """The names of the columns, given the first lines of a file."""
    parser = CsvParser(delimiter)
    records = parser.feed(b"\n".join(head)) or parser.finish()
    where = f"{visible(path)}, line {records[0].line}"
    if records[0].problem:
        raise MacroError(f"{where}: the header cannot be read: {records[0].problem}")
    names = column_names(records[0].fields)
    if 2 * sum(looks_like_data(name) for name in names) > len(names):
        raise MacroError(
            f"{where}: this looks like data, not like the names of columns; put a header line first"
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise MacroError(
            f"{where}: {Counter(names)[twice[0]]} columns are called '{visible(twice[0])}'; "
            "rename all but one"
        )
    return names


def column_names(fields: Sequence[str]) -> list[str]:
    """The fields of a header as names; an empty one is named by its place."""
    return [name.strip() or f"column{i}" for i, name in enumerate(fields, start=1)]


def looks_like_data(name: str) -> bool:
    """Whether a field is a number or begins as a date does."""
    return isinstance(_number(name), float) or re.fullmatch(r"\d{4}-\d\d-\d\d.*", name) is not None


def sniff(head: list[bytes], delimiter: str | None = None) -> Dialect:
    """The delimiter that cuts the first lines most alike, and whether numbers have a comma.

    >>> sniff([b"a;b", b"1,5;2", b"2,5;3", b""])
    Dialect(delimiter=';', decimal=',')
    """
    sample = head[:SAMPLE_LINES] if len(head) > SAMPLE_LINES else head[:-1] or head
    text = b"\n".join(sample)
    if delimiter is None:
        delimiter = max(DELIMITERS, key=lambda d: _agreement(text, d))
    if delimiter == ",":
        return Dialect(delimiter)
    fields = [f.strip() for r in _rows(text, delimiter)[1:] for f in r]
    commas = sum(
        re.fullmatch(r"[+-]?\d*,\d+", field) is not None and not _THOUSANDS.fullmatch(field)
        for field in fields
    )
    points = sum(re.fullmatch(r"[+-]?\d*\.\d+", field) is not None for field in fields)
    return Dialect(delimiter, "," if commas > points else ".")


def _agreement(text: bytes, delimiter: str) -> tuple[float, int]:
    """How many of the lines have as many fields as the first, if that is more than one."""
    widths = [len(row) for row in _rows(text, delimiter)]
    if not widths or widths[0] < 2:
        return (0.0, 0)
    return (widths.count(widths[0]) / len(widths), widths[0])


def _rows(text: bytes, delimiter: str) -> list[list[str]]:
    parser = CsvParser(delimiter)
    return [r.fields for r in parser.feed(text) + parser.finish() if not r.problem]


def _named(character: str) -> str:
    return {"\t": "tab", ".": "point"}.get(character, f"'{visible(character)}'")
