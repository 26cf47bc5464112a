"""Tasks on a Dask cluster that exists.

What travels is JSON text within Dask's own protocol, which pickles the call: whoever can reach a
scheduler can run anything on its workers. That is Dask's trust model, and the operator's choice.
"""

from __future__ import annotations

import json
import queue
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from macro_engine.core.escape import visible
from macro_engine.experiments.cluster import check_data, check_program, connect
from macro_engine.experiments.identity import program
from macro_engine.experiments.tasks import Ended, Task, as_json, do, why

_LOST_TWICE = 2
_PATIENCE_TO_CLOSE = 2.0  # seconds


def do_there(order: str) -> str:
    """In a worker: does a task; the answer says what came out or why nothing did."""
    asked = json.loads(order)
    try:
        check_program(asked["program"])
        data = check_data(asked["data"])
        value, seconds = do(Task(asked["name"], asked["settings"], data, asked["label"]))
        return as_json({"value": value, "seconds": seconds})
    except Exception as error:  # it is told where it was asked for
        return as_json({"reason": why(error)})


class LostWorkers:
    """Hears of workers that are lost, and of what they were doing; Dask gives that to others."""

    def __init__(self, client: Any, lost: Callable[[str, list[str]], None]) -> None:
        self.lost = lost
        client.subscribe_topic("all", self._hear)

    def _hear(self, event: tuple[float, Any]) -> None:
        message = event[1]
        if isinstance(message, dict) and message.get("action") == "remove-worker":
            keys = message.get("processing-tasks") or ()
            self.lost(str(message.get("worker")), [str(key) for key in keys])


class DaskScheduler:
    """Does tasks on the workers of a cluster."""

    def __init__(self, address: str) -> None:
        self.client = connect(address)
        self.happened: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.numbers: dict[str, int] = {}  # of what is at work, by key
        self.futures: dict[str, Any] = {}
        self.losses: Counter[str] = Counter()
        self.series = uuid.uuid4().hex[:8]
        self.workers = LostWorkers(self.client, self._lost)

    @property
    def room(self) -> int:
        """Two a thread, so that none waits for the next order."""
        threads = int(sum(self.client.nthreads().values()))
        return 2 * max(threads, 1) - len(self.numbers)

    def submit(self, number: int, task: Task) -> None:
        paths = [str(path.absolute()) for path in task.data]
        order = {
            "name": task.name,
            "settings": task.settings,
            "label": task.label,
            "data": list(zip(paths, task.fingerprints, strict=True)),
            "program": program(),
        }
        key = f"macro-{self.series}-{number}-{uuid.uuid4().hex[:8]}"
        self.numbers[key] = number
        future = self.client.submit(do_there, as_json(order), key=key, pure=False)
        self.futures[key] = future
        future.add_done_callback(lambda done: self.happened.put(("done", done)))

    def wait(self, seconds: float) -> list[Ended | str]:
        found: list[Ended | str] = []
        try:
            while True:
                kind, what = self.happened.get(timeout=0 if found else seconds)
                found += self._ended(what) if kind == "done" else self._said(*what)
        except queue.Empty:
            return found

    def close(self) -> None:
        """Gives up what is not done; a worker ends the task at hand and forgets it."""
        with suppress(Exception):  # the scheduler may be gone
            self.client.cancel(list(self.futures.values()), force=True)
        with suppress(Exception):
            self.client.close(timeout=_PATIENCE_TO_CLOSE)

    def _lost(self, worker: str, keys: list[str]) -> None:
        self.happened.put(("lost", (worker, keys)))

    def _said(self, worker: str, keys: list[str]) -> list[Ended | str]:
        """What is to be told of a lost worker; Dask does its tasks elsewhere, once."""
        ours = [key for key in keys if key in self.numbers]
        found: list[Ended | str] = []
        for key in ours:
            self.losses[key] += 1
            if self.losses[key] >= _LOST_TWICE:
                self.client.cancel([self.futures[key]], force=True)
                found.append(self._forget(key, "its worker was lost, twice"))
        again = len(ours) - len(found)
        if ours:
            words = f"worker {visible(worker)} is lost"
            found.append(f"{words}; what it did is done again elsewhere" if again else words)
        if not self.client.nthreads():
            found.append("the cluster has no workers left: waiting for one")
        return found

    def _ended(self, future: Any) -> list[Ended | str]:
        key = str(future.key)
        if key not in self.numbers:
            return []
        if future.status == "finished":
            try:
                answer = json.loads(future.result(timeout=60))
            except Exception as error:  # it was lost on its way
                return [self._forget(key, why(error), True)]
            number = self.numbers.pop(key)
            self.futures.pop(key)
            return [Ended(number, **answer)]
        if future.status == "error":
            return [self._forget(key, why(future.exception()), True)]
        return [self._forget(key, "the Dask scheduler is gone, or gave it up", False)]

    def _forget(self, key: str, reason: str, may_retry: bool = False) -> Ended:
        self.futures.pop(key, None)
        return Ended(self.numbers.pop(key), reason=reason, may_retry=may_retry)
