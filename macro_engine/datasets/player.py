"""Plays a recording into a growing CSV, for practice."""

from __future__ import annotations

import csv
import glob
import heapq
import io
import math
import os
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.format import rough_duration_text
from macro_engine.core.rows import Floats
from macro_engine.core.toml import to_toml
from macro_engine.run.clock import Clock
from macro_engine.run.playing.speed import Speed
from macro_engine.stream.label import LabelRule
from macro_engine.stream.opening import Opened, toml_beside
from macro_engine.stream.table import Column, Problems, Table
from macro_engine.stream.times import ISO_8601, TimeReader, iso, time_reader

_MOST_AT_ONCE = 5_000  # rows
_SHORTEST_NAP, _LONGEST_NAP = 0.005, 0.25
_BEFORE = -1.0  # the moment of what is written at once
_LATEST = 200  # rows by which a late row comes too late at most


@dataclass(frozen=True)
class Mishaps:
    """Mishaps to simulate.

    Attributes
    ----------
    rotate_rows, rotate_seconds
        When the file is renamed and begun anew; None for never.
    late
        The share of rows that come up to 200 rows too late.
    garbage
        The share of rows after which a line comes that is none.
    """

    rotate_rows: int | None = None
    rotate_seconds: float | None = None
    late: float = 0.0
    garbage: float = 0.0
    seed: int = 0


