"""A recording: files that are read from the first row to the last."""

from __future__ import annotations

import codecs
import hashlib
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.state import State, child, whole
from macro_engine.options.settings import Settings
from macro_engine.stream.encode import SAMPLE
from macro_engine.stream.formats.csv import CsvFile
from macro_engine.stream.formats.json_lines import JsonLinesFile
from macro_engine.stream.formats.npy import BreakfastVideo
from macro_engine.stream.formats.parquet import ArrowFile, FrameFile, ParquetFile
from macro_engine.stream.formats.text_file import PACKINGS
from macro_engine.stream.sorting import SortedFile
from macro_engine.stream.source import Beginning, Origin, Say, Source, Wait
from macro_engine.stream.spec import StreamSpec
from macro_engine.stream.table import Table

_ENDS = 1 << 16  # bytes at either end of a file that are compared

StreamFile = CsvFile | JsonLinesFile | FrameFile | BreakfastVideo
_PARQUET, _ARROW = (".parquet", ".pq"), (".arrow", ".feather", ".ipc")
_JSON_LINES, _CSV = (".jsonl", ".ndjson"), (".csv", ".tsv")


def open_file(
    path: Path,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    columns: Sequence[str] | None = None,
    is_shown_only: bool = False,
) -> StreamFile:
    """A recording; its first bytes and its name say what it is."""
    if path.exists() and not path.is_file():
        raise MacroError(f"{visible(path)} is not a regular file; a recording must be one")
    try:
        with path.open("rb") as file:
            magic = file.read(8)
        if not magic:
            raise MacroError(f"{visible(path)} is empty; a recording was expected")
        _refuse(magic, path)
        suffix = path.suffix.lower()
        if magic[:4] == b"PAR1" or suffix in _PARQUET:
            return ParquetFile(path)
        if magic[:6] == b"ARROW1" or suffix in _ARROW:
            return ArrowFile(path)
        if magic[:4] == b"\x93NUM" or suffix == ".npy":
            return BreakfastVideo(path)
        packed = Path(path.stem).suffix.lower() if suffix in PACKINGS else suffix
        if packed in _JSON_LINES or (magic.startswith(b"{") and packed not in _CSV):
            return JsonLinesFile(path, encoding)
        return CsvFile(path, delimiter, decimal, encoding, columns, is_shown_only)
    except FileNotFoundError:
        raise MacroError(f"{visible(path)}: no such file") from None
    except OSError as error:
        raise MacroError(f"{visible(path)} cannot be opened: {visible(error)}") from None


def _refuse(magic: bytes, path: Path) -> None:
    """Say what to do with a file of a kind that is not read."""
    name = shlex.quote(path.name)
    if magic.startswith(b"\xd0\xcf\x11\xe0") or path.suffix.lower() in (".xlsx", ".xlsm", ".ods"):
        raise MacroError(
            f"{visible(path)} is a workbook; save its sheet as CSV (File, Save As, CSV UTF-8) and "
            "read that"
        )
    if magic.startswith(b"PK\x03\x04"):
        raise MacroError(
            f"{visible(path)} is a zip archive; unpack it, as in unzip -p {visible(name)} > "
            f"{visible(path.stem)}{'' if '.' in path.stem else '.csv'}, and read that"
        )
    if magic.startswith(b"[") and path.suffix.lower() == ".json":
        raise MacroError(
            f"{visible(path)} is one JSON array; write an object a line, as in jq -c '.[]' "
            f"{visible(name)} > {visible(path.stem)}.jsonl, and read that"
        )
    if magic.startswith(b"FEA1"):
        raise MacroError(
            f"{visible(path)} is Feather of version 1; write it again as version 2, as in "
            "pandas.read_feather(...).to_feather(...)"
        )


