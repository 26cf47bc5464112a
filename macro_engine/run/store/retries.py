"""Transient errors of a run file, and how long they are retried."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from time import monotonic, sleep
from typing import Any, TypeVar

PATIENCE = 2.0  # seconds in which something that fails is tried again
_PAUSE = 0.02
T = TypeVar("T")
_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PROTOCOL,
}


def is_transient(error: sqlite3.Error) -> bool:
    """Whether an error is transient: a locked file, a full disk or one that fails."""
    code = getattr(error, "sqlite_errorcode", None)  # errors of Python's own have none
    return code is not None and code & 0xFF in _PASSING  # above are SQLite's finer reasons


def retried(action: Callable[[], T], seconds: float) -> T:
    """Returns what an action gives; retries it for some seconds while its error is transient."""
    ends = monotonic() + seconds
    while True:
        try:
            return action()
        except sqlite3.Error as error:
            if not is_transient(error) or monotonic() >= ends:
                raise
        sleep(_PAUSE)


class RetryingConnection(sqlite3.Connection):
    """A connection for reading: a query that fails for a moment is asked again."""

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        ask = super().execute
        return retried(lambda: ask(sql, parameters), PATIENCE)
