"""Work on a Dask cluster: running, lost and finished."""

from __future__ import annotations

import queue
import uuid
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from macro_engine.core.escape import visible
from macro_engine.work.cluster import connect
from macro_engine.work.tasks import Ended, error_text

_LOST_TWICE = 2
_PATIENCE_TO_CLOSE = 2.0  # seconds


class DaskWork(ABC):
    """Hands work to the workers of a cluster, and hears what becomes of it.

    Dask does what a lost worker did elsewhere; what was lost twice is given up.

    Attributes
    ----------
    numbers, futures
        Of what is at work, by key.
    happened
        What is to be done in the thread that waits; each gives what is to be told.
    """

    def __init__(self, address: str) -> None:
        self.client = connect(address)
        self.series = uuid.uuid4().hex[:8]
        self.numbers: dict[str, int] = {}
        self.futures: dict[str, Any] = {}
        self.losses: Counter[str] = Counter()
        self.happened: queue.SimpleQueue[Callable[[], list[Ended | str]]] = queue.SimpleQueue()
        self.client.subscribe_topic("all", self._hear_of_workers)

    @property
    def threads(self) -> int:
        """Of all workers."""
        return int(sum(self.client.nthreads().values()))

    def new_key(self, number: int) -> str:
        return f"macro-{self.series}-{number}-{uuid.uuid4().hex[:8]}"

    def hand_over(
        self, key: str, number: int, work: Callable[..., Any], *orders: Any, **options: Any
    ) -> None:
        """Has a worker do something; the options are those of Dask's `submit`."""
        self.numbers[key] = number
        future = self.client.submit(work, *orders, key=key, pure=False, **options)
        self.futures[key] = future
        future.add_done_callback(lambda done: self.happened.put(partial(self._done, done)))

    def wait(self, seconds: float) -> list[Ended | str]:
        found: list[Ended | str] = []
        try:
            while True:
                found += self.happened.get(timeout=0 if found else seconds)()
        except queue.Empty:
            return found

    def close(self) -> None:
        """Cancels unfinished tasks; a worker finishes its current one and drops the result."""
        with suppress(Exception):  # the scheduler may be gone
            self.client.cancel(list(self.futures.values()), force=True)
        with suppress(Exception):
            self.client.close(timeout=_PATIENCE_TO_CLOSE)

    @abstractmethod
    def answer_of(self, key: str, future: Any) -> dict[str, Any]:
        """What came back, as `Ended` takes it."""

    @abstractmethod
    def done_again(self, worker: str, keys: list[str]) -> list[str]:
        """What is to be told of work that a lost worker did, and another one does now."""

    def forget(self, key: str, answer: dict[str, Any]) -> Ended:
        """Takes work off the list."""
        self.futures.pop(key, None)
        return Ended(self.numbers.pop(key), **answer)

    def _hear_of_workers(self, event: tuple[float, Any]) -> None:
        """In Dask's thread."""
        message = event[1]
        if isinstance(message, dict) and message.get("action") == "remove-worker":
            keys = [str(key) for key in message.get("processing-tasks") or ()]
            worker = visible(str(message.get("worker")))
            self.happened.put(partial(self._lost, worker, keys))

    def _lost(self, worker: str, keys: list[str]) -> list[Ended | str]:
        again: list[str] = []
        found: list[Ended | str] = []
        for key in [key for key in keys if key in self.numbers]:
            self.losses[key] += 1
            if self.losses[key] < _LOST_TWICE:
                again.append(key)
                continue
            with suppress(Exception):
                self.client.cancel([self.futures[key]], force=True)
            twice = {"reason": "its worker was lost, twice", "may_retry": False}
            found.append(self.forget(key, twice))
        if again:
            found = [*self.done_again(worker, again), *found]
        if not self.client.nthreads():
            found.append("the cluster has no workers left: waiting for one")
        return found

    def _done(self, future: Any) -> list[Ended | str]:
        key = str(future.key)
        if key not in self.numbers:
            return []
        if future.status == "finished":
            answer = self.answer_of(key, future)
        elif future.status == "error":
            answer = {"reason": error_text(future.exception())}
        else:
            answer = {"reason": "the Dask scheduler is gone, or gave it up", "may_retry": False}
        return [self.forget(key, answer)]
