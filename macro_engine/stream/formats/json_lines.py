"""JSON lines: an object for each line, whose keys are the columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.state import State, whole
from macro_engine.stream.formats.dialect import check_encoding
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.formats.text_file import CHUNK, TextFile
from macro_engine.stream.spec import check_width
from macro_engine.stream.table import Problem, Rejection, Table

_SAMPLE = 500
_SHOWN = 200  # characters of what is no object
Object = dict[str, Any]
_DECODE = json.JSONDecoder(parse_float=str, parse_int=str).decode  # numbers as they are written


class JsonLinesFile(TextFile):
    """A file of JSON objects, plain or compressed.

    The columns are the keys of the first lines, in the order in which they come. A key that a
    line lacks, and null, is a missing value.
    """

    description: None = None

    def __init__(self, path: Path, encoding: str | None = None) -> None:
        super().__init__(path, encoding)
        self.notes: list[str] = []
        self.names: list[str] = []
        with self.open() as file:
            data = self.first_lines(file, _SAMPLE)
        check_encoding(data, path)
        objects, broken = _parsed(data.split(b"\n")[: _SAMPLE + 1], 0, path.name)
        if not objects:
            why = f"; the first: {broken[0]}" if broken else ""
            raise MacroError(
                f"{visible(path)}: none of the first lines is a JSON object with keys for columns"
                f"{why}"
            )
        keys = dict.fromkeys(key for found, _ in objects for key in found)
        check_width(len(keys), path)
        for name in keys:
            if any(isinstance(found.get(name), dict | list) for found, _ in objects):
                self.notes.append(f"'{visible(name)}' is left out: it holds lists or objects")
            else:
                self.names.append(name)
        self.position = 0

    def sample(self, rows: int) -> Table:
        """The first rows, with all columns."""
        with self.open() as file:
            data = self.first_lines(file, rows)
        self.position = 0
        return self._table(data.split(b"\n")[:rows], self.names, 0, {})

    def tables(self, columns: Sequence[str], at: State | None = None) -> Iterator[Table]:
        """The rows from a position on, or all of them, with the named columns."""
        place, lines, partial = 0, 0, b""
        with self.open() as file:
            if at is not None:
                place, lines = whole(at, "byte"), whole(at, "line")
                self.skip_to(file, place)
            while data := self.read(file, CHUNK):
                place = place or self.skipped
                *whole_lines, partial = (partial + data).split(b"\n")
                place += sum(map(len, whole_lines)) + len(whole_lines)
                end = {"byte": place, "line": lines + len(whole_lines)}
                if whole_lines:
                    yield self._table(whole_lines, columns, lines, end)
                lines += len(whole_lines)
            if partial:
                end = {"byte": place + len(partial), "line": lines + 1}
                yield self._table([partial], columns, lines, end)

    def _table(
        self, lines: Sequence[bytes], columns: Sequence[str], before: int, end: State
    ) -> Table:
        objects, broken = _parsed(lines, before, self.path.name)
        return Table(
            self.path.name,
            self.unit,
            {
                name: TextColumn([text_of(found.get(name)) for found, _ in objects])
                for name in columns
            },
            np.array([line for _, line in objects], np.int64),
            broken,
            end,
        )


def _parsed(
    lines: Sequence[bytes], before: int, file: str
) -> tuple[list[tuple[Object, int]], list[Rejection]]:
    """The objects with the numbers of their lines, and what is none; blank lines are nothing."""
    objects, broken = [], []
    for number, line in enumerate(lines, start=before + 1):
        if not line.strip():
            continue
        found = object_of(line)
        if isinstance(found, Problem):
            broken.append(Rejection(file, number, TextFile.unit, None, found))
        else:
            objects.append((found, number))
    return objects, broken


def object_of(line: bytes) -> Object | Problem:
    """The object that a text holds, with numbers as they are written; or what is wrong with it."""
    try:
        found = _DECODE(line.decode())
    except UnicodeDecodeError as error:
        bad = line[error.start : error.start + 1].hex()
        return Problem(f"is not UTF-8 (byte 0x{bad})", _shown(line))
    except (ValueError, RecursionError) as error:
        return Problem(f"is not JSON ({visible(getattr(error, 'msg', error))})", _shown(line))
    if not isinstance(found, dict):
        return Problem("is not a JSON object", _shown(line))
    if b"\\u" in line and not _can_be_written(found):
        return Problem("holds half a character (a surrogate alone)", _shown(line))
    return found


def _can_be_written(found: Object) -> bool:
    """Whether all its texts are texts: escapes can spell what no file can hold."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(line: bytes) -> str:
    return line[: 4 * _SHOWN].decode(errors="backslashreplace")[:_SHOWN]


def text_of(value: Any) -> str:
    """A value as a column of text has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)
