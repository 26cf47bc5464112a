"""A recorded stream, from its files to blocks of whole steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from macro_engine.errors import MacroError
from macro_engine.rows import Block, Bools, Columns, Ints, Rows
from macro_engine.state import DamagedError, State, array, child, whole
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
        self.encoder = Encoder(spec, rejections, self._say)
        self.stepper = Stepper(spec.every, spec.reject_late, self._report_reset)
        self.rows = 0  # given out in blocks
        self.steps = 0
        self.file = 0  # which of the files is being read
        self.position: State | None = None  # in it
        self.pending: list[_Part] = []  # begins with the open step's first row
        self.rejected = 0  # since the last accepted row
        self.reports = 0
        self.mark = self._state()

    @property
    def late(self) -> int:
        return self.stepper.late

    @property
    def done(self) -> float:
        """The share of the input that was read."""
        return sum(file.done for file in self.files) / len(self.files)

    def blocks(self) -> Iterator[Block]:
        """The steps, in blocks; `state` may be asked for whenever a block was given out."""
        while self.file < len(self.files):
            if self.position is None:
                self.encoder.time_reader = None  # times may be written otherwise in each file
            tables = self.files[self.file].tables(self.spec.columns, self.position)
            self.mark = self._state()
            for table in tables:
                for accepted in self.encoder.take(table):
                    yield from self._closed(accepted)
                self.position = table.end
                self.mark = self._state()
            self.file += 1
            self.position = None
        for accepted in self.encoder.finish():
            yield from self._closed(accepted)
        self.stepper.close()
        if any(len(part.rows) for part in self.pending):
            last = _Part.join(self.pending)
            yield self._block(last, np.append(np.flatnonzero(last.opens), len(last.rows)))
        if self.rows == 0:
            raise MacroError(self._nothing_usable())

    def state(self) -> State:
        """Where to read on: the last position at which all rows before it had become blocks.

        Whoever goes on from there gets some of the blocks again.
        """
        pending = self.mark["pending"]
        return self.mark | {"pending": _Part.join(pending).state() if pending else None}

    def _state(self) -> State:
        return {
            "file": self.file,
            "position": self.position,
            "rows": self.rows,
            "steps": self.steps,
            "encoder": self.encoder.state(),
            "stepper": self.stepper.state(),
            "rejections": self.rejections.state(),
            "reports": self.reports,
            "rejected": self.rejected + len(self.rejections.fresh),
            "pending": list(self.pending),
        }

    def restore(self, state: State) -> None:
        """Go on from a state; the recording must be new."""
        self.file = whole(state, "file", 0, len(self.files) - 1)
        self.position = None if state.get("position") is None else child(state, "position")
        self.rows, self.steps = whole(state, "rows"), whole(state, "steps")
        self.encoder.restore(child(state, "encoder"))
        self.stepper.restore(child(state, "stepper"))
        self.rejections.restore(child(state, "rejections"))
        self.rejected = whole(state, "rejected")
        self.reports = whole(state, "reports")
        if state.get("pending") is not None:
            classes = len(self.encoder.classes or ())
            part = _Part.restored(child(state, "pending"), self.encoder.columns, classes)
            if (part.times is None) != (self.spec.time is None):
                raise DamagedError("in its state the open step's times are missing")
            self.pending = [part]
        for file in self.files[: self.file]:
            file.position = file.size
        self.mark = self._state()

    def _closed(self, accepted: Accepted) -> Iterator[Block]:
        """The steps that these rows close; the open one is kept."""
        split = self.stepper.split(accepted.times, len(accepted))
        late, opens = split.late, split.opens
        if split.turned_away.any():
            accepted = self._turn_away(accepted, split.turned_away)
            late, opens = late[~split.turned_away], opens[~split.turned_away]
        rejected = self._rejected_by_row(accepted)
        rows = self.encoder.encode(accepted)
        part = _Part(rows, accepted.times, opens, late.astype(np.int64), rejected)
        self.pending.append(part)
        if not part.opens.any():
            return
        joined = _Part.join(self.pending)
        starts = np.flatnonzero(joined.opens)
        last = int(starts[-1])
        self.pending = [joined.cut(last, len(joined.rows))]
        if last > 0:
            yield self._block(joined.cut(0, last), starts)

    def _rejected_by_row(self, accepted: Accepted) -> Ints:
        """How many rows were turned away before each row, the last one's successors with it."""
        counts = np.zeros(len(accepted), np.int64)
        fresh = self.rejections.take_fresh()
        if not len(accepted):
            self.rejected += len(fresh)
            return counts
        lines = [rejection.line for rejection in fresh]
        places = np.minimum(np.searchsorted(accepted.lines, lines), len(accepted) - 1)
        np.add.at(counts, places, 1)
        counts[0] += self.rejected
        self.rejected = 0
        return counts

    def _turn_away(self, accepted: Accepted, late: Bools) -> Accepted:
        problem = Problem("comes late (--late join would take it)")
        for line in accepted.lines[late].tolist():
            self.rejections.add(
                Rejection(accepted.file, line, accepted.unit, self.spec.time, problem)
            )
        return accepted.where(~late)

    def _block(self, part: _Part, starts: Ints) -> Block:
        firsts = starts[: len(starts) - 1]
        block = Block(
            part.rows,
            starts,
            part.times,
            self.rows,
            self.steps,
            np.add.reduceat(part.late, firsts),
            np.add.reduceat(part.rejected, firsts),
        )
        self.rows += len(block.rows)
        self.steps += block.steps
        return block

    def _report_reset(self, window: int) -> None:
        assert self.spec.every.microseconds is not None
        time = iso(window * self.spec.every.microseconds)
        self._say(f"{LATE_IN_SUCCESSION} late rows in succession: the clock goes back to {time}")

    def _say(self, text: str) -> None:
        self.reports += 1
        self.report(text)

    def _nothing_usable(self) -> str:
        names = ", ".join(visible(file.path) for file in self.files)
        if not self.rejections.count:
            return f"{names}: there are columns, but no rows"
        first = self.rejections.first[0]
        return f"{names}: none of {self.rejections.count} rows can be used; the first: {first}"


