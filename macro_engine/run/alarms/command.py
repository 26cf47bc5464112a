"""`--on-alarm COMMAND`: runs a program for each alarm, one after the other, beside the run."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from queue import Full, Queue
from time import monotonic

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.run.alarms.alarms import Change
from macro_engine.stream.times import iso

_MOST_WAITING = 100
_KEPT = 2_000  # bytes of what a call writes to its errors
_SECONDS = 30.0  # that a call may take
_PATIENCE = 10.0  # seconds for calls that are under way when the run ends


def read_command(text: str) -> list[str]:
    """The words of a command; it is run without a shell."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--on-alarm '{visible(text)}': {error}") from None
    if not words:
        raise UsageError("--on-alarm: name a program, such as 'notify-send macro-tui'")
    if shutil.which(words[0]) is None:
        raise UsageError(f"--on-alarm: there is no program '{visible(words[0])}'")
    return words


class AlarmCommand:
    """Runs a command for each alarm, in a thread of its own.

    Parameters
    ----------
    words
        The command and its arguments.
    stream
        What is watched, as the command is told.
    failed
        Takes a line of text where a call fails; in another thread.
    """

    def __init__(
        self,
        words: Sequence[str],
        stream: str,
        failed: Callable[[str], None],
        seconds: float = _SECONDS,
    ) -> None:
        self.words = list(words)
        self.stream = stream
        self.failed = failed
        self.seconds = seconds
        self.queue: Queue[str | None] = Queue(_MOST_WAITING)
        self.is_over = False  # nobody waits for further calls
        self.process: subprocess.Popen[bytes] | None = None  # the call that is under way
        self.thread = threading.Thread(target=self._work, name="on-alarm", daemon=True)
        self.thread.start()

    def __call__(self, change: Change, stream: str | None = None) -> None:
        """Queues a change for the command; returns at once."""
        try:
            self.queue.put_nowait(json.dumps(self._document(change, stream or self.stream)))
        except Full:
            self.failed(f"{self._name}: {_MOST_WAITING} alarms already wait; this one is skipped")

    def close(self) -> None:
        """Waits a while for the calls that are under way."""
        try:
            self.queue.put_nowait(None)
        except Full:
            return
        self.thread.join(_PATIENCE)
        if self.thread.is_alive() and self.process is not None:
            self.is_over = True
            _kill(self.process)
            self.thread.join(1.0)

    @property
    def _name(self) -> str:
        return f"--on-alarm {visible(self.words[0], 40)}"

    def _document(self, change: Change, stream: str) -> dict[str, object]:
        return {
            "stream": stream,
            "rule": change.rule.text,
            "raised": change.is_raised,
            "words": change.words,
            "step": change.step,
            "time": None if change.time is None else iso(change.time),
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def _work(self) -> None:
        while (document := self.queue.get()) is not None:
            if self.is_over:
                self.failed(f"{self._name}: an alarm at the end was not delivered")
                continue
            try:
                self._call(document)
            except OSError as error:
                self.failed(f"{self._name}: {error.strerror}")

    def _call(self, document: str) -> None:
        """Runs the command once; of what it writes only the end of its errors is kept."""
        process = self.process = subprocess.Popen(
            self.words,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        kept = bytearray()
        reader = threading.Thread(target=_keep_end, args=(process, kept), daemon=True)
        reader.start()
        assert process.stdin is not None
        with suppress(BrokenPipeError), process.stdin:  # it need not read what it is told
            process.stdin.write(f"{document}\n".encode())
        started = monotonic()
        try:
            process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.wait()
        reader.join(1.0)
        if process.returncode == -signal.SIGKILL:
            self.failed(f"{self._name}: killed after {monotonic() - started:.0f} s, still running")
        elif process.returncode:
            last = visible(kept.decode(errors="replace").strip().rpartition("\n")[2], 100)
            self.failed(f"{self._name}: exit code {process.returncode}{last and ': '}{last}")


def _keep_end(process: subprocess.Popen[bytes], kept: bytearray) -> None:
    """Reads the errors of a command, of which only the end is kept."""
    assert process.stderr is not None
    with process.stderr as errors:
        while found := os.read(errors.fileno(), 1 << 16):
            kept += found
            del kept[:-_KEPT]


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a command and whatever it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
