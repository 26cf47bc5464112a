"""A fleet: runs its streams on workers and reports the result of each."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from macro_engine.core.format import count_text
from macro_engine.fleet.order import best_order, sizes_of
from macro_engine.fleet.stream import Stream
from macro_engine.run.wall import RunLine
from macro_engine.work.processes import Processes
from macro_engine.work.tasks import Ended

_LOOK_SECONDS = 0.2
PATIENCE = 20.0  # seconds for all runs to commit what they read
_ATTEMPTS = 2  # where a worker was lost


@dataclass
class StreamStatus:
    """Where a stream of a fleet stands.

    Attributes
    ----------
    state
        `waiting`, `running`, `finished`, `stopped` or `failed`.
    reason
        Why it failed.
    value
        What `run_stream` returned.
    """

    stream: Stream
    state: str = "waiting"
    reason: str = ""
    value: dict[str, Any] | None = None
    seconds: float = 0.0
    attempts: int = 0

    @property
    def has_ended(self) -> bool:
        return self.state in ("finished", "stopped", "failed")

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        value = self.value or {}
        return {
            "name": self.stream.name,
            "stream": self.stream.source,
            "run": self.stream.run_file,
            "state": self.state,
            "error": self.reason or None,
            "seconds": self.seconds,
            "alarms": value.get("rung", 0),
            "summary": value.get("summary"),
        }


class StreamRunner(Protocol):
    """Runs the streams: local processes, or a Dask cluster."""

    @property
    def room(self) -> int: ...

    @property
    def at_work(self) -> int: ...

    def begin(self, number: int, stream: Stream) -> None:
        """Starts a run; a recording occupies a worker, a live stream does not."""

    def wait(self, seconds: float) -> list[Ended | str]: ...

    def ask_to_stop(self) -> None:
        """Asks every run to commit what it read and end."""

    def lines(self) -> dict[Path, RunLine]:
        """Returns the lines of runs on other machines, by run file."""

    def close(self) -> None: ...


class LocalRunner(Processes):
    """Worker processes of this machine; live streams, which mostly wait, share them."""

    def begin(self, number: int, stream: Stream) -> None:
        self.submit(number, stream.task(), beside=stream.is_live)

    def lines(self) -> dict[Path, RunLine]:
        return {}


class Fleet:
    """Runs streams until all have ended or a stop is asked for.

    Parameters
    ----------
    open_runner
        Creates the runner of the streams; called in the thread of `run`.
    say
        Takes lines for the user.
    """

    def __init__(
        self,
        streams: Sequence[Stream],
        open_runner: Callable[[], StreamRunner],
        say: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self.standings = [StreamStatus(stream) for stream in streams]
        self.open_runner = open_runner
        self.say = say
        self.stopping = threading.Event()
        self.ended = threading.Event()  # a thread whose `join` was interrupted passes for dead
        self.runner: StreamRunner | None = None
        self.error: BaseException | None = None
        self.seconds = 0.0
        self.thread = threading.Thread(target=self._run_beside, name="fleet", daemon=True)

    @property
    def failed(self) -> list[StreamStatus]:
        return [one for one in self.standings if one.state == "failed"]

    @property
    def rung(self) -> int:
        return sum((one.value or {}).get("rung", 0) for one in self.standings)

    def run(self) -> None:
        """Runs them; whatever was started has ended afterwards."""
        started = monotonic()
        self.runner = runner = self.open_runner()
        try:
            self._run(runner)
        finally:
            runner.close()
            self.seconds = monotonic() - started

    def stop(self) -> None:
        """Asks for an end; from any thread."""
        self.stopping.set()

    def lines(self) -> dict[Path, RunLine]:
        """Lines of the wall for streams whose run file does not tell, by that file."""
        if self.error is not None:
            raise self.error
        found = {} if self.runner is None else self.runner.lines()
        for one in list(self.standings):
            path = Path(one.stream.run_file)
            if one.state == "failed":  # its file may tell of an earlier end
                found[path] = RunLine(path, one.stream.shown_name, trouble=one.reason)
            elif not (one.has_ended or path in found or path.exists()):
                words = (
                    "waiting for a worker" if one.state == "waiting" else what_it_awaits(one.stream)
                )
                found[path] = waiting_line(one.stream, words)
        return found

    def progress(self) -> tuple[float, str]:
        """Returns the share of recordings that have ended, and the progress in words."""
        states = Counter(one.state for one in self.standings)
        order = ("running", "waiting", "finished", "stopped", "failed")
        words = ", ".join(f"{states[state]} {state}" for state in order if states[state])
        ended = sum(one.has_ended for one in self.standings)
        return ended / max(len(self.standings), 1), words

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "streams": [one.document() for one in self.standings],
            "failed": len(self.failed),
            "seconds": self.seconds,
        }

    def _run_beside(self) -> None:
        try:
            self.run()
        except BaseException as error:  # raised by whoever waits for the fleet
            self.error = error
        finally:
            self.ended.set()

    def _run(self, runner: StreamRunner) -> None:
        is_queue = 1 < runner.room < len(self.standings)
        sizes = sizes_of([one.stream.source for one in self.standings]) if is_queue else []
        waiting = deque(best_order(sizes, runner.room) if is_queue else range(len(self.standings)))
        is_asked, until = False, 0.0
        while waiting or runner.at_work:
            if self.stopping.is_set() and not is_asked:
                is_asked, until = True, monotonic() + PATIENCE
                waiting.clear()
                runner.ask_to_stop()
            if is_asked and (monotonic() > until or not runner.at_work):
                break
            self._begin(runner, waiting)
            for happened in runner.wait(_LOOK_SECONDS):
                if isinstance(happened, str):
                    self.say(happened)
                elif self._end(happened) and not is_asked:
                    waiting.append(happened.number)
        for one in self.standings:
            if one.state == "running":  # it did not end in time; its file holds its last commit
                one.state = "stopped"

    def _begin(self, runner: StreamRunner, waiting: deque[int]) -> None:
        """Begins live streams, and recordings for as long as there is room."""
        for number in [n for n in waiting if self.standings[n].stream.is_live]:
            waiting.remove(number)
            self._start(runner, number)
        while waiting and runner.room > 0:
            self._start(runner, waiting.popleft())

    def _start(self, runner: StreamRunner, number: int) -> None:
        one = self.standings[number]
        one.attempts += 1
        one.state = "running"
        runner.begin(number, one.stream)

    def _end(self, ended: Ended) -> bool:
        """Notes how a run ended; returns whether it is to be begun again."""
        one = self.standings[ended.number]
        one.seconds = ended.seconds
        if ended.value is not None:
            one.value, one.state = ended.value, ended.value["state"]
            return False
        if ended.is_lost and one.attempts < _ATTEMPTS and not self.stopping.is_set():
            self.say(f"{one.stream.name}: {ended.reason}; it resumes from its run file")
            one.state = "waiting"
            return True
        one.state, one.reason = "failed", ended.reason
        self.say(f"{one.stream.name}: {ended.reason}")
        return False


def what_it_awaits(stream: Stream) -> str:
    """Returns what a stream waits for before it has a run file."""
    if stream.is_awaited:
        return "there is no such file yet: waiting for it"
    return "waiting for its first rows" if stream.is_live else "is opened"


def waiting_line(stream: Stream, words: str) -> RunLine:
    """The line of a stream that has no run yet."""
    from macro_engine.run.snapshot import Snapshot

    return RunLine(
        Path(stream.run_file), stream.shown_name, Snapshot(state="starting", words=words)
    )


def failures_in_words(fleet: Fleet) -> str:
    """For the end of the command; empty if nothing failed."""
    if not fleet.failed:
        return ""
    streams = count_text(len(fleet.standings), "stream")
    lines = [f"{len(fleet.failed)} of {streams} failed:"]
    lines += [f"  {one.stream.name}: {one.reason}" for one in fleet.failed]
    return "\n".join(lines)
