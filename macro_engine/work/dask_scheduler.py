"""Runs tasks on an existing Dask cluster.

What travels is JSON text within Dask's own protocol, which pickles the call: whoever can reach a
scheduler can run anything on its workers. That is Dask's trust model, and the operator's choice.
"""

from __future__ import annotations

import json
from typing import Any

from macro_engine.work.cluster import check_data, check_program
from macro_engine.work.dask_work import DaskWork
from macro_engine.work.identity import program
from macro_engine.work.tasks import Task, as_json, do, error_text


def do_there(order: str) -> str:
    """In a worker: does a task; the answer says what came out or why nothing did."""
    asked = json.loads(order)
    try:
        check_program(asked["program"])
        data = check_data(asked["data"])
        value, seconds = do(Task(asked["name"], asked["settings"], data, asked["label"]))
        return as_json({"value": value, "seconds": seconds})
    except Exception as error:  # it is told where it was asked for
        return as_json({"reason": error_text(error)})


class DaskScheduler(DaskWork):
    """Does tasks on the workers of a cluster."""

    @property
    def room(self) -> int:
        """Two a thread, so that none waits for the next order."""
        return 2 * max(self.threads, 1) - len(self.numbers)

    def submit(self, number: int, task: Task) -> None:
        paths = [str(path.absolute()) for path in task.data]
        order = {
            "name": task.name,
            "settings": task.settings,
            "label": task.label,
            "data": list(zip(paths, task.fingerprints, strict=True)),
            "program": program(),
        }
        self.hand_over(self.new_key(number), number, do_there, as_json(order))

    def answer_of(self, _key: str, future: Any) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(future.result(timeout=60))
        except Exception as error:  # it was lost on its way
            return {"reason": error_text(error)}
        return answer

    def done_again(self, worker: str, _keys: list[str]) -> list[str]:
        return [f"worker {worker} is lost; its work is repeated on another one"]
