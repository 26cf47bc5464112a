"""The report of `inspect`: reads a recording from end to end without learning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.format import count_text
from macro_engine.options.settings import Layer
from macro_engine.options.table import OPTIONS
from macro_engine.stream.encode import SAMPLE
from macro_engine.stream.formats.csv import CsvFile
from macro_engine.stream.infer import Guesses, Role, infer
from macro_engine.stream.label import class_order
from macro_engine.stream.misreadings import listed
from macro_engine.stream.opening import Opened, PartlyOpened
from macro_engine.stream.profile import ColumnProfile
from macro_engine.stream.spec import MOST_CLASSES, StreamSpec
from macro_engine.stream.table import MISSING, Rejections
from macro_engine.stream.times import FIRST_TIME, LAST_TIME, iso

ALL_ROWS = "all rows"  # where a setting comes from
_FIRST_ROWS = 3
_SHOWN_VALUES = 8
_SHOWN_REASONS = 5
_SHOWN_COLUMNS = 30
_HEADINGS = ("column", "role", "type", "values", "different", "missing", "why")


class Inspection:
    """Reads the whole recording and shows every column, and what a run would make of it.

    Where a run could not begin, `missing` says why, and the rest is shown.
    """

    def __init__(self, partly: PartlyOpened) -> None:
        self.partly = partly
        self.files = partly.origin.files
        self.roles = partly.guesses.roles or self._infer().roles
        self.labels: set[str] = set()  # of the whole recording, where a column names the classes
        self.profiles = self._profiles()
        self._take_in_later_classes()
        self.missing = list(partly.guesses.questions)
        self.opened: Opened | None = None
        self.rejections = Rejections()
        self.step_sizes: Counter[int] = Counter()
        self.first, self.last = LAST_TIME, FIRST_TIME
        self.newest: int | None = None  # time that was read last
        self.backwards = 0  # times that lie before the one above
        self.counts = np.zeros(0, np.int64)
        if not self.missing:
            try:
                self._read(partly.complete())
            except MacroError as error:
                self.missing.append(str(error))

    def _infer(self) -> Guesses:
        return infer(self.files[0].sample(SAMPLE), self.partly.settings.values)

    def _profiles(self) -> dict[str, ColumnProfile]:
        """What each column of the first file holds, in all of the files."""
        sample = self.files[0].sample(SAMPLE)
        settings = self.partly.settings
        label, time, time_format = map(settings.get, ("label", "time", "time_format"))
        profiles = {
            name: ColumnProfile(column, name == time, time_format)
            for name, column in sample.columns.items()
        }
        for file in self.files:
            names = [name for name in profiles if name in set(file.names)]
            for table in file.tables(names):
                for name, column in table.columns.items():
                    profiles[name].add(column, len(table))
                    if name == label and len(self.labels) <= MOST_CLASSES:
                        self.labels |= set(column.texts()) - MISSING
        return profiles

    def _take_in_later_classes(self) -> None:
        """Name all classes where the first rows, from which a run would learn them, lack some."""
        known = self.partly.settings
        label = known.get("label")
        if label is None or "classes" in known.values or len(self.labels) > MOST_CLASSES:
            return
        first = self.files[0].sample(SAMPLE).columns.get(label)
        if first is None or self.labels <= set(first.texts()):
            return
        if not any("," in name for name in self.labels):
            known.add(Layer(ALL_ROWS, {"classes": sorted(self.labels, key=class_order)}))

    def _read(self, opened: Opened) -> None:
        self.recording = opened.reader(self.rejections)
        for block in self.recording.blocks():
            self.columns = block.rows.columns
            counts = np.bincount(block.rows.labels, minlength=len(self.classes))
            self.counts = self.counts + counts if len(self.counts) else counts
            self.step_sizes.update(np.diff(block.starts).tolist())
            if block.times is not None:
                before = block.times[0] if self.newest is None else self.newest
                falls = np.diff(block.times, prepend=before)
                self.backwards += int(np.count_nonzero(falls < 0))
                self.newest = int(block.times[-1])
                self.first = min(self.first, int(block.times.min()))
                self.last = max(self.last, int(block.times.max()))
        self.opened = opened

    @property
    def classes(self) -> tuple[str, ...]:
        return self.recording.encoder.classes or ()

    def settings(self) -> dict[str, Any]:
        """Every setting that follows, classes included; what is missing is left out."""
        if self.opened is not None:
            values = {"time": ""} | self.opened.settled(self.recording)
        else:
            known = self.partly.settings.values
            values = {name: value for name, value in known.items() if value is not None}
        first = self.files[0]
        if isinstance(first, CsvFile):
            values["delimiter"] = first.dialect.delimiter
            values["decimal"] = first.dialect.decimal
        return {name: values[name] for name in OPTIONS if name in values}

    def show(self, commands: Sequence[str]) -> None:
        """Print everything; the commands come last."""
        console = Console(highlight=False, markup=False, soft_wrap=True)
        sections = [("Files", self._files()), ("Columns", self._column_table())]
        if self.opened is not None:
            sections += [
                ("Read as", self._columns(self.opened)),
                ("Classes", self._classes()),
                ("Steps", self._steps(self.opened)),
                ("Rejected", self._rejected()),
            ]
        for heading, lines in sections:
            _print(console, heading, lines)
        console.print(Text("First rows", style="bold"))
        console.print(self._first_rows())
        console.print(Text("Settings", style="bold"))
        console.print(self._settings_table())
        if self.missing:
            _print(console, "What is missing", self.missing)
        if self.partly.guesses.label.others:
            candidates = listed(self.partly.guesses.label.others)
            _print(console, "Candidates for the label", [candidates])
        _print(console, "Command", commands)

    def _files(self) -> Iterable[str]:
        for file in self.files:
            yield f"{visible(file.path)}"
        yield from self.partly.remarks

    def _column_table(self) -> Iterable[str]:
        """A line a column, as wide as it must be."""
        lines = [_HEADINGS]
        for name, profile in self.profiles.items():
            role = self.roles.get(name, Role("", ""))
            share = f"{profile.missing / profile.rows:.1%}" if profile.rows else ""
            found = (visible(name, 30), role.name, profile.kind, profile.range)
            lines.append((*found, profile.different, share, role.why))
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        for line in lines:
            yield "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip()

    def _columns(self, opened: Opened) -> Iterable[str]:
        spec, encoder = opened.spec, self.recording.encoder
        if spec.time is None:
            yield "time: none"
        else:
            reader = encoder.time_reader
            yield f"time: {visible(spec.time)}, {reader.described if reader else ''}"
            yield f"      from {iso(self.first)} to {iso(self.last)}"
            if self.backwards:
                found = count_text(self.backwards, "row")
                verb = "lies" if self.backwards == 1 else "lie"
                yield f"      {found} {verb} before the row above; --sort puts them in order"
        yield f"label: {visible(opened.settings['label'])}"
        for name in spec.features[:_SHOWN_COLUMNS]:
            yield f"feature: {visible(name)}, {_scale(opened.spec, name)}"
        yield from _and_more(len(spec.features) - _SHOWN_COLUMNS, "features")
        made = [*spec.clock.numbers, *spec.clock.categories]
        if made:
            yield f"made from the time (--clock off leaves it): {', '.join(made)}"
        known = dict(zip(spec.categorical, self.columns.slots, strict=False))
        for name, slots in list(known.items())[:_SHOWN_COLUMNS]:
            shown = ", ".join(visible(slot, 20) or "(none)" for slot in slots[:_SHOWN_VALUES])
            more = ", ..." if len(slots) > _SHOWN_VALUES else ""
            yield f"category: {visible(name)}, {len(slots):,} values: {shown}{more}"

        yield from _and_more(len(known) - _SHOWN_COLUMNS, "categories")
        yield from self.recording.maker.notes()

    def _classes(self) -> Iterable[str]:
        for name, count in zip(self.classes, self.counts.tolist(), strict=True):
            yield f"{visible(name)}: {count_text(count, 'row')} ({count / self.counts.sum():.1%})"

    def _steps(self, opened: Opened) -> Iterable[str]:
        sizes = sorted(self.step_sizes)
        so_far = np.cumsum([self.step_sizes[size] for size in sizes])
        middle = sizes[int(np.searchsorted(so_far, so_far[-1] / 2))]
        yield (
            f"{self.recording.steps:,} steps of {opened.settings['every']}, "
            f"{self.recording.rows:,} rows: {sizes[0]:,} to {sizes[-1]:,} a step, median {middle:,}"
        )
        if self.recording.late:
            yield f"{self.recording.late:,} rows come late"

    def _rejected(self) -> Iterable[str]:
        yield f"{self.rejections.count:,} rows"
        for rejection in self.rejections.first[:_SHOWN_REASONS]:
            yield str(rejection)
        if self.rejections.count > _SHOWN_REASONS:
            yield "..."

    def _first_rows(self) -> RichTable:
        """A line for each column, so that wide files fit too."""
        sample = self.files[0].sample(_FIRST_ROWS)
        table = RichTable(box=None, pad_edge=False, show_header=False)
        for name, column in list(sample.columns.items())[:_SHOWN_COLUMNS]:
            values = column.texts()[:_FIRST_ROWS]
            table.add_row(*(Text(visible(value, 26)) for value in (name, *values)))
        return table

    def _settings_table(self) -> RichTable:
        table = RichTable(box=None, pad_edge=False, header_style="italic")
        for heading in ("setting", "value", "from"):
            table.add_column(heading)
        for name, value in self.settings().items():
            if name != "bounds":
                shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
                found = "sniffed" if name in ("delimiter", "decimal") else "the first rows"
                origin = self.partly.settings.origins.get(name, found)
                shown = visible(shown or "none", 200)
                table.add_row(Text(name), Text(shown), Text(visible(origin, 60)))
        return table


def _print(console: Console, heading: str, lines: Iterable[str]) -> None:
    console.print(Text(heading, style="bold"))
    for line in lines:
        console.print(Text(f"  {line}"))


def _scale(spec: StreamSpec, name: str) -> str:
    if not spec.scaled:
        return "not scaled"
    if name not in spec.bounds:
        return "scaled by its running mean and deviation"
    low, high = spec.bounds[name]
    if low == high:
        return f"always {low:g}: becomes 0"
    return f"{low:g} to {high:g} becomes 0 to 1"


def _and_more(count: int, what: str) -> Iterable[str]:
    if count > 0:
        yield f"... and {count:,} more {what}"
