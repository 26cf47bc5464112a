"""The first lines of a growing file or of a pipe, and the source that follows them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.options.settings import Settings
from macro_engine.stream.encode import SAMPLE
from macro_engine.stream.formats.csv import table_of
from macro_engine.stream.formats.csv_parser import BOM, CsvParser
from macro_engine.stream.formats.dialect import (
    Dialect,
    begins_with,
    check_encoding,
    check_given,
    header_of,
    sniff,
)
from macro_engine.stream.formats.encodings import (
    encoding_of,
    first_undecodable,
    one_byte_encoding,
)
from macro_engine.stream.formats.text_file import PIECE
from macro_engine.stream.infer import COLUMN_OPTIONS, lacking_options
from macro_engine.stream.live.live_text import LONGEST_LINE, CsvColumns
from macro_engine.stream.live.rotation import FoundFile
from macro_engine.stream.live.standard_input import NAME, Pipe, StandardInput
from macro_engine.stream.live.tail import TailSource
from macro_engine.stream.source import Beginning, Origin, Say, Source, Wait
from macro_engine.stream.spec import StreamSpec
from macro_engine.stream.time_formats import AmbiguousError, format_of

_NULS = re.compile(rb"(?<![^\n])\0+")  # at the start of a line, where reading skips them
_OTHERS = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"\x1f\x8b": "compressed",
    b"BZh": "compressed",
    b"\xfd7zXZ": "compressed",
    b"\x28\xb5\x2f\xfd": "compressed",
    b'{"': "JSON lines",
}

# The first lines as far as they are there, why there are none, whether no more come.
FirstBytes = Callable[[], tuple[bytes, str | None, bool]]


class _LiveCsv(Origin):
    """CSV that comes line by line."""

    def begin(self, settings: Settings, wait: Wait) -> Beginning:
        return _FirstLines(self.path, self.look, settings, wait).read()

    def look(self) -> tuple[bytes, str | None, bool]:
        raise NotImplementedError

    def layout(self, names: list[str], spec: StreamSpec, settings: Settings) -> CsvColumns:
        spec.check(names, self.path)
        given = settings.get("encoding")
        encoding = None if given is None else one_byte_encoding(given)
        dialect = Dialect(settings["delimiter"], settings["decimal"], encoding)
        return CsvColumns(dialect, names, spec.columns)


class FileOrigin(_LiveCsv):
    """A CSV file that grows.

    Parameters
    ----------
    from_now
        Whether to leave out what is in the file already.
    """

    def __init__(self, path: Path, from_now: bool = False) -> None:
        self.path = path
        self.paths = [path]
        self.after = FoundFile.at(path) if from_now else None

    def await_it(self, wait: Wait) -> None:
        while not self.path.exists():
            wait("there is no such file yet: waiting for it")

    def look(self) -> tuple[bytes, str | None, bool]:
        try:
            with self.path.open("rb") as file:
                data = file.read(PIECE)
                while data.count(b"\n") <= SAMPLE and (more := file.read(PIECE)):
                    data += more
                    if len(data) > LONGEST_LINE:
                        break
        except OSError as error:
            return b"", f"it cannot be read yet ({visible(error.strerror)}): waiting", False
        return data, None, False

    def connect(self, names: list[str], spec: StreamSpec, settings: Settings, say: Say) -> Source:
        return TailSource(self.path, self.layout(names, spec, settings), say, self.after)


class PipeOrigin(_LiveCsv):
    """CSV that comes through a pipe."""

    path = Path(NAME)

    def __init__(self, pipe: Pipe) -> None:
        self.pipe = pipe

    def look(self) -> tuple[bytes, str | None, bool]:
        try:
            self.pipe.fill()
        except OSError as error:
            raise MacroError(f"{NAME} cannot be read: {visible(error.strerror)}") from None
        return self.pipe.waiting, None, self.pipe.has_ended

    def connect(self, names: list[str], spec: StreamSpec, settings: Settings, say: Say) -> Source:
        return StandardInput(self.pipe, self.layout(names, spec, settings), say)


class _FirstLines:
    """The first lines of a live stream, from which its columns and all guesses come."""

    def __init__(self, path: Path, look: FirstBytes, settings: Settings, wait: Wait) -> None:
        self.path = path
        self.look = look
        self.settings = settings
        self.wait = wait

    def read(self) -> Beginning:
        """Wait for what is needed to know the columns, and to guess what was not given."""
        path, settings = self.path, self.settings
        while True:
            data, trouble, has_ended = self.look()
            for magic, what in _OTHERS.items():
                if data.startswith(magic):
                    raise MacroError(
                        f"{visible(path)} is {what}; tail reads plain CSV, replay reads this"
                    )
            data = _NULS.sub(b"", data.removeprefix(BOM)).lstrip(b"\r\n")
            may_grow = not has_ended and len(data) < LONGEST_LINE
            if b"\n" not in data and may_grow:
                self.wait(trouble or "waiting for a header line")
                continue
            if not data.strip():
                raise MacroError(f"{visible(path)} is empty; a header line was expected")
            check_encoding(data, path)
            given = settings.get("encoding")
            guessed = encoding_of(data.split(b"\n")[:-1]) if given is None else None
            encoding = guessed if given is None else one_byte_encoding(given)
            if encoding is not None:
                data = data.decode(encoding, "surrogateescape").encode(errors="surrogateescape")
            if settings.get("sort"):
                raise UsageError("--sort: a live stream cannot be sorted; leave the option out")
            head = data.split(b"\n")
            sniffed = sniff(head, settings.get("delimiter"))
            if may_grow and not CsvParser(sniffed.delimiter).feed(data):
                self.wait("waiting for the rest of the header, which opens a quote")
                continue
            names = settings.get("columns")
            has_header = not names or begins_with(head, sniffed.delimiter, names)
            if names:
                check_given(names, head[:-1] or head, sniffed.delimiter, path)
            else:
                names = header_of(head, sniffed.delimiter, path)
            rows = len(head) - 1 - has_header  # without what follows the last newline
            if rows >= SAMPLE or has_ended:
                break
            if self._must_guess(sniffed):
                what = "which column is what" if self._must_guess_columns() else "numbers from text"
                self.wait(
                    f"waiting for rows that tell {what}, {rows}/{SAMPLE}; "
                    f"{self._lacking(sniffed)} would settle it at once"
                )
            elif self._must_guess_times(head, sniffed, names, has_header):
                self.wait(
                    f"waiting for rows that tell how times are written, {rows}/{SAMPLE}; "
                    "--time-format would settle it at once"
                )
            else:
                break
        return Beginning(
            names,
            lambda: table_of(
                _rows(head, sniffed, has_header), names, names, sniffed, path.name, {}
            ),
            read_as={"delimiter": sniffed.delimiter, "decimal": sniffed.decimal}
            | ({} if guessed is None else {"encoding": codecs.lookup(guessed).name}),
            notes=list(_notes(guessed, head)),
        )

    def _must_guess_columns(self) -> bool:
        return not set(COLUMN_OPTIONS) <= self.settings.values.keys()

    def _must_guess(self, sniffed: Dialect) -> bool:
        """Whether rows are needed to know how to read them."""
        return self._must_guess_columns() or self._must_guess_decimal(sniffed)

    def _must_guess_decimal(self, sniffed: Dialect) -> bool:
        return self.settings.get("decimal") is None and sniffed.delimiter != ","

    def _lacking(self, sniffed: Dialect) -> str:
        decimal = ("decimal",) if self._must_guess_decimal(sniffed) else ()
        return lacking_options(self.settings.values.keys(), (*COLUMN_OPTIONS, *decimal))

    def _must_guess_times(
        self, head: list[bytes], sniffed: Dialect, names: list[str], has_header: bool
    ) -> bool:
        """Whether the times of the column that was named are written in a way of their own."""
        time = self.settings.get("time")
        if time not in names or self.settings.get("time_format") is not None:
            return False
        rows = _rows(head[:-1], sniffed, has_header)
        table = table_of(rows, names, [time], sniffed, self.path.name, {})
        column = table.columns[time]
        try:
            return format_of(column.texts()) is not None
        except AmbiguousError:
            return True


def _notes(guessed: str | None, head: list[bytes]) -> Iterator[str]:
    """What the user should know of the encoding."""
    if guessed is not None:
        yield f"its text is not UTF-8 and is read as {guessed}; --encoding names another"
    elif (number := first_undecodable(head)) is not None:
        yield (
            f"line {number} is not UTF-8 and such lines are rejected; name the "
            "encoding, as in --encoding latin-1"
        )


def _rows(head: list[bytes], dialect: Dialect, has_header: bool) -> list[Any]:
    """The records, after the header if there is one, as many as guesses are made from."""
    parser = CsvParser(dialect.delimiter)
    records = parser.feed(b"\n".join(head)) + parser.finish()
    return records[has_header:][:SAMPLE]
