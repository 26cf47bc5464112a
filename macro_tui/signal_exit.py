"""Ends the process at a signal, in its own thread.

A handler runs in the main thread: at any moment, so that it may find any lock held, and not before
a call into a library returns. Python therefore writes the signal to a pipe when it arrives, and a
thread that was started before and holds no lock does the rest.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

_ASKED = 0  # no signal has this number
PATIENCE_TO_ABANDON = 1.0  # seconds, after which the process ends as it is


class SignalExit:
    """Waits for a signal or a request to end.

    Parameters
    ----------
    end
        What to do then, once; called in a thread of its own.
    """

    def __init__(self, end: Callable[[], None]) -> None:
        self.end = end
        self.words = {_ASKED}
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.writing, False)
        threading.Thread(target=self._wait, name="ending", daemon=True).start()

    def listen(self, *signums: int) -> None:
        """Ends at these signals; called in the main thread."""
        self.words = {_ASKED, *signums}
        for signum in signums:
            signal.signal(signum, lambda _signum, _frame: None)
        signal.set_wakeup_fd(self.writing, warn_on_full_buffer=False)

    def ask(self) -> None:
        """Ends without a signal."""
        with suppress(BlockingIOError):  # the pipe is full of requests
            os.write(self.writing, bytes([_ASKED]))

    def _wait(self) -> None:
        while os.read(self.reading, 1)[0] not in self.words:
            pass  # another signal
        self.end()


def within(seconds: float, action: Callable[[], None]) -> None:
    """Runs an action that may block on a lock, and abandons it after so many seconds."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    thread.join(seconds)