class Recording(Source):
    """The rows of one or more files, in order.

    Parameters
    ----------
    files
        A file boundary does not close a step.
    columns
        Those that are read.
    """

    ends = True
    has_more = True

    def __init__(self, files: Sequence[StreamFile | SortedFile], columns: Sequence[str]) -> None:
        self.files = files
        self.columns = columns
        self.name = ", ".join(visible(file.path) for file in files)
        self.file = 0  # which of the files is being read
        self.place: State | None = None  # in it
        self.tables: Iterator[Table] | None = None

    @property
    def done(self) -> float:
        return sum(file.done for file in self.files) / len(self.files)

    def poll(self) -> list[Table]:
        """One table, as long as there is one."""
        while self.file < len(self.files):
            if self.tables is None:
                self.tables = self.files[self.file].tables(self.columns, self.place)
            table = next(self.tables, None)
            if table is not None:
                begins, self.place = self.place is None, table.end
                return [replace(table, begins_file=begins)]
            self.file += 1
            self.place = self.tables = None
        self.has_ended = True
        return []

    def position(self) -> State:
        return {"file": self.file, "place": self.place}

    def restore(self, position: State) -> None:
        self.file = whole(position, "file", 0, len(self.files))
        self.place = None if position.get("place") is None else child(position, "place")
        for file in self.files[: self.file]:
            file.position = file.size

    def close(self) -> None:
        self.tables = None  # which closes the file


class RecordingOrigin(Origin):
    """Files that hold a whole stream.

    Where they are only shown, columns without usable names get some.
    """

    def __init__(self, paths: Sequence[Path], is_shown_only: bool = False) -> None:
        self.path = paths[0]
        self.paths = paths
        self.is_shown_only = is_shown_only

    @property
    def names(self) -> list[str]:
        return [path.name for path in self.paths]

    def identity(self) -> list[dict[str, Any]]:
        """Name, size and a digest of both ends of each file."""
        found = []
        for path in self.paths:
            with path.open("rb") as file:
                size = path.stat().st_size
                digest = hashlib.sha256(file.read(_ENDS))
                file.seek(max(0, size - _ENDS))
                digest.update(file.read(_ENDS))
            found.append({"name": path.name, "size": size, "digest": digest.hexdigest()[:32]})
        return found

    def begin(self, settings: Settings, wait: Wait) -> Beginning:  # noqa: ARG002, it is all there
        delimiter, decimal = settings.get("delimiter"), settings.get("decimal")
        encoding, columns = settings.get("encoding"), settings.get("columns")
        self.files = [
            open_file(path, delimiter, decimal, encoding, columns, self.is_shown_only)
            for path in self.paths
        ]
        for file in self.files:
            if columns and not isinstance(file, CsvFile):
                raise UsageError(
                    f"--columns: {visible(file.path)} names its columns itself; leave the option "
                    "out"
                )
        first = self.files[0]
        texts = [file for file in self.files if isinstance(file, CsvFile)]
        encodings = {file.guessed_encoding for file in texts}
        guessed = encodings.pop() if len(encodings) == 1 else None
        odd = next((file for file in texts if file.problem is not None), None)
        return Beginning(
            first.names,
            lambda: first.sample(SAMPLE),
            first.description,
            read_as={} if guessed is None else {"encoding": codecs.lookup(guessed).name},
            problem=None if odd is None else odd.problem,
            proposals={} if odd is None else {"columns": [",".join(odd.names)]},
            notes=[f"{visible(f.path.name)}: {note}" for f in self.files for note in f.notes],
        )

    def connect(self, names: list[str], spec: StreamSpec, settings: Settings, say: Say) -> Source:  # noqa: ARG002
        for file in self.files:
            spec.check(file.names, file.path)
        if settings.get("sort"):
            in_order = [SortedFile(file, spec.time, spec.time_format) for file in self.files]
            return Recording(in_order, spec.columns)
        for file in self.files:
            if isinstance(file, CsvFile):
                file.numeric = set(spec.numeric)
        return Recording(self.files, spec.columns)
