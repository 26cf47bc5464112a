"""`--emit`: predictions as they are made, appended to a file or written to standard output.

A file holds each line once, even if the process is killed: its length is committed with the state
of the run, and what was written after it is cut off when the run is resumed.
"""

from __future__ import annotations

import fcntl
import os
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.late_labels import Outcomes
from macro_engine.core.output_path import destination
from macro_engine.core.state import DamagedError, State, whole
from macro_engine.run.emitted_lines import CsvLines, JsonLines, LineFormat, PredictedRows

STANDARD_OUTPUT = "-"
FORMATS = {".jsonl": JsonLines, ".csv": CsvLines}
MOST_WAITING = 64 << 20  # bytes that a reader may be behind

Say = Callable[[str], None]


class EmitTarget(ABC):
    """Where lines go. `trouble` says in words why they cannot be written; None if they can."""

    trouble: str | None = None

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Take whole lines; it does not wait for a reader."""

    def state(self) -> State:
        """What a resumed run must know."""
        return {}

    def restore(self, state: State) -> None:  # noqa: B027
        """Go on from a state."""

    def begin(self, header: bytes) -> None:  # noqa: B027
        """The first line of a file is known."""

    def close(self) -> None:  # noqa: B027
        """No more lines come."""


class AppendedFile(EmitTarget):
    """A regular file that grows by whole lines.

    Attributes
    ----------
    length
        Of all that was taken, with what stood in the file before.
    """

    def __init__(self, path: Path, say: Say) -> None:
        self.path = path
        self.say = say
        self.unwritten = self.header = b""
        try:
            self.descriptor = self._opened()
        except OSError as error:
            raise _unwritable(path, error) from None
        self.length = os.fstat(self.descriptor).st_size

    def _opened(self) -> int:
        descriptor = os.open(destination(self.path), os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise UsageError(
                f"--emit: another run writes to {visible(self.path)}; name another file"
            ) from None
        except OSError:  # a file system without locks: nobody can be kept out
            return descriptor
        return descriptor

    def _follow(self) -> None:
        """Go on in a new file where this one was moved, deleted or emptied."""
        own = os.fstat(self.descriptor)
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            found = None
        is_there = found is not None and os.path.samestat(own, found)
        if is_there and own.st_size >= self.length - len(self.unwritten):
            return
        if is_there:
            what = "was cut off"
        else:
            what = "was moved or deleted"
            descriptor = self._opened()
            os.close(self.descriptor)
            self.descriptor = descriptor
        size = os.fstat(self.descriptor).st_size
        if not size and not self.unwritten.startswith(self.header):
            self.unwritten = self.header + self.unwritten
        self.length = size + len(self.unwritten)
        self.say(f"{visible(self.path)} {what} by somebody else; lines go on in what is there now")

    def begin(self, header: bytes) -> None:
        """Write the header of a new file, or see that it is that of the file."""
        self.header = header
        if not self.length:
            self.write(header)
            return
        found = os.pread(self.descriptor, max(len(header), 1), 0)
        ends = os.pread(self.descriptor, 1, self.length - 1)
        if found[: len(header)] != header or ends != b"\n":
            raise UsageError(
                f"--emit: {visible(self.path)} holds something else than such predictions; name "
                "another file"
            )

    def write(self, data: bytes) -> None:
        self.length += len(data)
        self.unwritten += data
        try:
            self._follow()
            at = self.length - len(self.unwritten)
            while self.unwritten:
                written = os.pwrite(self.descriptor, self.unwritten, at)
                self.unwritten, at = self.unwritten[written:], at + written
        except (OSError, UsageError) as error:
            if self.trouble is None:
                why = _unwritable(self.path, error) if isinstance(error, OSError) else error
                self.trouble = str(why)
                self.say(f"{self.trouble}; lines wait in memory, and it is tried again")
            return
        if self.trouble is not None:
            self.trouble = None
            self.say(f"{visible(self.path)} can be written again; nothing was lost")

    def state(self) -> State:
        return {"length": self.length}

    def restore(self, state: State) -> None:
        """Cut off what a killed run wrote after its last commit."""
        length = whole(state, "length")
        if self.length < length:
            raise MacroError(
                f"{visible(self.path)} has {self.length:,} bytes, and the run had written "
                f"{length:,}; put the file back, or begin another run"
            )
        os.ftruncate(self.descriptor, length)
        self.length = length

    def close(self) -> None:
        if self.descriptor < 0:
            return
        if self.unwritten:
            self.write(b"")
        os.close(self.descriptor)
        self.descriptor = -1
        if self.unwritten:
            raise MacroError(self.trouble or f"{visible(self.path)} cannot be written")


class StandardOutput(EmitTarget):
    """Standard output: a thread writes it, so that a reader who stops does not stop the run."""

    def __init__(self, say: Say, descriptor: int = 1) -> None:
        self.say = say
        self.descriptor = descriptor
        self.waiting: deque[bytes] = deque()
        self.nbytes = 0
        self.lost = 0  # lines
        self.is_gone = self.closing = False
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self._write, name="emit", daemon=True)
        self.thread.start()

    def begin(self, header: bytes) -> None:
        self.write(header)

    def write(self, data: bytes) -> None:
        if not data or self.is_gone:
            return
        with self.changed:
            is_full = self.nbytes + len(data) > MOST_WAITING
            if not is_full:
                self.waiting.append(data)
                self.nbytes += len(data)
                self.changed.notify()
        if is_full:
            if not self.lost:
                self.say(
                    f"nobody reads standard output: {MOST_WAITING >> 20} MB of predictions wait, "
                    "and further ones are lost"
                )
            self.lost += data.count(b"\n")
        elif self.lost:
            self.say(f"standard output is read again; {self.lost:,} lines were lost")
            self.lost = 0

    def close(self) -> None:
        """Give a reader a moment to take the rest."""
        with self.changed:
            self.closing = True
            self.changed.notify()
        self.thread.join(2.0)

    def _write(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or self.closing)
                if not self.waiting:
                    return
                data = self.waiting.popleft()
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(self.descriptor, rest) :]
            except OSError as error:
                self.is_gone = True
                self.say(f"standard output cannot be written any more: {visible(error.strerror)}")
                return
            with self.changed:
                self.nbytes -= len(data)


class Emission:
    """Hands predictions out as lines, each row once and in order.

    Parameters
    ----------
    to
        The name of a file, which says how it is written, or `-`.
    with_outcomes
        Whether the labels are written too, when they are known.
    say
        Takes a line of text about trouble.

    Attributes
    ----------
    rows
        How many rows were handed out.
    """

    def __init__(self, to: str, with_outcomes: bool, say: Say) -> None:
        self.to = to
        self.with_outcomes = with_outcomes
        self.target: EmitTarget = (
            StandardOutput(say) if to == STANDARD_OUTPUT else AppendedFile(Path(to), say)
        )
        self.lines: LineFormat | None = None
        self.rows = 0
        self.gathered: list[str] = []
        self.early: list[Outcomes] = []  # of rows that were not handed out yet

    @property
    def trouble(self) -> str | None:
        """Why what was handed out is not written yet."""
        return self.target.trouble

    def open(self, classes: Sequence[str], members: Sequence[str], strategy: str) -> None:
        """Begin; classes and members are known."""
        kind = FORMATS[Path(self.to).suffix] if self.to != STANDARD_OUTPUT else JsonLines
        self.lines = kind(classes, members, strategy, self.with_outcomes)
        self.target.begin(self.lines.header.encode())

    def add(self, found: PredictedRows) -> None:
        """Hand out those rows that were not yet."""
        assert self.lines is not None
        fresh = found.since(self.rows)
        if len(fresh):
            self.rows = fresh.first_row + len(fresh)
            self.gathered += self.lines.predictions(fresh)

        early, self.early = self.early, []
        for outcomes in early:
            self.add_outcomes(outcomes)

    def add_steps(self, found: PredictedRows | None, outcomes: Outcomes | None) -> None:
        """Hand out steps in succession, and after each the labels that are known by its end.

        However a run is cut into blocks, the lines stand in the same order.
        """
        if not self.with_outcomes:
            outcomes = None
        if found is None or outcomes is None or not len(outcomes):
            if found is not None:
                self.add(found)
            if outcomes is not None:
                self.add_outcomes(outcomes)
            return
        assert self.lines is not None
        fresh = found.since(self.rows)
        stop = found.first_row + len(found)
        self.rows = max(self.rows, stop)
        last_rows = found.first_row + found.ends_of_steps - 1
        keys = [2 * np.searchsorted(last_rows, np.arange(stop - len(fresh), stop))]
        lines = self.lines.predictions(fresh)
        early, self.early = self.early, []
        for known in (*early, outcomes):
            is_early = known.rows >= stop
            if is_early.any():
                self.early.append(known.where(np.flatnonzero(is_early)))
                known = known.where(np.flatnonzero(~is_early))
            after = np.searchsorted(last_rows, np.maximum(known.known, known.rows))
            keys.append(2 * np.minimum(after, len(last_rows) - 1) + 1)
            lines += self.lines.outcomes(known)
        order = np.argsort(np.concatenate(keys), kind="stable")
        self.gathered += [lines[i] for i in order.tolist()]

    def add_outcomes(self, found: Outcomes) -> None:
        """Hand out labels that are known, each after the prediction of its row."""
        if not self.with_outcomes or not len(found):
            return
        assert self.lines is not None
        is_early = found.rows >= self.rows
        if is_early.any():
            self.early.append(found.where(np.flatnonzero(is_early)))
            found = found.where(np.flatnonzero(~is_early))
        if len(found):
            self.gathered += self.lines.outcomes(found)

    def flush(self) -> None:
        """Have everything written that was handed out."""
        if self.gathered or self.trouble:
            data = "".join(self.gathered).encode()
            self.gathered = []
            self.target.write(data)

    def state(self) -> State:
        self.flush()
        return {"rows": self.rows, **self.target.state()}

    def restore(self, state: State) -> None:
        try:
            self.rows = whole(state, "rows")
            self.target.restore(state)
        except DamagedError:
            raise MacroError(
                "--emit: the run was begun without it; name another run file"
            ) from None

    def close(self) -> None:
        self.flush()
        self.target.close()


def check_emit(to: str, taken: dict[Path, str]) -> None:
    """Refuse a name that does not say how to write the file, or one that is in use."""
    if to == STANDARD_OUTPUT:
        return
    path = Path(to)
    if path.suffix not in FORMATS:
        raise UsageError(
            f"--emit {visible(path)}: the name must end in {' or '.join(FORMATS)}, which says how "
            "it is written; - is standard output"
        )
    try:
        place = destination(path)
    except UsageError as error:
        raise UsageError(f"--emit: {error}") from None
    if place in taken:
        raise UsageError(f"--emit: {visible(path)} {taken[place]}; name another file")


def _unwritable(path: Path, error: OSError) -> MacroError:
    return MacroError(f"{visible(path)} cannot be written: {visible(error.strerror)}")
