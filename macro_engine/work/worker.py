"""A worker process: reads tasks as lines of JSON on standard input, and writes results to a pipe.

Nothing is pickled. The process ends when its standard input does, so that none outlives the one
that started it, however that ended.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

from macro_engine.work.stopping import process_stop
from macro_engine.work.tasks import Task, as_json, do, error_text

_ORPHANED = 3  # exit code


class AnswerPipe:
    """The pipe to the process that started this one."""

    def __init__(self, pipe: BinaryIO) -> None:
        self.pipe = pipe
        self.lock = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        line = as_json(message).encode() + b"\n"
        try:
            with self.lock:
                self.pipe.write(line)
                self.pipe.flush()
        except OSError:
            os._exit(_ORPHANED)


def main() -> None:
    """Does tasks until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c is the other process's to answer
    answers = AnswerPipe(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # a model that prints must not spoil the answers
    orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders, answers), name="orders", daemon=True).start()
    while True:
        _do(orders.get(), answers)


def _listen(orders: queue.SimpleQueue[dict[str, Any]], answers: AnswerPipe) -> None:
    for line in sys.stdin.buffer:
        order = json.loads(line)
        if "stop" in order:
            threading.Thread(target=process_stop.ask, name="stop", daemon=True).start()
        elif order["beside"]:
            threading.Thread(target=_do, args=(order, answers), daemon=True).start()
        else:
            orders.put(order)
    os._exit(_ORPHANED)


def _do(order: dict[str, Any], answers: AnswerPipe) -> None:
    number, data = order["number"], tuple(Path(path) for path in order["data"])
    try:
        value, seconds = do(Task(order["name"], order["settings"], data, order["label"]))
        answers.send({"number": number, "value": value, "seconds": seconds})
    except BaseException as error:  # whatever it is, the next task is done
        answers.send({"number": number, "reason": error_text(error)})
