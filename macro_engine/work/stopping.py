"""A stop request that tasks can check."""

from __future__ import annotations

import threading
from collections.abc import Callable


class StopRequest:
    """A request to stop, made once from any thread."""

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
        """Calls a listener at the request; at once if it was already made."""
        with self.lock:
            if not self.event.is_set():
                self.listeners.append(listener)
                return
        listener()

    def forget(self, listener: Callable[[], None]) -> None:
        with self.lock:
            if listener in self.listeners:
                self.listeners.remove(listener)


process_stop = StopRequest()  # for the tasks of a worker process
