"""The tables of a run file, and how to open one.

A run file may come from a stranger: it is opened without trust in its schema.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.state import DamagedError
from macro_engine.run.store import version1
from macro_engine.run.store.ledger import Ledger, write_ledger
from macro_engine.run.store.retries import RetryingConnection

VERSION = 2
APPLICATION = 0x4D414352  # "MACR", so that other SQLite files are told apart

TABLES = {
    "run": "CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT, checksum BLOB) WITHOUT ROWID",
    "records": "CREATE TABLE records (first_step INTEGER PRIMARY KEY, head BLOB, "
    "previous BLOB, link BLOB)",
    "parts": "CREATE TABLE parts (place INTEGER PRIMARY KEY, data BLOB)",
    "events": "CREATE TABLE events (number INTEGER PRIMARY KEY, step INTEGER, time INTEGER, "
    "kind TEXT, text TEXT, checksum BLOB)",
    "rejected": "CREATE TABLE rejected (number INTEGER PRIMARY KEY, file TEXT, line INTEGER, "
    "unit TEXT, field TEXT, reason TEXT, value TEXT, checksum BLOB)",
    "state": "CREATE TABLE state (name TEXT, part INTEGER, data BLOB, checksum BLOB, "
    "PRIMARY KEY (name, part)) WITHOUT ROWID",
}

_MOST_BYTES = 1 << 28  # of anything that is read in one piece
_PAGE = 1 << 12  # a commit of a quiet feed writes a few pages


def connect(path: Path, writable: bool) -> sqlite3.Connection:
    """Open a run file, for reading by any number of processes or for writing by one."""
    uri = f"{path.absolute().as_uri()}?mode={'rwc' if writable else 'ro'}"
    connection = sqlite3.connect(
        uri,
        uri=True,
        timeout=1.0,
        isolation_level=None,
        check_same_thread=False,
        factory=sqlite3.Connection if writable else RetryingConnection,
    )
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
        connection.execute("PRAGMA trusted_schema = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether there is nothing in it: a new file, or one whose making was cut short."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return bool(application == 0 and tables == 0)


def create(connection: sqlite3.Connection) -> None:
    """Creates an empty run file."""
    connection.execute(f"PRAGMA page_size = {_PAGE}")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA journal_mode = MEMORY")  # nothing is there that could be lost
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES.values():
        connection.execute(statement)
    write_ledger(connection, Ledger())
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def close_log(connection: sqlite3.Connection) -> None:
    """Have what is in the log copied, and the companions of the file removed."""
    is_empty(connection)  # whoever has not read yet knows of no log
    # the log is copied and synced; the switch is one page, written at once: no journal file
    connection.execute("PRAGMA journal_mode = MEMORY")


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Its version; refuses what is not a run file exactly as this program makes them."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if application != APPLICATION:
        raise MacroError(f"{visible(path)} is not a run file")
    if version > VERSION:
        raise MacroError(
            f"{visible(path)} was written in version {version} of the format, and this program "
            f"knows versions up to {VERSION}; a newer macro-tui reads it"
        )
    tables = {1: version1.TABLES, VERSION: TABLES}.get(version, {})
    with closing(connection.execute("SELECT type, name, sql FROM sqlite_master")) as rows:
        found = [row for row in rows if row[2] is not None]  # SQLite's own indices have no text
    if sorted(found, key=repr) != sorted((("table", *t) for t in tables.items()), key=repr):
        raise DamagedError("its tables are not those of a run file")
    return version
