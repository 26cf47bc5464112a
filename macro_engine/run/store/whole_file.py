"""A complete run file as bytes: how many, and to send it elsewhere."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.run.store import schema, wal
from macro_engine.run.store.retries import PATIENCE, retried


def whole_file(path: Path) -> bytes:
    """Returns the bytes of a run file that is not being written, its log included.

    Where somebody reads a run when it ends, or where it was killed, the newest commits are in the
    -wal file: they are copied first, and the companion is empty afterwards.

    Raises `MacroError` if that fails, so that half a file never passes for a complete one.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        try:
            _copy_log(path)
        except (sqlite3.Error, OSError) as error:
            raise MacroError(
                f"{visible(path)}: what {visible(log.name)} holds cannot be copied into it: "
                f"{visible(error)}"
            ) from None
    return path.read_bytes()


def _copy_log(path: Path) -> None:
    index = wal.index_of(path)
    with closing(schema.connect(path, writable=True)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if wal.commits_are_missing(path, index, wal.index_of(path)):
            raise MacroError(
                f"{visible(path)} is damaged: its -wal, so that its last steps are missing"
            )

        def copy() -> None:
            is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if is_busy:
                error = sqlite3.OperationalError("another process reads it")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error

        retried(copy, PATIENCE)
        with suppress(sqlite3.Error):  # somebody still has it open: the log is there, and empty
            connection.execute("PRAGMA journal_mode = MEMORY")


def size_of(path: Path) -> int:
    """The bytes that a run file takes, with its companions."""
    path, size = path.resolve(), 0
    for name in (path, path.with_name(f"{path.name}-wal")):
        with suppress(FileNotFoundError):  # a run that ends takes its companion away
            size += name.stat().st_size
    return size
