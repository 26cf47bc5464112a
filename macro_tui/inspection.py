"""What a recording holds, read once from end to end without learning anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from macro_engine.core.escape import visible
from macro_engine.core.format import count_text
from macro_engine.options.table import OPTIONS
from macro_engine.stream.formats.csv import CsvFile
from macro_engine.stream.opening import Opened
from macro_engine.stream.table import Rejections
from macro_engine.stream.times import FIRST_TIME, LAST_TIME, iso

_FIRST_ROWS = 3
_SHOWN_VALUES = 8
_SHOWN_REASONS = 5
_SHOWN_COLUMNS = 30


class Inspection:
    """Reads the whole recording and shows time, label, features, categories, steps and rows."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.rejections = Rejections()
        self.recording = opened.reader(self.rejections)
        self.step_sizes: Counter[int] = Counter()
        self.first, self.last = LAST_TIME, FIRST_TIME
        counts = np.zeros(0, np.int64)
        for block in self.recording.blocks():
            self.columns = block.rows.columns
            counts = counts if len(counts) else np.zeros(len(self.classes), np.int64)
            counts += np.bincount(block.rows.labels, minlength=len(self.classes))
            self.step_sizes.update(np.diff(block.starts).tolist())
            if block.times is not None:
                self.first = min(self.first, int(block.times.min()))
                self.last = max(self.last, int(block.times.max()))
        self.counts = counts

    @property
    def classes(self) -> tuple[str, ...]:
        return self.recording.encoder.classes or ()

    def settings(self) -> dict[str, Any]:
        """Every setting that follows, classes included."""
        values = {"time": ""} | self.opened.settled(self.recording.encoder)
        first = self.opened.files[0]
        if isinstance(first, CsvFile):
            values["delimiter"] = first.dialect.delimiter
            values["decimal"] = first.dialect.decimal
        return {name: values[name] for name in OPTIONS if name in values}

    def show(self) -> None:
        console = Console(highlight=False, markup=False, soft_wrap=True)
        for heading, lines in (
            ("Files", self._files()),
            ("Columns", self._columns()),
            ("Classes", self._classes()),
            ("Steps", self._steps()),
            ("Rejected", self._rejected()),
        ):
            console.print(Text(heading, style="bold"))
            for line in lines:
                console.print(Text(f"  {line}"))
        console.print(Text("First rows", style="bold"))
        console.print(self._first_rows())
        console.print(Text("Settings", style="bold"))
        console.print(self._settings_table())

    def _files(self) -> Iterable[str]:
        for file in self.opened.files:
            yield f"{visible(file.path)}"
        yield from self.opened.remarks

    def _columns(self) -> Iterable[str]:
        spec, encoder = self.opened.spec, self.recording.encoder
        if spec.time is None:
            yield "time: none"
        else:
            reader = encoder.time_reader
            yield f"time: {visible(spec.time)}, {reader.described if reader else ''}"
            yield f"      from {iso(self.first)} to {iso(self.last)}"
        yield f"label: {visible(self.opened.settings['label'])}"
        for name in spec.features[:_SHOWN_COLUMNS]:
            yield f"feature: {visible(name)}, {self._scale(name)}"
        yield from _and_more(len(spec.features) - _SHOWN_COLUMNS, "features")
        known = dict(zip(spec.categorical, self.columns.slots, strict=True))
        for name, slots in list(known.items())[:_SHOWN_COLUMNS]:
            shown = ", ".join(visible(slot, 20) or "(none)" for slot in slots[:_SHOWN_VALUES])
            more = ", ..." if len(slots) > _SHOWN_VALUES else ""
            yield f"category: {visible(name)}, {len(slots):,} values: {shown}{more}"

        yield from _and_more(len(known) - _SHOWN_COLUMNS, "categories")
        yield from self.recording.maker.notes()

    def _scale(self, name: str) -> str:
        if not self.opened.spec.scaled:
            return "not scaled"
        if name not in self.opened.spec.bounds:
            return "scaled by its running mean and deviation"
        low, high = self.opened.spec.bounds[name]
        if low == high:
            return f"always {low:g}: becomes 0"
        return f"{low:g} to {high:g} becomes 0 to 1"

    def _classes(self) -> Iterable[str]:
        for name, count in zip(self.classes, self.counts.tolist(), strict=True):
            yield f"{visible(name)}: {count_text(count, 'row')} ({count / self.counts.sum():.1%})"

    def _steps(self) -> Iterable[str]:
        sizes = sorted(self.step_sizes)
        so_far = np.cumsum([self.step_sizes[size] for size in sizes])
        middle = sizes[int(np.searchsorted(so_far, so_far[-1] / 2))]
        yield (
            f"{self.recording.steps:,} steps of {self.opened.settings['every']}, "
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
        sample = self.opened.files[0].sample(_FIRST_ROWS)
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
                origin = self.opened.settings.origins.get(name, found)
                shown = visible(shown or "none", 200)
                table.add_row(Text(name), Text(shown), Text(visible(origin, 60)))
        return table


def _and_more(count: int, what: str) -> Iterable[str]:
    if count > 0:
        yield f"... and {count:,} more {what}"
