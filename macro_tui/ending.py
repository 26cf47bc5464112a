"""Ending at a signal: the handler leaves word, and a thread of its own does the rest.

A handler runs in the midst of whatever the main thread does, and that may hold any lock. What has
to be done at a signal is therefore done by a thread that was started before and holds none.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

PATIENCE_TO_ABANDON = 1.0  # seconds, after which the process ends as it is


class Ending:
    """Waits for word that the process shall end.

    Parameters
    ----------
    end
        What to do then, once; called in a thread of its own.
    """

    def __init__(self, end: Callable[[], None]) -> None:
        self.end = end
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.writing, False)
        threading.Thread(target=self._wait, name="ending", daemon=True).start()

    def listen(self, *signums: int) -> None:
        """Take signals as the word; called in the main thread."""
        for signum in signums:
            signal.signal(signum, self.ask)

    def ask(self, _signum: int = 0, _frame: object = None) -> None:
        """Leave word; may be called in the midst of anything."""
        with suppress(BlockingIOError):  # the pipe is full of it
            os.write(self.writing, b"!")

    def _wait(self) -> None:
        os.read(self.reading, 1)
        self.end()


def within(seconds: float, action: Callable[[], None]) -> None:
    """Do something that may wait for a lock, and leave it behind after so many seconds."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    thread.join(seconds)