class Player:
    """Writes the rows of a recording to a file, each at its time.

    Parameters
    ----------
    opened
        The recording and its settings.
    path
        The CSV; the settings that `tail` needs go to the TOML beside it. Neither may exist, nor
        where it rotates a `FILE.<n>`.
    speed
        A multiple of the recording's own time, rows a second, or as fast as it goes.
    paced_from
        In seconds since 1970: under a multiple, what lies before is written at once.
    may_begin
        Asked until it says so before the first row from there on is written.
    """

    def __init__(
        self,
        opened: Opened,
        path: Path,
        speed: Speed,
        mishaps: Mishaps,
        paced_from: float = -math.inf,
        may_begin: Callable[[], bool] = lambda: True,
    ) -> None:
        self.opened = opened
        self.path = path
        self.speed = speed
        self.mishaps = mishaps
        self.paced_from = paced_from
        self.may_begin = may_begin
        self.has_begun = False
        spec = opened.spec
        self.columns = spec.columns
        used = {spec.label.column, *spec.features, *spec.categorical}
        self.keeps_times = spec.time in used  # as they stand, which says more than a time
        is_rule = isinstance(spec.label, LabelRule) and isinstance(spec.label.value, float)
        self.numeric = {*spec.features, *([spec.label.column] if is_rule else [])} - {spec.time}
        self.time_reader: TimeReader | None = None  # of the file at hand
        self.garbage = garbage(len(self.columns))
        self.random = random.Random(mishaps.seed)
        self.rows = 0  # written
        self.in_file = 0
        self.rotations = 0
        self.clock = Clock(speed.multiple or 1.0)
        self.held: list[tuple[int, bytes]] = []  # late rows, by the row before which they come
        self.descriptor: int | None = None
        for target in self._targets():
            if target.exists():
                raise MacroError(f"{visible(target)} exists already; move it away or name another")

    def settings(self) -> dict[str, Any]:
        """The settings with which `tail` reads the file like the recording."""
        values: dict[str, Any] = {"time": "", "features": [], "categorical": []}
        settings = self.opened.settings
        values |= {n: v for n, v in settings.written().items() if n not in settings.following}
        if values["subroutine"].startswith("python:"):
            del values["subroutine"]  # it is taken from the command line only
        if not self.keeps_times:
            values.pop("time_format", None)  # they are written in ISO 8601
        return values | {"delimiter": ",", "decimal": "."}

    @property
    def words(self) -> str:
        """The progress in words."""
        gap = self.clock.skipping
        written = f"{self.rows:,} rows written"
        return (
            written
            if gap is None
            else f"{written}, skipping {rough_duration_text(gap)} without rows"
        )

    def play(self, progress: Callable[[float, int], object]) -> None:
        """Write everything; `progress` takes the share done and the number of rows."""
        self._begin_with_settings()
        self.file_begun = self.clock.started = monotonic()
        try:
            for file in self.opened.files:
                self.time_reader = None  # times may be written otherwise in each file
                for table in file.tables(self.columns):
                    for share in self._play_table(table):
                        progress(share * file.done / len(self.opened.files), self.rows)
            self._write([line for _, line in sorted(self.held)])
        finally:
            self._close()

    def _play_table(self, table: Table) -> Iterator[float]:
        columns, moments = self._columns(table)
        done = 0
        while done < len(table):
            due = min(self._due(moments, done), done + _MOST_AT_ONCE, len(table))
            if self.mishaps.rotate_rows is not None:
                due = min(due, done + self.mishaps.rotate_rows - self.in_file)
            if due == done:
                yield done / len(table)
                sleep(self._until(moments, done))
                continue
            rows = zip(*(column[done:due] for column in columns), strict=True)
            self._write(self._mishandled([_line(row) for row in rows]))
            self.in_file += due - done
            done = due
            if self._must_rotate():
                self._rotate()
            yield done / len(table)

    def _columns(self, table: Table) -> tuple[list[list[str]], Floats]:
        """The columns as text, and when each row is due, in seconds."""
        columns = {name: self._texts(table, name) for name in self.columns}
        moments = np.arange(self.rows, self.rows + len(table)) / (self.speed.rate or 1.0)
        if (name := self.opened.spec.time) is not None:
            column = table.columns[name]
            times, problems = column.times(self.time_reader or self._judge_times(column))
            if not self.keeps_times:
                columns[name] = _written(iso, times.tolist(), column, problems)
            if self.speed.multiple is not None:
                seconds = times / 1e6
                seconds[list(problems)] = np.nan
                is_paced = ~(seconds < self.paced_from)
                moments = np.full(len(seconds), _BEFORE)
                moments[is_paced] = self.clock.due(seconds[is_paced])
        return list(columns.values()), moments

    def _texts(self, table: Table, name: str) -> list[str]:
        column = table.columns[name]
        if name not in self.numeric:
            return column.texts()
        numbers, problems = column.numbers()
        return _written(_number_text, numbers.tolist(), column, problems)

    def _judge_times(self, column: Column) -> TimeReader:
        """How to read a file's times, kept from the first one that is there."""
        reader = column.time_reader(self.opened.spec.time_format)
        if column.has_values():
            self.time_reader = reader
        return reader

    def _due(self, moments: Floats, start: int) -> int:
        """The end of the rows whose moment has come."""
        if not self.speed.is_limited:
            return len(moments)
        return max(start, int(np.searchsorted(moments, self._now(), side="right")))

    def _now(self) -> float:
        """The moment at hand; what comes at its pace begins at 0."""
        if not self.has_begun:
            if not self.may_begin():
                return _BEFORE
            self.has_begun = True
            self.clock.started = monotonic()
        return self.clock.elapsed

    def _until(self, moments: Floats, start: int) -> float:
        seconds = float(moments[start]) - self._now()
        return min(max(seconds, _SHORTEST_NAP), _LONGEST_NAP)

    def _mishandled(self, lines: list[bytes]) -> list[bytes]:
        """The lines with what goes wrong on purpose."""
        first, self.rows = self.rows, self.rows + len(lines)
        mishaps, draw = self.mishaps, self.random.random
        if not mishaps.late and not mishaps.garbage:
            return lines
        found = []
        for number, line in enumerate(lines, start=first):
            while self.held and self.held[0][0] <= number:
                found.append(heapq.heappop(self.held)[1])
            if draw() < mishaps.late:
                heapq.heappush(self.held, (number + self.random.randint(1, _LATEST), line))
            else:
                found.append(line)
            if draw() < mishaps.garbage:
                found.append(self.random.choice(self.garbage) + b"\n")
        return found

    def _must_rotate(self) -> bool:
        rows, seconds = self.mishaps.rotate_rows, self.mishaps.rotate_seconds
        if rows is not None and self.in_file >= rows:
            return True
        return seconds is not None and monotonic() - self.file_begun >= seconds

    def _targets(self) -> list[Path]:
        """What will be written."""
        found = [self.path, toml_beside(self.path)]
        if self.mishaps.rotate_rows is not None or self.mishaps.rotate_seconds is not None:
            numbered = self.path.parent.glob(f"{glob.escape(self.path.name)}.*")
            found += [other for other in numbered if other.suffix[1:].isdigit()]
        return found

    def _rotate(self) -> None:
        """Rename the file to `FILE.1`, older ones to the next number, and begin anew."""
        self._close()
        self.rotations += 1
        for number in range(self.rotations - 1, -1, -1):
            older = self.path.with_name(f"{self.path.name}.{number}") if number else self.path
            try:
                older.rename(self.path.with_name(f"{self.path.name}.{number + 1}"))
            except FileNotFoundError:
                pass  # somebody took it away
            except OSError as error:
                raise MacroError(
                    f"{visible(older)} cannot be renamed: {visible(error.strerror)}"
                ) from None
        self._begin()

    def _begin_with_settings(self) -> None:
        """Write the TOML, which must be there before the CSV is; both or neither."""
        toml = toml_beside(self.path)
        try:
            try:
                toml.write_bytes(to_toml(self.settings()).encode())
            except OSError as error:
                raise self._unwritable(toml, error) from None
            self._begin()
        except MacroError:
            ours = [toml] if self.descriptor is None else [toml, self.path]
            self._close()
            for path in ours:
                with suppress(OSError):
                    path.unlink()
            raise

    def _begin(self) -> None:
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
            self.descriptor = os.open(self.path, flags, 0o644)
        except OSError as error:
            raise self._unwritable(self.path, error) from None
        self.in_file = 0
        self.file_begun = monotonic()
        self._write([_line(self.columns)])

    def _close(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None

    def _write(self, lines: list[bytes]) -> None:
        assert self.descriptor is not None
        data = memoryview(b"".join(lines))
        try:
            while data:
                data = data[os.write(self.descriptor, data) :]
        except OSError as error:
            raise self._unwritable(self.path, error) from None

    def _unwritable(self, path: Path, error: OSError) -> MacroError:
        return MacroError(f"{visible(path)} cannot be written: {visible(error.strerror)}")


def garbage(width: int) -> tuple[bytes, ...]:
    """Lines that are no rows of so many fields, two at least."""
    return (
        b"\xff\xfe\x80 no text",
        b"\x1b[2J\x1b]0;owned\x07",
        b",".join(b"%d" % i for i in range(1, width + 2)),
        b'half "a row',
        b"\xe2\x80\xae" + b"," * width,
        b"?" * 300,
    )


def _written(
    write: Callable[[Any], str], values: list[Any], column: Column, problems: Problems
) -> list[str]:
    """The values of a column as text; those that could not be read as they stand."""
    if not problems:
        return list(map(write, values))
    texts = column.texts()
    return [
        _unusable(texts[i]) if i in problems else write(value) for i, value in enumerate(values)
    ]


def _number_text(number: float) -> str:
    return repr(number).removesuffix(".0")


def _unusable(text: str) -> str:
    """The text, marked if a number or a time could be read from it where its column has none."""
    reader = time_reader([text])
    is_time = reader.described != ISO_8601 or not reader.read([text])[1]
    return f"?{text}" if is_time else text


def _line(fields: Any) -> bytes:
    line = ",".join(fields)
    if line.count(",") >= len(fields) or any(mark in line for mark in '"\r\n'):
        buffer = io.StringIO()
        # it quotes fields with a character of the line's end, and before Python 3.13 no other
        csv.writer(buffer, lineterminator="\r\n").writerow(fields)
        line = buffer.getvalue().removesuffix("\r\n")
    return f"{line}\n".encode(errors="surrogateescape")
