"""The CSV parser: takes bytes, and returns complete records with their line numbers.

A record is parsed once its last line is complete. Quoted newlines, BOM, CRLF and multi-byte
characters cut in two are taken care of here.
"""

from __future__ import annotations

import csv
from collections import deque
from dataclasses import dataclass

from macro_engine.core.state import State
from macro_engine.stream.formats.text_column import looks_like_data
from macro_engine.stream.table import Problem

BOM = b"\xef\xbb\xbf"
_LONGEST_RECORD = 1_000  # lines that a quoted field may span before the quote counts as stray
_ROWS_INSIDE = 3  # lines in succession inside quotes that are rows by themselves: so does it then
LONGEST_FIELD = 1 << 24
_NOTHING = (b"", memoryview(b""))

csv.field_size_limit(LONGEST_FIELD)


@dataclass(frozen=True)
class Record:
    """A record: its fields, or its problem, and its first line."""

    line: int
    fields: list[str]
    problem: Problem | None = None


class CsvParser:
    """Cuts a growing sequence of bytes into records.

    `width` is the number of fields that a record should have, once that is known: a record of
    several lines that has another number of them began with a stray quote. `encoding` has one
    byte a character; None for UTF-8.
    """

    def __init__(
        self, delimiter: str, width: int | None = None, encoding: str | None = None
    ) -> None:
        self.delimiter = delimiter
        self.encoding = encoding or "utf-8"
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
        """The unconsumed bytes."""
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

    def feed_first(self, data: bytes) -> tuple[list[Record], bytes]:
        """The first record of these bytes, with those that came with it, and the bytes after."""
        place = 0
        while place < len(data):
            end = data.find(b"\n", place) + 1 or len(data)
            records = self.feed(data[place:end])
            place = end
            if records:
                return records, data[place:]
        return [], b""

    def whole_lines(self, data: bytes) -> tuple[bytes, memoryview]:
        """The lines that these bytes would complete, in two parts, none of which is a copy.

        There are none while a record is inside quotes.
        """
        end = data.rfind(b"\n") + 1
        return (self.partial, memoryview(data)[:end]) if end and not self.quoted else _NOTHING

    def pass_over(self, data: bytes, lines: int) -> None:
        """Skips bytes whose lines were read by other means."""
        self.bytes += len(data)
        self.partial = data[data.rfind(b"\n") + 1 :]
        self.lines += lines

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
            texts = [line.decode(self.encoding) for line in lines]
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
            text = whole.decode(self.encoding)
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
            text = raw.removesuffix(b"\r").decode(self.encoding)
        except UnicodeDecodeError as error:
            bad = raw[error.start : error.start + 1].hex()
            named = "UTF-8" if self.encoding == "utf-8" else self.encoding
            return Record(number, [], Problem(f"is not {named} (byte 0x{bad})", _text(raw)))
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
