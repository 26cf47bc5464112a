"""The dialect of a CSV: its delimiter, its decimal mark and its header."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.stream.formats.csv_parser import CsvParser
from macro_engine.stream.formats.text_column import CURRENCY, THOUSANDS, looks_like_data
from macro_engine.stream.spec import check_width
from macro_engine.stream.table import MISSING

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_LINES = 500
_FEW_LINES = 20
_LEAST_BELOW = 3  # rows by which a first line is judged
_LINES_BELOW, _FIELDS_BELOW = 100, 20_000  # of them, at most
_MOST_ABOVE = 1 << 16  # bytes above a header


class HeaderError(MacroError):
    """A first line that names no columns, or names some alike; `names` are those it might have."""

    def __init__(self, text: str, names: list[str], is_row: bool) -> None:
        super().__init__(text)
        self.names = names
        self.is_row = is_row


@dataclass(frozen=True)
class Dialect:
    """The dialect of a CSV file; `encoding` is None for UTF-8."""

    delimiter: str = ","
    decimal: str = "."
    encoding: str | None = None


def check_encoding(data: bytes, path: Path) -> None:
    """Refuse what is not lines of UTF-8, judged by the first bytes."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise MacroError(
            f"{visible(path)}, line 1: this is UTF-16, which replay reads and tail does not; "
            "convert it to UTF-8, as in iconv -f UTF-16 -t UTF-8"
        )
    if b"\0" in data[:1024]:
        raise MacroError(
            f"{visible(path)} is not text: it holds NUL bytes; if it is UTF-16, replay reads it "
            "with --encoding utf-16-le or utf-16-be"
        )
    if b"\n" not in data and b"\r" in data:
        raise MacroError(
            f"{visible(path)}: its lines end in CR alone; convert it, as in tr '\\r' '\\n'"
        )


def preamble_of(head: list[bytes]) -> tuple[int, str | None]:
    """How many lines stand above the header, and the delimiter that Excel's `sep=` names there.

    A line that begins with # may be the header itself: if data of as many fields follow.

    >>> preamble_of([b"# made today", b"sep=;", b"a;b", b"1;2", b""])
    (2, ';')
    """
    separator, lines, bytes_ = None, 0, 0
    for number, line in enumerate(head[:-1], start=1):
        bytes_ += len(line) + 1
        found = re.fullmatch(rb"sep=([,;|\t])\s*", line)
        if bytes_ > _MOST_ABOVE or not (found or line.startswith(b"#") or not line.strip()):
            break
        if found:
            separator = found[1].decode()
        if line.strip():
            lines = number
    if not lines or not head[lines - 1].startswith(b"#"):
        return lines, separator
    rest = head[lines - 1 :]
    rows = _rows(b"\n".join(rest[:2]), separator or sniff(rest[1:]).delimiter)
    is_header = len(rows) == 2 and len(rows[0]) == len(rows[1]) > 1 and _is_data(rows[1])
    return lines - is_header, separator


