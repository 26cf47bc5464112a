"""`--on-alarm COMMAND`: a program that is told of alarms, one after the other, beside the run."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from queue import Full, Queue

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.run.alarms import Change
from macro_engine.stream.times import iso

_MOST_WAITING = 100
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
        self.thread = threading.Thread(target=self._work, name="on-alarm", daemon=True)
        self.thread.start()

    def __call__(self, change: Change, stream: str | None = None) -> None:
        """Has the command told of a change; returns at once."""
        try:
            self.queue.put_nowait(json.dumps(self._document(change, stream or self.stream)))
        except Full:
            self.failed(f"{self._name}: {_MOST_WAITING} alarms wait already, one is left out")

    def close(self) -> None:
        """Waits a while for the calls that are under way."""
        try:
            self.queue.put_nowait(None)
        except Full:
            return
        self.thread.join(_PATIENCE)

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
            try:
                done = subprocess.run(
                    self.words,
                    input=document + "\n",
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                    errors="replace",
                    timeout=self.seconds,
                    check=False,
                    start_new_session=True,
                )
            except subprocess.TimeoutExpired:
                self.failed(f"{self._name}: ended after {self.seconds:.0f} s without an answer")
            except OSError as error:
                self.failed(f"{self._name}: {error.strerror}")
            else:
                if done.returncode:
                    last = visible(done.stderr.strip().rpartition("\n")[2], 100)
                    self.failed(f"{self._name}: exit code {done.returncode}{last and ': '}{last}")
