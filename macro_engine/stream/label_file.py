"""`--labels FILE`: a second file with keys and labels, read whole or followed as it grows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.state import State
from macro_engine.options.settings import Settings
from macro_engine.stream.formats.dialect import Dialect
from macro_engine.stream.late_rows import LateRows, keys_of, without_missing_labels
from macro_engine.stream.live.beginning import FileOrigin
from macro_engine.stream.live.live_text import CsvColumns
from macro_engine.stream.live.tail import TailSource
from macro_engine.stream.recording import open_file
from macro_engine.stream.source import Say, Source
from macro_engine.stream.spec import LateLabels, StreamSpec, unknown_column
from macro_engine.stream.table import Problem, Problems, Rejection, Rejections, Table


class _NotYetError(Exception):
    """There is too little of the file to begin with."""


class LabelFile:
    """Keys and labels beside a live stream, as they come.

    Parameters
    ----------
    settings
        Those of the stream.
    rejections
        Where lines that cannot be used are reported.
    say
        Takes a line about what happens to the file.
    """

    def __init__(
        self, spec: StreamSpec, settings: Settings, rejections: Rejections, say: Say
    ) -> None:
        assert spec.late_labels is not None
        assert spec.late_labels.file is not None
        if spec.label.classes is None and spec.classes is None:
            raise UsageError("--labels: classes cannot be learned from it; name all with --classes")
        self.spec = spec
        self.late = spec.late_labels
        self.path: Path = spec.late_labels.file
        self.settings = settings
        self.rejections = rejections
        self.say = say
        self.source: Source | None = None
        self.stored: State | None = None  # where to go on once there is a file

    def poll(self, most: int | None) -> Iterator[tuple[list[str], list[str]]]:
        """The keys and labels that have come, about so many at most."""
        if self.source is None and not self._begin():
            return
        assert self.source is not None
        self.source.most_rows = most
        for table in self.source.poll():
            yield read_labels(table, self.spec, self.late, self.rejections)[:2]

    def position(self) -> State | None:
        return self.stored if self.source is None else self.source.position()

    def restore(self, position: State) -> None:
        self.stored = position

    def close(self) -> None:
        if self.source is not None:
            self.source.close()

    def _has_a_row(self) -> bool:
        """Whether anything comes after its header, by which alone no delimiter is told."""
        try:
            with self.path.open("rb") as file:
                return file.read(1 << 16).rstrip(b"\r\n").count(b"\n") > 0
        except OSError:
            return False

    def _begin(self) -> bool:
        """Open the file, if it is there."""
        if not self.path.exists() or not self._has_a_row():
            return False
        given = self.settings
        unsniffed = {n: v for n, v in given.values.items() if n != "delimiter"}
        try:  # it may have a delimiter of its own
            beginning = FileOrigin(self.path).begin(
                Settings({"decimal": "."} | unsniffed, given.origins), _not_yet
            )
            if not {*self.late.key, self.spec.label.column} <= {*beginning.names}:
                beginning = FileOrigin(self.path).begin(given, _not_yet)
        except _NotYetError:
            return False
        columns = columns_of(self.spec, self.late, beginning.names, self.path)
        dialect = Dialect(beginning.read_as["delimiter"], beginning.read_as["decimal"])
        layout = CsvColumns(dialect, beginning.names, columns)
        self.source = TailSource(self.path, layout, self.say, None)
        if self.stored is not None:
            self.source.restore(self.stored)
        self.source.start()
        return True


def read_whole(rows: LateRows, settings: Settings, rejections: Rejections) -> None:
    """Read the file that belongs to a recording: labels are put into their rows."""
    spec, late = rows.spec, rows.late
    assert late.file is not None
    encoding = settings.get("encoding")
    file = open_file(late.file, settings.get("delimiter"), settings.get("decimal"), encoding)
    columns = columns_of(spec, late, file.names, late.file)
    has_times = late.time is not None and late.time in file.names
    if has_times and late.time is not None:
        columns.append(late.time)
    for table in file.tables(columns, None):
        keys, labels, places = read_labels(table, spec, late, rejections)
        due: list[int | None] = [None] * len(keys)
        if has_times and late.time is not None:
            times, problems = table.columns[late.time].times(rows.reader_of(table, late.time))
            if problems:
                i = min(problems)
                raise MacroError(
                    f"{visible(late.file)}, line {int(table.lines[i])}, column "
                    f"'{visible(late.time)}': {problems[i]}"
                )
            due = [int(times[i]) for i in places]
        for key, label, moment in zip(keys, labels, due, strict=True):
            rows.give(key, label, moment)


def read_labels(
    table: Table, spec: StreamSpec, late: LateLabels, rejections: Rejections
) -> tuple[list[str], list[str], list[int]]:
    """Keys, labels and places of the lines that have both; the others are rejected."""
    found: list[tuple[str, Problems]] = []
    labels, problems = spec.label.read(table.columns[spec.label.column], spec.classes)
    labels, problems = without_missing_labels(labels, problems)
    keys = keys_of(table, late, found)
    found.append((spec.label.column, problems))
    missing = {i: Problem("is missing") for i, label in enumerate(labels) if not label}
    found.append((spec.label.column, {**missing, **problems}))
    for broken in table.broken:
        rejections.add(broken)
    first: dict[int, tuple[str, Problem]] = {}
    for column, bad in found:
        for i, problem in bad.items():
            first.setdefault(i, (column, problem))
    for i, (column, problem) in sorted(first.items()):
        line = int(table.lines[i])
        rejections.add(Rejection(table.file, line, table.unit, column, problem))
    good = [i for i in range(len(keys)) if i not in first]
    return [keys[i] for i in good], [labels[i] for i in good], good


def columns_of(spec: StreamSpec, late: LateLabels, names: list[str], path: Path) -> list[str]:
    """The columns with key and label, which must be there."""
    columns = list(dict.fromkeys([*late.key, spec.label.column]))
    for column in columns:
        if column not in names:
            raise UsageError(unknown_column("--labels", column, names, path))
    return columns


def _not_yet(_why: str) -> None:
    raise _NotYetError
