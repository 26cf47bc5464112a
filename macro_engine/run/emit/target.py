"""The target of `--emit`: a file that holds each line once, or standard output."""

from __future__ import annotations

import fcntl
import os
import select
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.output_path import resolve_output
from macro_engine.core.state import State, whole

MOST_WAITING = 64 << 20  # bytes that a reader may be behind
PATIENCE_AT_END = 30.0  # seconds that a reader may take nothing once the run is over
_PATIENCE_TO_STORE = 0.5

Say = Callable[[str], None]


class EmitTarget(ABC):
    """Where lines go. `trouble` says in words why they cannot be written; None if they can."""

    trouble: str | None = None

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Writes whole lines; does not wait for a reader."""

    def state(self) -> State:
        """Returns the state for a resumed run."""
        return {}

    def restore(self, state: State) -> None:  # noqa: B027
        """Restores a state."""

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
        descriptor = os.open(resolve_output(self.path), os.O_RDWR | os.O_CREAT, 0o666)
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
        """Continues in a new file if this one was moved, deleted or emptied."""
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
        self.say(f"{visible(self.path)} {what} by another program; lines go to the file there now")

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
                f"--emit: {visible(self.path)} holds something other than these predictions; name "
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
                self.say(f"{self.trouble}; lines wait in memory, and writing is retried")
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
    """Standard output: a thread writes it, so that a reader who stops does not stop the run.

    A reader who reads gets every line, however slowly: a state is not stored before the lines up
    to it are written, and the end of the run waits for them. One who does not is waited for once.
    """

    def __init__(self, say: Say, descriptor: int = 1) -> None:
        self.say = say
        self.descriptor = descriptor
        self.waiting: deque[bytes] = deque()
        self.nbytes = 0
        self.lost = 0  # lines
        self.is_gone = self.is_behind = self.closing = False
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
                self.waiting.extend(_pieces(data))
                self.nbytes += len(data)
                self.changed.notify_all()
        if is_full:
            if not self.lost:
                self.say(
                    f"standard output is not being read: {MOST_WAITING >> 20} MB of predictions "
                    "wait, and further ones are lost"
                )
            self.lost += data.count(b"\n")
        elif self.lost:
            self.say(f"standard output is read again; {self.lost:,} lines were lost")
            self.lost = 0

    def state(self) -> State:
        if not self.is_behind:
            self.is_behind = not self._is_taken(_PATIENCE_TO_STORE)
        return {}

    def close(self) -> None:
        """Wait for a reader to take the rest, as long as he takes anything."""
        with self.changed:
            self.closing = True
            self.changed.notify_all()
        if not self._is_taken(_PATIENCE_TO_STORE):
            self.say(f"{self._left():,} lines wait for the reader of standard output")
        left = self.nbytes + 1
        while 0 < self.nbytes < left and not self.is_gone:
            left = self.nbytes
            self._is_taken(PATIENCE_AT_END)
        if self.nbytes and not self.is_gone:
            self.say(
                f"standard output was not read for {PATIENCE_AT_END:.0f} s: {self._left():,} lines "
                "were lost"
            )

    def _is_taken(self, patience: float) -> bool:
        """Whether all is written, or will be within so many seconds."""
        with self.changed:
            return self.changed.wait_for(lambda: not self.nbytes or self.is_gone, patience)

    def _left(self) -> int:
        with self.changed:
            return sum(data.count(b"\n") for data in self.waiting)

    def _write(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or self.closing)
                if not self.waiting:
                    return
                piece = self.waiting[0]
            try:
                rest = memoryview(piece)
                while rest:
                    rest = rest[os.write(self.descriptor, rest) :]
            except OSError as error:
                self.say(f"standard output cannot be written any more: {visible(error.strerror)}")
                with self.changed:
                    self.is_gone = True
                    self.changed.notify_all()
                return
            with self.changed:
                self.waiting.popleft()
                self.nbytes -= len(piece)
                self.is_behind &= self.nbytes > 0
                self.changed.notify_all()


def _pieces(data: bytes) -> Iterator[bytes]:
    """Whole lines, as many as a pipe takes at once or not at all, so that no line is ever torn."""
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + select.PIPE_BUF) + 1
        end = end or data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end


def _unwritable(path: Path, error: OSError) -> MacroError:
    return MacroError(f"{visible(path)} cannot be written: {visible(error.strerror)}")