def header_of(head: list[bytes], delimiter: str, path: Path, above: int = 0) -> list[str]:
    """The names of the columns, given the first lines of a file, below those above the header."""
    parser = CsvParser(delimiter)
    records = parser.feed_first(b"\n".join(head))[0] or parser.finish()
    where = f"{visible(path)}, line {above + records[0].line}"
    if records[0].problem:
        raise MacroError(f"{where}: the header cannot be read: {records[0].problem}")
    names = column_names(records[0].fields)
    check_width(len(names), path)
    few = max(_LEAST_BELOW, min(_LINES_BELOW, _FIELDS_BELOW // len(names)))
    if is_row(records[0].fields, _rows(b"\n".join(head[1 : few + 1]), delimiter)):
        numbered = [f"c{i}" for i in range(1, len(names) + 1)]
        text = (
            f"{where}: this looks like data, not like the names of columns; put a header line "
            f"first, or name the {len(names)} columns in their order, as in --columns "
            f"{','.join(numbered[: min(len(names) - 1, 3)])}{',...' * (len(names) > 4)}"
            f"{',label' * (len(names) > 1)}"
        )
        raise HeaderError(text, numbered, is_row=True)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        told_apart = apart(names)
        columns = shlex.quote(",".join(told_apart))
        text = (
            f"{where}: {Counter(names)[twice[0]]} columns are called '{visible(twice[0])}'; "
            f"rename all but one, or name all of them, as in --columns {visible(columns, 2_000)}"
        )
        raise HeaderError(text, told_apart, is_row=False)
    return names


def apart(names: Sequence[str]) -> list[str]:
    """Names that came several times, told apart by numbers.

    >>> apart(["a", "b", "a", "a_2", "a"])
    ['a', 'b', 'a_3', 'a_2', 'a_4']
    """
    names = [name.replace(",", " ") for name in names]  # a comma stands between names
    taken, found = set(names), list[str]()
    for name in names:
        number = 1
        while name in found:
            number += 1
            other = f"{name}_{number}"
            name = name if other in taken else other
        taken.add(name)
        found.append(name)
    return found


def is_row(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first line is a row like those below it, not a header.

    It is one if its texts are values of their columns, and its numbers stand above numbers.

    >>> below = [["1", "5", "red"], ["2", "7", "blue"], ["0", "2", "red"]]
    >>> is_row(["0", "1", "red"], below), is_row(["0", "1", "color"], below)
    (True, False)
    """
    first = [field.strip() for field in first]
    rows = [[f.strip() for f in row] for row in below if len(row) == len(first)]
    rows = [row for row in rows if row != first]  # a header may come again
    if len(rows) < _LEAST_BELOW:
        return _is_data(first)
    columns = list(zip(*rows, strict=True))
    for field, values in zip(first, columns, strict=True):
        there = [value for value in values if value not in MISSING]
        if looks_like_data(field) and 2 * sum(map(looks_like_data, there)) < len(there):
            return False
    texts = [i for i, field in enumerate(first) if field and not looks_like_data(field)]
    if texts and all(first[i] in columns[i] for i in texts):
        return True
    counted = list(map(str, range(len(first))))
    return _is_data(first) and not (len(first) > _LEAST_BELOW and first == counted)


def _is_data(fields: Sequence[str]) -> bool:
    """Whether most fields are those of a row, not names."""
    values = [field.strip() for field in fields if looks_like_data(field.strip())]
    counted = (list(map(str, range(first, first + len(values)))) for first in (0, 1))
    if len(values) < len(fields) and values in counted:
        return False  # columns that are called by their numbers, beside others that have names
    return 2 * len(values) > len(fields)


def begins_with(head: list[bytes], delimiter: str, names: Sequence[str]) -> bool:
    """Whether the first line is a header: it names these columns, or some of its own alike."""
    first = _rows(b"\n".join(head[:1]), delimiter)
    found = column_names(first[0]) if first else []
    if len(set(found)) == len(found) or len(found) != len(names):
        return bool(found) and found == list(names)
    return not is_row(first[0], _rows(b"\n".join(head[1:_LINES_BELOW]), delimiter))


def check_given(names: Sequence[str], head: list[bytes], delimiter: str, path: Path) -> None:
    """Refuse names of columns that do not fit the first lines."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise UsageError(f"--columns names '{visible(twice[0])}' twice")
    widths = Counter(len(row) for row in _rows(b"\n".join(head[:_FEW_LINES]), delimiter))
    if widths and len(names) not in widths:
        raise UsageError(
            f"--columns names {len(names)} columns; the first lines of {visible(path)} have "
            f"{widths.most_common(1)[0][0]} fields"
        )


def column_names(fields: Sequence[str]) -> list[str]:
    """The fields of a header as names; an empty one is named by its place."""
    return [name.strip() or f"column{i}" for i, name in enumerate(fields, start=1)]


def sniff(head: list[bytes], delimiter: str | None = None) -> Dialect:
    """The delimiter that cuts the first lines most alike, and whether numbers have a comma.

    >>> sniff([b"a;b", b"1,5;2", b"2,5;3", b""])
    Dialect(delimiter=';', decimal=',', encoding=None)
    """
    sample = head[:SAMPLE_LINES] if len(head) > SAMPLE_LINES else head[:-1] or head
    text = b"\n".join(sample)
    if delimiter is None:  # one that comes nowhere cuts nothing
        found = [d for d in DELIMITERS if d.encode() in text]
        delimiter = max(found, key=lambda d: _agreement(text, d), default=DELIMITERS[0])
    if delimiter == ",":
        return Dialect(delimiter)
    fields = [f.strip(f" %{CURRENCY}\t") for r in _rows(text, delimiter)[1:] for f in r]
    commas = sum(
        re.fullmatch(r"[+-]?(\d*|\d{1,3}(\.\d{3})+),\d+", field) is not None
        and not THOUSANDS.fullmatch(field)
        for field in fields
    )
    points = sum(re.fullmatch(r"[+-]?\d*\.\d+", field) is not None for field in fields)
    return Dialect(delimiter, "," if commas > points else ".")


def _agreement(text: bytes, delimiter: str) -> tuple[float, int]:
    """Returns the number of lines with as many fields as the first, if that has several."""
    widths = [len(row) for row in _rows(text, delimiter)]
    if not widths or widths[0] < 2:
        return (0.0, 0)
    return (widths.count(widths[0]) / len(widths), widths[0])


def _rows(text: bytes, delimiter: str) -> list[list[str]]:
    parser = CsvParser(delimiter)
    return [r.fields for r in parser.feed(text) + parser.finish() if not r.problem]


def misfit(head: list[bytes], names: Sequence[str], delimiter: str) -> str | None:
    """Returns what is wrong with the header, given it and the next lines; None if it fits."""
    text = b"\n".join(head[1 : _FEW_LINES + 1])
    if len(names) > 1:
        widths = Counter(len(row) for row in _rows(text, delimiter))
        width, count = widths.most_common(1)[0] if widths else (len(names), 0)
        if width == len(names) or 2 * count <= widths.total():
            return None
        return (
            f"the header has {len(names)} names and the lines below it have {width} fields: write "
            'a name for each into the header, or put fields that hold the delimiter in "quotes"'
        )
    if any(_agreement(text, d)[1] > 1 for d in DELIMITERS):
        return "the first line has no columns: is it a title? Remove what stands above the header"
    if b" " in text:
        return "there is one column; write a comma between columns, as in tr -s ' ' ','"
    return None


def named(character: str) -> str:
    return {"\t": "tab", ".": "point"}.get(character, f"'{visible(character)}'")
