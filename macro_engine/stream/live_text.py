"""CSV text that grows: bytes as they come, tables of whole records as soon as they are there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from macro_engine.state import State, flag, texts, whole
from macro_engine.stream.csv import (
    BOM,
    LONGEST_FIELD,
    CsvParser,
    Dialect,
    Record,
    column_names,
    table_of,
)
from macro_engine.stream.table import Problem, Table
from macro_engine.visible import visible

LONGEST_LINE = LONGEST_FIELD  # bytes that may wait for the end of their record
HEAD = 1024  # first bytes by which a text is known again
_SHOWN = 200  # bytes of a line that is turned away


@dataclass(frozen=True)
class Layout:
    """How the text is written, the names of its columns in order, and those that are needed."""

    dialect: Dialect
    names: Sequence[str]
    needed: Sequence[str]


class LiveText:
    """One text, from its start or from a position on.

    A line that names all the columns that are needed is a header, wherever it stands: columns may
    come in another order from there on. A text without one goes on in the order known before.

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
    head
        The first bytes before that position.
    """

    def __init__(
        self,
        name: str,
        layout: Layout,
        say: Callable[[str], None],
        position: State | None = None,
        head: bytes = b"",
    ) -> None:
        self.name = name
        self.dialect, self.needed = layout.dialect, layout.needed
        self.names = list(layout.names)
        self.say = say
        self.head = head
        self.skipping = False  # the rest of a line that is too long
        self.nuls = 0  # in the run that is being skipped
        self.parser = CsvParser(self.dialect.delimiter, len(self.names))
        if position is not None:
            self.names = texts(position, "names")
            self.parser.width = len(self.names)
            self.parser.bytes, self.parser.lines = whole(position, "byte"), whole(position, "line")
            self.skipping = flag(position, "skipping")

    @property
    def taken(self) -> int:
        """How many bytes were taken."""
        return self.parser.bytes

    def position(self) -> State:
        """Where the first record starts that was not given out yet."""
        where = self.parser.position
        length = min(int(where["byte"]), HEAD)
        return where | {
            "head_bytes": length,
            "head": fingerprint(self.head[:length]),
            "names": self.names,
            "skipping": self.skipping,
        }

    def take(self, data: bytes) -> list[Table]:
        """The records that these bytes complete."""
        self.head += data[: HEAD - len(self.head)]
        if self.taken == 0 and data.startswith(BOM):
            self.parser.bytes = len(BOM)
            data = data[len(BOM) :]
        records: list[Record] = []
        while data:
            if self.skipping:
                data = self._skip_line(data)
            elif data.startswith(b"\0") and not self.parser.waiting:
                data = self._skip_nuls(data)
            else:
                # up to a run of NUL bytes at the start of a line
                end = data.find(b"\n\0") + 1 or len(data)
                records += self._feed(data[:end])
                data = data[end:]
        return self._tables(records)

    def finish(self) -> list[Table]:
        """The records left at the end; the last line may lack its newline."""
        return self._tables(self.parser.finish())

    def abandon(self) -> list[Table]:
        """The records left when the text is gone for good: half a line is turned away."""
        records = self.parser.give_up_quote()
        if self.parser.partial:
            problem = Problem("is half a line: the file ended in it", _shown(self.parser.partial))
            records.append(Record(self.parser.lines + 1, [], problem))
            self.parser.partial = b""
        return self._tables(records)

    def _feed(self, data: bytes) -> list[Record]:
        if self.nuls:
            self.say(f"{self.nuls:,} NUL bytes before line {self.parser.lines + 1} were skipped")
            self.nuls = 0
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
        return records

    def _skip_line(self, data: bytes) -> bytes:
        end = data.find(b"\n") + 1
        self.parser.bytes += end or len(data)
        if not end:
            return b""
        self.skipping = False
        self.parser.lines += 1
        return data[end:]

    def _skip_nuls(self, data: bytes) -> bytes:
        rest = data.lstrip(b"\0")
        self.nuls += len(data) - len(rest)
        self.parser.bytes += len(data) - len(rest)
        return rest

    def _tables(self, records: list[Record]) -> list[Table]:
        """The rows among the records; those of one table have their columns in one order."""
        tables = []
        rows: list[Record] = []
        known = set(self.names)
        for record in records:
            may_be_header = record.line == 1 or (record.fields and record.fields[0] in known)
            if may_be_header and self._is_header(record):
                tables.append(self._table(rows))
                rows = []
                self._take_header(record)
                known = set(self.names)
            else:
                rows.append(record)
        tables.append(self._table(rows))
        return [table for table in tables if len(table) or table.broken]

    def _table(self, rows: list[Record]) -> Table:
        return table_of(rows, self.names, self.needed, self.dialect, self.name, {})

    def _is_header(self, record: Record) -> bool:
        names = column_names(record.fields)
        return set(self.needed) <= set(names) and len(set(names)) == len(names)

    def _take_header(self, record: Record) -> None:
        names = column_names(record.fields)
        where = f"line {record.line}"
        if names == self.names:
            if record.line > 1:
                self.say(f"{where} repeats the header: skipped")
            return
        same = sorted(names) == sorted(self.names)
        shown = ", ".join(visible(name, 30) for name in names[:20])
        self.say(
            f"{where}: the columns are {'in another order' if same else 'others'} from here on: "
            f"{shown}"
        )
        self.names = names
        self.parser.width = len(names)


def is_cut_bom(start: bytes) -> bool:
    """Whether these first bytes of a text are a part of a byte order mark."""
    return len(start) < len(BOM) and BOM.startswith(start)


def fingerprint(head: bytes) -> str:
    return hashlib.sha256(head).hexdigest()[:32]


def _shown(line: bytes) -> str:
    return line[:_SHOWN].decode(errors="backslashreplace")