@dataclass(frozen=True)
class _Part:
    """Encoded rows; which of them open a step or came late, and how many were rejected before."""

    rows: Rows
    times: Ints | None
    opens: Bools
    late: Ints
    rejected: Ints

    @staticmethod
    def join(parts: Sequence[_Part]) -> _Part:
        if len(parts) == 1:
            return parts[0]
        times = [part.times for part in parts if part.times is not None]
        return _Part(
            Rows.join([part.rows for part in parts], parts[-1].rows.columns),
            np.concatenate(times) if times else None,
            np.concatenate([part.opens for part in parts]),
            np.concatenate([part.late for part in parts]),
            np.concatenate([part.rejected for part in parts]),
        )

    def state(self) -> State:
        return self.rows.state() | {
            "times": self.times,
            "opens": self.opens,
            "late": self.late,
            "rejected": self.rejected,
        }

    @staticmethod
    def restored(state: State, columns: Columns, classes: int) -> _Part:
        rows = Rows.restored(state, columns, classes)
        n = len(rows)
        return _Part(
            rows,
            None if state.get("times") is None else array(state, "times", np.int64, (n,)),
            array(state, "opens", np.bool_, (n,)),
            array(state, "late", np.int64, (n,)),
            array(state, "rejected", np.int64, (n,)),
        )

    def cut(self, start: int, stop: int) -> _Part:
        times = None if self.times is None else self.times[start:stop]
        return _Part(
            self.rows.cut(start, stop),
            times,
            self.opens[start:stop],
            self.late[start:stop],
            self.rejected[start:stop],
        )
