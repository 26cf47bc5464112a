"""A recorded stream, from its files to blocks of whole steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from macro_engine.errors import MacroError
from macro_engine.rows import Block, Bools, Ints, Rows
from macro_engine.stream.breakfast import BreakfastVideo
from macro_engine.stream.csv import CsvFile
from macro_engine.stream.encode import Accepted, Encoder
from macro_engine.stream.parquet import ParquetFile
from macro_engine.stream.spec import StreamSpec
from macro_engine.stream.steps import LATE_IN_SUCCESSION, Stepper
from macro_engine.stream.table import Problem, Rejection, Rejections
from macro_engine.stream.times import iso
from macro_engine.visible import visible

StreamFile = CsvFile | ParquetFile | BreakfastVideo


def open_file(path: Path, delimiter: str | None = None, decimal: str | None = None) -> StreamFile:
    """A recording; its first bytes and its name say what it is."""
    if path.exists() and not path.is_file():
        raise MacroError(f"{visible(path)} is no ordinary file; a recording must be one")
    try:
        with path.open("rb") as file:
            magic = file.read(4)
        if not magic:
            raise MacroError(f"{visible(path)} is empty; a recording was expected")
        if magic == b"PAR1" or path.suffix.lower() in (".parquet", ".pq"):
            return ParquetFile(path)
        if magic == b"\x93NUM" or path.suffix.lower() == ".npy":
            return BreakfastVideo(path)
        return CsvFile(path, delimiter, decimal)
    except FileNotFoundError:
        raise MacroError(f"{visible(path)}: no such file") from None
    except OSError as error:
        raise MacroError(f"{visible(path)} cannot be opened: {visible(error)}") from None


class Recording:
    """The rows of one or more files, in order, as blocks of whole steps.

    Parameters
    ----------
    files
        A file boundary does not close a step.
    spec
        Which column is what, in every one of the files.
    rejections
        Where rows that cannot be used are reported.
    report
        Takes a line of text about the stream that the user should know of.
    """

    def __init__(
        self,
        files: Sequence[StreamFile],
        spec: StreamSpec,
        rejections: Rejections,
        report: Callable[[str], None] = lambda _text: None,
    ) -> None:
        for file in files:
            spec.check(file.names, file.path)
        self.files = files
        self.spec = spec
        self.rejections = rejections
        self.report = report
        self.encoder = Encoder(spec, rejections, report)
        self.stepper = Stepper(spec.every, spec.reject_late, self._report_reset)
        self.rows = 0  # given out in blocks
        self.steps = 0
        self.pending: list[_Part] = []  # begins with the open step's first row

    @property
    def late(self) -> int:
        return self.stepper.late

    @property
    def done(self) -> float:
        """The share of the input that was read."""
        return sum(file.done for file in self.files) / len(self.files)

    def blocks(self) -> Iterator[Block]:
        for file in self.files:
            self.encoder.time_reader = None  # times may be written otherwise in the next file
            for table in file.tables(self.spec.columns):
                for accepted in self.encoder.take(table):
                    yield from self._closed(accepted)
        for accepted in self.encoder.finish():
            yield from self._closed(accepted)
        self.stepper.close()
        if any(len(part.rows) for part in self.pending):
            whole = _Part.join(self.pending)
            yield self._block(whole, np.append(np.flatnonzero(whole.opens), len(whole.rows)))
        if self.rows == 0:
            raise MacroError(self._nothing_usable())

    def _closed(self, accepted: Accepted) -> Iterator[Block]:
        """The steps that these rows close; the open one is kept."""
        opens, turned_away = self.stepper.split(accepted.times, len(accepted))
        if turned_away.any():
            accepted, opens = self._turn_away(accepted, turned_away), opens[~turned_away]
        part = _Part(self.encoder.encode(accepted), accepted.times, opens)
        self.pending.append(part)
        if not part.opens.any():
            return
        whole = _Part.join(self.pending)
        starts = np.flatnonzero(whole.opens)
        last = int(starts[-1])
        self.pending = [whole.cut(last, len(whole.rows))]
        if last > 0:
            yield self._block(whole.cut(0, last), starts)

    def _turn_away(self, accepted: Accepted, late: Bools) -> Accepted:
        problem = Problem("comes late (--late join would take it)")
        for line in accepted.lines[late].tolist():
            self.rejections.add(
                Rejection(accepted.file, line, accepted.unit, self.spec.time, problem)
            )
        return accepted.where(~late)

    def _block(self, part: _Part, starts: Ints) -> Block:
        block = Block(part.rows, starts, part.times, self.rows, self.steps)
        self.rows += len(block.rows)
        self.steps += block.steps
        return block

    def _report_reset(self, window: int) -> None:
        assert self.spec.every.microseconds is not None
        time = iso(window * self.spec.every.microseconds)
        self.report(f"{LATE_IN_SUCCESSION} late rows in succession: the clock goes back to {time}")

    def _nothing_usable(self) -> str:
        names = ", ".join(visible(file.path) for file in self.files)
        if not self.rejections.count:
            return f"{names}: there are columns, but no rows"
        first = self.rejections.first[0]
        return f"{names}: none of {self.rejections.count} rows can be used; the first: {first}"


@dataclass(frozen=True)
class _Part:
    """Encoded rows, and which of them open a step."""

    rows: Rows
    times: Ints | None
    opens: Bools

    @staticmethod
    def join(parts: Sequence[_Part]) -> _Part:
        if len(parts) == 1:
            return parts[0]
        times = [part.times for part in parts if part.times is not None]
        return _Part(
            Rows.join([part.rows for part in parts], parts[-1].rows.columns),
            np.concatenate(times) if times else None,
            np.concatenate([part.opens for part in parts]),
        )

    def cut(self, start: int, stop: int) -> _Part:
        times = None if self.times is None else self.times[start:stop]
        return _Part(self.rows.cut(start, stop), times, self.opens[start:stop])
