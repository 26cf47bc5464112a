"""Tasks with an identity, run in this process, by worker processes or by a cluster."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, Protocol, TypeAlias

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.format import count_text, duration_text
from macro_engine.work.identity import fingerprint, program
from macro_engine.work.result_cache import ResultCache

ATTEMPTS = 2  # a task that fails is tried once more
_LOOK_SECONDS = 0.5  # between two calls of `on_progress` while nothing ends

Work: TypeAlias = "Callable[[Task], dict[str, Any]]"


@dataclass(frozen=True)
class Task:
    """One piece of work.

    Attributes
    ----------
    name
        Which work it is: `module:function`, a function marked by `@work`.
    settings
        What the work is asked to do, as JSON.
    data
        Files and folders that it reads.
    label
        What it is called in messages; it is no part of the identity.
    """

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    data: tuple[Path, ...] = ()
    label: str = ""

    @classmethod
    def of(
        cls, function: Work, settings: dict[str, Any], data: Sequence[Path] = (), label: str = ""
    ) -> Task:
        """The task of calling a function that is marked by `@work`."""
        return cls(f"{function.__module__}:{function.__name__}", settings, tuple(data), label)

    @cached_property
    def fingerprints(self) -> tuple[str, ...]:
        """What the data holds; raises `MacroError` where it cannot be read."""
        return tuple(fingerprint(path) for path in self.data)

    def identity(self) -> str:
        """A digest of the work, its settings, the content of its data and this program."""
        named = zip(self.data, self.fingerprints, strict=True)
        held = [f"{path.name} {found}" for path, found in named]
        asked = [self.name, self.settings, held, program()]
        text = json.dumps(asked, sort_keys=True, allow_nan=False)
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

    def in_words(self) -> str:
        if self.label:
            return visible(self.label)
        settings = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        return visible(f"{self.name.rpartition(':')[2]} ({settings})", 100)


@dataclass(frozen=True)
class Done:
    """A finished task, with its value and its time in seconds."""

    task: Task
    value: dict[str, Any]
    seconds: float


@dataclass(frozen=True)
class Failed:
    """A task that failed, each time it was tried."""

    task: Task
    reason: str


@dataclass(frozen=True)
class Progress:
    """The progress of a series of tasks.

    Attributes
    ----------
    kept
        How many of those that are done were in the cache.
    seconds_left
        At the pace until now; None before the first one is done.
    said
        A line for the user, such as that a task failed and is tried again; mostly empty.
    """

    total: int
    done: int = 0
    kept: int = 0
    failed: int = 0
    seconds_left: float | None = None
    said: str = ""

    def in_words(self) -> str:
        """
        >>> Progress(56, done=12, kept=3, seconds_left=130).in_words()
        '12 of 56 done, 3 of them before; 2 min 10 s left'
        """
        words = f"{self.done} of {self.total} done"
        words += f", {self.kept} of them before" if self.kept else ""
        words += f", {self.failed} failed" if self.failed else ""
        if self.seconds_left is not None and self.done + self.failed < self.total:
            words += f"; {duration_text(round(self.seconds_left))} left"
        return words


@dataclass(frozen=True)
class Ended:
    """The end of a task: a value, or the reason why there is none.

    Attributes
    ----------
    number
        The number under which it was submitted.
    may_retry
        False where another attempt was made already.
    is_lost
        Whether the worker failed, and not the task.
    """

    number: int
    value: dict[str, Any] | None = None
    seconds: float = 0.0
    reason: str = ""
    may_retry: bool = True
    is_lost: bool = False


class Scheduler(Protocol):
    """Runs tasks.

    Attributes
    ----------
    room
        How many more tasks it takes now.
    """

    @property
    def room(self) -> int: ...

    def submit(self, number: int, task: Task) -> None:
        """Begins a task; there must be room."""

    def wait(self, seconds: float) -> list[Ended | str]:
        """What ended, and lines for the user; waits so long if there is nothing."""

    def close(self) -> None:
        """Ends everything at once, whatever is at work."""


def work(function: Work) -> Work:
    """Marks a function that can run as a task; it must be a module-level function."""
    function.is_work = True  # type: ignore[attr-defined]
    return function


def do(task: Task) -> tuple[dict[str, Any], float]:
    """Does a task in this process; returns what came out, as JSON gives it back, and seconds."""
    module, _, name = task.name.partition(":")
    function = getattr(import_module(module), name, None)
    if not getattr(function, "is_work", False):
        raise UsageError(f"'{visible(task.name)}' is not a task: mark the function with @work")
    started = perf_counter()
    value = function(task)  # type: ignore[misc]
    seconds = perf_counter() - started
    found = json.loads(as_json(value))
    if not isinstance(found, dict):
        raise TypeError(f"{task.name} returned {type(value).__name__} in place of a dict")
    return found, seconds


def as_json(value: Any) -> str:
    """A value on its way to a worker or back."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def error_text(error: BaseException) -> str:
    """An exception as a reason, for the user."""
    if isinstance(error, MacroError):
        return str(error)
    return visible(f"{type(error).__name__}: {error}".removesuffix(": "), 300)


