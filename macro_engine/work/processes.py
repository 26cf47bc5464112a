"""Worker processes of this machine."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import IO, Any

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.work.tasks import Ended, Task, as_json

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from macro_engine.work.worker import main; main()"
)
_PIECE = 1 << 16
_LAST_WORDS = 300  # bytes of what a lost worker wrote


class _Worker:
    """One process, and what it is doing."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors,
                env=environment,
                bufsize=0,
            )
        except OSError as error:
            raise MacroError(f"no worker process can be started: {error.strerror}") from None
        self.partial = b""
        self.current: int | None = None  # the task at hand
        self.beside: set[int] = set()  # and those that mostly wait

    @property
    def answers(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):  # it has just ended, which is noticed by what it does not answer
            self.process.stdin.write(as_json(message).encode() + b"\n")

    def read(self) -> list[dict[str, Any]] | None:
        """What it answered; None if it has ended."""
        piece = os.read(self.answers.fileno(), _PIECE)
        if not piece:
            return None
        *lines, self.partial = (self.partial + piece).split(b"\n")
        return [json.loads(line) for line in lines]

    def forget(self, number: int) -> None:
        self.beside.discard(number)
        if self.current == number:
            self.current = None

    def end(self) -> None:
        """Ends it at once."""
        with suppress(OSError):
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.errors):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def how_it_ended(self) -> str:
        """Why it was lost, in words."""
        code = self.process.wait()
        self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(self.errors.tell() - _LAST_WORDS, 0))
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        last = f": {visible(lines[-1], 200)}" if lines else ""
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
            return f"its worker process was ended by {name}{last}"
        return f"its worker process ended with exit code {code}{last}"


class Processes:
    """Does tasks in several processes, which are started when they are needed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.workers: list[_Worker] = []
        self.selector = selectors.DefaultSelector()
        # each reads its data with its share of the cores, and waits for compiled kernels: a helper
        # that compiles beside each of many short runs would never be done
        threads = max((os.cpu_count() or 1) // count, 1)
        defaults = {"POLARS_MAX_THREADS": str(threads), "MACRO_TUI_COMPILER": "wait"}
        self.environment = defaults | os.environ

    @property
    def room(self) -> int:
        return self.count - sum(worker.current is not None for worker in self.workers)

    def submit(self, number: int, task: Task, beside: bool = False) -> None:
        """Begins a task; one that mostly waits is done beside others, and needs no room."""
        if beside:
            worker = self._least_burdened()
            worker.beside.add(number)
        else:
            worker = next((w for w in self.workers if w.current is None), None) or self._start()
            worker.current = number
        order = {
            "number": number,
            "name": task.name,
            "settings": task.settings,
            "data": [str(path) for path in task.data],
            "label": task.label,
            "beside": beside,
        }
        worker.send(order)

    def wait(self, seconds: float) -> list[Ended | str]:
        happened: list[Ended | str] = []
        for key, _ in self.selector.select(seconds):
            worker: _Worker = key.data
            answers = worker.read()
            if answers is None:
                happened += self._lose(worker)
                continue
            for answer in answers:
                worker.forget(answer["number"])
                happened.append(Ended(**answer))
        return happened

    def ask_to_stop(self) -> None:
        """Asks for an end of all that listens to such a request."""
        for worker in self.workers:
            worker.send({"stop": True})

    @property
    def at_work(self) -> int:
        return sum((w.current is not None) + len(w.beside) for w in self.workers)

    def close(self) -> None:
        for worker in self.workers:
            with suppress(OSError):
                worker.process.kill()  # all of them before any is waited for
        for worker in self.workers:
            self.selector.unregister(worker.answers)
            worker.end()
        self.workers.clear()
        self.selector.close()

    def _start(self) -> _Worker:
        worker = _Worker(self.environment)
        self.workers.append(worker)
        self.selector.register(worker.answers, selectors.EVENT_READ, worker)
        return worker

    def _least_burdened(self) -> _Worker:
        if len(self.workers) < self.count:
            return self._start()
        return min(self.workers, key=lambda worker: len(worker.beside))

    def _lose(self, worker: _Worker) -> list[Ended]:
        reason = worker.how_it_ended()
        self.selector.unregister(worker.answers)
        self.workers.remove(worker)
        worker.end()
        numbers = sorted(worker.beside | ({worker.current} - {None}))  # type: ignore[type-var]
        return [Ended(number, reason=reason, is_lost=True) for number in numbers]  # type: ignore[arg-type]
