"""A growing CSV text: takes bytes, and returns tables of complete records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from macro_engine.core.declared import Declared, Flag, Integer, Text, Texts
from macro_engine.core.escape import visible
from macro_engine.core.state import DamagedError, State
from macro_engine.stream.formats.csv import clean_table, table_of
from macro_engine.stream.formats.csv_parser import BOM, LONGEST_FIELD, CsvParser, Record
from macro_engine.stream.formats.dialect import Dialect, column_names
from macro_engine.stream.formats.text_column import looks_like_data
from macro_engine.stream.live.fingerprint import Fingerprint, Match, Read
from macro_engine.stream.table import Problem, Table

LONGEST_LINE = LONGEST_FIELD  # bytes that may wait for the end of their record
_LARGE = 1 << 15  # bytes that came at once, from which on Polars is the faster one
_SHOWN = 200  # bytes of a line that is turned away
_MANY_LINES = 20  # inside quotes, until it is said
_NULS = re.compile(rb"\0+")


@dataclass(frozen=True)
class CsvColumns:
    """The dialect, the names of all columns in order, and the needed ones."""

    dialect: Dialect
    names: Sequence[str]
    needed: Sequence[str]


@dataclass(frozen=True)
class TextPosition:
    """Where the first record starts that was not given out yet, and how to read on from there."""

    fingerprint: Fingerprint
    line: int
    names: list[str]
    skipping: bool = False  # the rest of a line
    refused: str | None = None  # what is wrong with the last header

    remembers: ClassVar = Declared(
        Integer("line"), Texts("names"), Flag("skipping"), Text("refused", optional=True)
    )

    @property
    def has_rows(self) -> bool:
        """Whether more was read than a header, by which texts are not told apart."""
        return self.line >= 2

    def renewed(self, read: Read) -> TextPosition:
        """The same place in a text that was changed before it; it may be amid a line there."""
        fingerprint = self.fingerprint.renewed(read)
        is_amid = fingerprint != self.fingerprint and not fingerprint.behind.endswith(b"\n")
        return replace(self, fingerprint=fingerprint, skipping=self.skipping or is_amid)

    def state(self) -> State:
        return self.fingerprint.state() | self.remembers.state_of(self)

    @staticmethod
    def restored(state: State, needed: Sequence[str]) -> TextPosition:
        position = TextPosition(Fingerprint.restored(state), **TextPosition.remembers.read(state))
        if not set(needed) <= set(position.names):
            raise DamagedError("in its state the columns are not those of the stream")
        return position


class LiveText:
    """One text, from its start or from a position on.

    A line that names all the columns that are needed is a header, wherever it stands: columns may
    come in another order from there on. A text without one goes on in the order known before; one
    that begins with a header that lacks some of them has no rows until a better one comes.

    Parameters
    ----------
    name
        What rows are said to come from.
    layout
        The columns as they were before this text.
    say
        Takes a line of text about what happened to the text.
    position
        Where to go on; None at the start.
    """

    def __init__(
        self,
        name: str,
        layout: CsvColumns,
        say: Callable[[str], None],
        position: TextPosition | None = None,
    ) -> None:
        position = position or TextPosition(Fingerprint(), 0, list(layout.names))
        self.name = name
        self.dialect, self.needed = layout.dialect, layout.needed
        self.say = say
        self.fingerprint = position.fingerprint
        self.names = position.names
        self.skipping, self.refused = position.skipping, position.refused
        self.nuls = self.nuls_line = 0  # skipped, and not said yet
        self.quote_said = 0  # the line that opened it
        self.parser = CsvParser(self.dialect.delimiter, encoding=self.dialect.encoding)
        self.parser.bytes, self.parser.lines = position.fingerprint.byte, position.line
        self.has_begun = position.line > 0  # the first record, which may be a header, was seen
        self._set_width()

    @property
    def taken(self) -> int:
        """How many bytes were taken."""
        return self.parser.bytes

    @property
    def layout(self) -> CsvColumns:
        """That of a text that comes after this one."""
        return CsvColumns(self.dialect, self.names, self.needed)

    def position(self) -> TextPosition:
        line = int(self.parser.position["line"])
        return TextPosition(self.fingerprint, line, self.names, self.skipping, self.refused)

    def is_in(self, read: Read) -> bool:
        """Whether a text that is read from outside holds all that was taken."""
        return self.fingerprint.moved(self.parser.held).likeness(read) is Match.SAME

    def take(self, data: bytes) -> list[Table]:
        """The records that these bytes complete."""
        stretch = self.parser.held + data
        place = 0
        if self.taken == 0 and data.startswith(BOM):
            place = self.parser.bytes = len(BOM)
        tables: list[Table] = []
        records: list[Record] = []
        while place < len(data):
            if self.skipping:
                place = self._skip_line(data, place)
            elif data[place] == 0 and not self.parser.waiting:
                place = self._skip_nuls(data, place)
            elif not self.has_begun:  # line by line: it may change the number of fields
                end = data.find(b"\n", place) + 1 or len(data)
                tables += self._tables(self._feed(data[place:end]))
                place = end
            else:
                # up to a run of NUL bytes at the start of a line
                end = data.find(b"\n\0", place) + 1 or len(data)
                if (table := self._clean(data[place:end])) is not None:
                    tables += [*self._tables(records), table]
                    records = []
                else:
                    records += self._feed(data[place:end])
                place = end
        tables += self._tables(records)
        self._move(stretch)
        self._say_what_was_skipped()
        return tables

    def finish(self) -> list[Table]:
        """The records left at the end; the last line may lack its newline."""
        stretch = self.parser.held
        tables = self._tables(self.parser.finish())
        self._move(stretch)
        return tables

    def abandon(self) -> list[Table]:
        """Returns the last records when the text ends for good: half a line is rejected."""
        stretch = self.parser.held
        records = self.parser.give_up_quote()
        if self.parser.partial:
            problem = Problem("is half a line: the file ended in it", _shown(self.parser.partial))
            records.append(Record(self.parser.lines + 1, [], problem))
            self.parser.partial = b""
        tables = self._tables(records)
        self._move(stretch)
        return tables

    def _move(self, stretch: bytes) -> None:
        """Set the fingerprint, given the bytes after it."""
        self.fingerprint = self.fingerprint.moved(
            stretch[: self.parser.position["byte"] - self.fingerprint.byte]
        )

    def _clean(self, data: bytes) -> Table | None:
        """The rows that these bytes complete, if they are many, clean, and no header is there."""
        if len(data) < _LARGE or self.refused is not None:
            return None
        text = self.parser.partial + data
        if all(name.encode() in text for name in self.needed):
            return None
        return clean_table(self.parser, data, self.names, self.needed, self.dialect, self.name)

    def _feed(self, data: bytes) -> list[Record]:
        records = self.parser.feed(data)
        if self.parser.waiting > LONGEST_LINE and self.parser.quoted:
            records += self.parser.give_up_quote()
        if self.parser.waiting > LONGEST_LINE:
            problem = Problem(
                f"is longer than {LONGEST_LINE >> 20} MB", _shown(self.parser.partial)
            )
            records.append(Record(self.parser.lines + 1, [], problem))
            self.parser.partial = b""
            self.skipping = True
        quoted = len(self.parser.quoted)
        opened = self.parser.lines - quoted + 1
        if quoted >= _MANY_LINES and opened != self.quote_said:
            self.quote_said = opened
            self.say(f"line {opened} opens a quote: waiting for its end")
        return records

    def _skip_line(self, data: bytes, place: int) -> int:
        end = data.find(b"\n", place) + 1
        self.parser.bytes += (end or len(data)) - place
        if end:
            self.skipping = False
            self.parser.lines += 1
        return end or len(data)

    def _skip_nuls(self, data: bytes, place: int) -> int:
        run = _NULS.match(data, place)
        assert run is not None
        if not self.nuls:
            self.nuls_line = self.parser.lines + 1
        self.nuls += run.end() - place
        self.parser.bytes += run.end() - place
        return run.end()

    def _say_what_was_skipped(self) -> None:
        """Of NUL bytes, once something else has come after them."""
        if self.nuls and (self.parser.waiting or self.parser.lines >= self.nuls_line):
            self.say(f"{self.nuls:,} NUL bytes from line {self.nuls_line} on were skipped")
            self.nuls = 0

    def _tables(self, records: list[Record]) -> list[Table]:
        """The rows among the records; those of one table have their columns in one order."""
        tables = []
        rows: list[Record] = []
        known = set(self.names)
        for record in records:
            is_first, self.has_begun = not self.has_begun, True
            may_be_header = is_first or (record.fields and record.fields[0] in known)
            if may_be_header and self._is_header(record):
                tables.append(self._table(rows))
                rows = []
                self._take_header(record)
                known = set(self.names)
            elif is_first and (problem := self._refusal(record)):
                self.refused = problem
                self.say(f"line {record.line}: {problem}: rows are rejected until it is right")
            else:
                rows.append(record)
            if is_first:
                self._set_width()
        tables.append(self._table(rows))
        return [table for table in tables if len(table) or table.broken]

    def _table(self, rows: list[Record]) -> Table:
        if self.refused is not None:
            problem = Problem(self.refused)
            rows = [replace(row, problem=row.problem or problem) for row in rows]
        return table_of(rows, self.names, self.needed, self.dialect, self.name, {})

    def _set_width(self) -> None:
        """Have records of another number of fields told from whole ones, where that is known."""
        is_known = self.has_begun and self.refused is None
        self.parser.width = len(self.names) if is_known else None

    def _is_header(self, record: Record) -> bool:
        names = column_names(record.fields)
        return set(self.needed) <= set(names) and len(set(names)) == len(names)

    def _refusal(self, record: Record) -> str | None:
        """What is wrong with a first record that names some columns, and so is no row."""
        names = column_names(record.fields)
        if not set(self.needed) & set(names) or any(map(looks_like_data, names)):
            return None
        counts = Counter(names)
        missing = [name for name in self.needed if name not in counts]
        if missing:
            return f"the header lacks the column '{visible(missing[0])}'"
        twice = next(name for name, count in counts.items() if count > 1)
        return f"the header names '{visible(twice)}' twice"

    def _take_header(self, record: Record) -> None:
        names = column_names(record.fields)
        where = f"line {record.line}"
        was_refused, self.refused = self.refused is not None, None
        if names == self.names:
            if was_refused:
                self.say(f"{where}: the header is right again")
            elif record.line > 1:
                self.say(f"{where} repeats the header: skipped")
        else:
            same = sorted(names) == sorted(self.names)
            shown = ", ".join(visible(name, 30) for name in names[:20])
            self.say(
                f"{where}: the columns are {'in another order' if same else 'different'} from here "
                f"on: {shown}"
            )
        self.names = names
        self._set_width()


def is_cut_bom(start: bytes) -> bool:
    """Whether these first bytes of a text are the start of a byte order mark."""
    return len(start) < len(BOM) and BOM.startswith(start)


def _shown(line: bytes) -> str:
    return line[:_SHOWN].decode(errors="backslashreplace")
