"""A stop request that tasks can check."""

from __future__ import annotations

import threading
from collections.abc import Callable


class StopRequest:
    """Is asked for once, from any thread."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.lock = threading.Lock()
        self.listeners: list[Callable[[], None]] = []

    def ask(self) -> None:
        with self.lock:
            self.event.set()
            listeners, self.listeners = self.listeners, []
        for listener in listeners:
            listener()

    def listen(self, listener: Callable[[], None]) -> None:
        """Has something called at the request; at once if it was made already."""
        with self.lock:
            if not self.event.is_set():
                self.listeners.append(listener)
                return
        listener()

    def forget(self, listener: Callable[[], None]) -> None:
        with self.lock:
            if listener in self.listeners:
                self.listeners.remove(listener)


of_process = StopRequest()  # for all that a worker process does