class InProcess:
    """Does tasks here, one after another."""

    def __init__(self) -> None:
        self.ended: list[Ended | str] = []

    @property
    def room(self) -> int:
        return 0 if self.ended else 1

    def submit(self, number: int, task: Task) -> None:
        try:
            value, seconds = do(task)
            self.ended.append(Ended(number, value, seconds))
        except Exception as error:  # whatever it is, the other tasks go on
            self.ended.append(Ended(number, reason=error_text(error)))

    def wait(self, seconds: float) -> list[Ended | str]:  # noqa: ARG002
        ended, self.ended = self.ended, []
        return ended

    def close(self) -> None:
        pass


def run_tasks(
    tasks: Sequence[Task],
    *,
    workers: int = 1,
    scheduler: str | None = None,
    cache: Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> list[Done | Failed]:
    """Runs tasks and returns their results in the order of the tasks.

    The results do not depend on where they run. A task that fails, or whose worker is lost, is
    tried once more; the others go on.

    Parameters
    ----------
    workers
        How many processes of this machine; with 1 the tasks are done in this one.
    scheduler
        The address of a Dask scheduler whose workers do the tasks instead.
    cache
        A folder that keeps what was done, so that a second call goes on.
    on_progress
        Is told how far it is, about twice a second and after each task.

    Raises
    ------
    MacroError
        Where the data of a task cannot be read, or there is no such scheduler.
    """
    series = _Series(tasks, None if cache is None else ResultCache(cache), on_progress)
    series.take_kept()
    if series.waiting:
        with scheduler_for(workers, scheduler, len(series.waiting)) as chosen:
            series.run(chosen)
    return series.results


@contextmanager
def scheduler_for(workers: int, address: str | None, tasks: int) -> Iterator[Scheduler]:
    """Whoever does the tasks; everything that was started for that has ended afterwards."""
    if workers < 1:
        raise UsageError(f"--workers {workers}: write 1 or more")
    chosen: Scheduler
    if address is not None:
        from macro_engine.work.dask_scheduler import DaskScheduler

        chosen = DaskScheduler(address)
    elif workers == 1:
        chosen = InProcess()
    else:
        from macro_engine.work.processes import Processes

        chosen = Processes(min(workers, tasks))
    try:
        yield chosen
    finally:
        chosen.close()


class _Series:
    """Tasks, and what became of them."""

    def __init__(
        self,
        tasks: Sequence[Task],
        cache: ResultCache | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self.tasks = list(tasks)
        self.cache = cache
        self.on_progress = on_progress
        self.found: dict[int, Done | Failed] = {}
        self.waiting: deque[int] = deque()
        self.attempts = [0] * len(self.tasks)
        self.kept = 0
        self.started = monotonic()

    @property
    def results(self) -> list[Done | Failed]:
        return [self.found[number] for number in range(len(self.tasks))]

    def take_kept(self) -> None:
        """Takes what is in the cache; the rest is to be done."""
        for number, task in enumerate(self.tasks):
            kept = None if self.cache is None else self.cache.read(task.identity(), self.tell)
            if kept is None:
                self.waiting.append(number)
            else:
                self.found[number] = Done(task, *kept)
        self.kept = len(self.found)
        self.started = monotonic()
        self.tell()

    def run(self, scheduler: Scheduler) -> None:
        """Does what is to be done."""
        while len(self.found) < len(self.tasks):
            while self.waiting and scheduler.room:
                number = self.waiting.popleft()
                self.attempts[number] += 1
                scheduler.submit(number, self.tasks[number])
            for happened in scheduler.wait(_LOOK_SECONDS):
                if isinstance(happened, str):
                    self.tell(happened)
                else:
                    self._end(happened)
            self.tell()

    def _end(self, ended: Ended) -> None:
        task = self.tasks[ended.number]
        if ended.value is not None:
            if self.cache is not None:
                self.cache.write(task.identity(), task, ended.value, ended.seconds, self.tell)
            self.found[ended.number] = Done(task, ended.value, ended.seconds)
        elif ended.may_retry and self.attempts[ended.number] < ATTEMPTS:
            self.tell(f"{task.in_words()} failed and is tried again: {ended.reason}")
            self.waiting.append(ended.number)
        else:
            self.found[ended.number] = Failed(task, ended.reason)
            self.tell(f"{task.in_words()} failed: {ended.reason}")

    def tell(self, said: str = "") -> None:
        if self.on_progress is None:
            return
        failed = sum(isinstance(one, Failed) for one in self.found.values())
        done, computed = len(self.found) - failed, len(self.found) - self.kept
        left: float | None = None
        if computed:
            pace = (monotonic() - self.started) / computed
            left = pace * (len(self.tasks) - len(self.found))
        self.on_progress(Progress(len(self.tasks), done, self.kept, failed, left, said))


def failures_in_words(results: Sequence[Done | Failed]) -> str:
    """What failed, for the end of a command; empty if nothing did."""
    failed = [one for one in results if isinstance(one, Failed)]
    if not failed:
        return ""
    first = f"{failed[0].task.in_words()}: {failed[0].reason}"
    return f"{count_text(len(failed), 'task')} of {len(results)} failed, the first is {first}"
