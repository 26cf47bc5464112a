"""The terminal driver: counts the bytes it sends, and detects a slow terminal."""

from __future__ import annotations

import re
import select
import sys
from typing import Any

from textual.driver import Driver

# The shape of the pointer. A terminal that does not know the sequence prints it and rings the bell.
_POINTER = re.compile("\x1b]22;[^\x07]*\x07")


def terminal_is_gone() -> bool:
    """Whether the terminal was closed, of which there may be no signal."""
    poll = select.poll()
    poll.register(1, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def counting(driver: type[Driver]) -> type[Driver]:
    """The same driver, which counts what it sends and knows whether the terminal keeps up."""

    class CountingDriver(driver):  # type: ignore[valid-type, misc]
        frames = 0
        sent = 0

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._file = sys.__stdout__  # standard error may go to a file

        def write(self, data: str) -> None:
            data = _POINTER.sub("", data)
            if not data:
                return
            self.frames += 1
            self.sent += len(data.encode())
            super().write(data)

        @property
        def is_behind(self) -> bool:
            """Whether the terminal has not taken what was sent before."""
            thread = getattr(self, "_writer_thread", None)
            return thread is not None and thread._queue.qsize() > 1

    return CountingDriver
