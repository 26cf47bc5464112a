"""Operations on a run file that fail, as they do with a lock, a full disk or a broken one.

It knows nothing of tables: an operation is whatever goes through a connection of SQLite.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

KINDS = {
    "busy": (sqlite3.SQLITE_BUSY, "database is locked"),
    "full": (sqlite3.SQLITE_FULL, "database or disk is full"),
    "broken": (sqlite3.SQLITE_IOERR, "disk I/O error"),
}


class Faults:
    """Counts the operations on one file, and lets some fail.

    Parameters
    ----------
    first
        The number of the operation that fails, from 0; None for none.
    seconds
        For how long all operations after it fail, too.

    Attributes
    ----------
    commits
        When transactions were committed, by the number of operations and the monotonic clock.
    ended
        When the last operation failed or, if that is later, the faults were over.
    """

    def __init__(self, first: int | None = None, kind: str = "busy", seconds: float = 0.0) -> None:
        self.first = first
        self.code, self.words = KINDS[kind]
        self.seconds = seconds
        self.operations = 0
        self.commits: list[tuple[int, float]] = []
        self.ended: float | None = None
        self.lock = threading.Lock()

    def operate(self) -> None:
        """Count an operation; raises the error if its turn to fail has come."""
        now = time.monotonic()
        with self.lock:
            number, self.operations = self.operations, self.operations + 1
            if number == self.first:
                self.ended = now + self.seconds
            elif self.ended is None or now >= self.ended:
                return
        error = sqlite3.OperationalError(self.words)
        error.sqlite_errorcode = self.code
        raise error


class _Faulty(sqlite3.Connection):
    faults = Faults()

    def execute(self, *arguments):
        return self._operated(super().execute, *arguments)

    def executemany(self, *arguments):
        return self._operated(super().executemany, *arguments)

    def _operated(self, operation, sql, *rest):
        self.faults.operate()
        was_in_transaction = self.in_transaction
        done = operation(sql, *rest)
        if was_in_transaction and not self.in_transaction and not sql.startswith("ROLLBACK"):
            self.faults.commits.append((self.faults.operations, time.monotonic()))
        return done


def inject(monkeypatch, plans: dict[Path, Faults]) -> None:
    """Let operations on files fail as planned, whoever in this process opens them."""
    connect = sqlite3.connect

    def faulty(database, *arguments, factory=sqlite3.Connection, **options):
        plan = plans.get(Path(unquote(urlsplit(str(database)).path)))
        if plan is None:
            return connect(database, *arguments, factory=factory, **options)
        bases = (_Faulty,) if factory is sqlite3.Connection else (factory, _Faulty)
        made = type("Faulty", bases, {"faults": plan})
        return connect(database, *arguments, factory=made, **options)

    monkeypatch.setattr(sqlite3, "connect", faulty)
