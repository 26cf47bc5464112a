"""Reads the tables of a run file row by row, and checks each checksum."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from macro_engine.core.escape import visible
from macro_engine.core.state import DamagedError, State, from_json, unpack
from macro_engine.run.events import Event
from macro_engine.run.store.ledger import (
    NAME,
    Ledger,
    StoredLedger,
    checksum,
    matches,
    sum_of,
)
from macro_engine.stream.table import Problem, Rejection

Info = dict[str, Any]

# What SQLite raises on a damaged file; its messages may quote bytes that are no text.
FAILURES = (sqlite3.DatabaseError, UnicodeDecodeError)


class DamageLog:
    """The damage found while reading a file, as lines of text.

    Attributes
    ----------
    is_tolerant
        Whether to collect damage; if not, the first damage raises an error.
    """

    def __init__(self, is_tolerant: bool) -> None:
        self.is_tolerant = is_tolerant
        self.damage: list[str] = []

    def damaged(self, what: str) -> None:
        if not self.is_tolerant:
            raise DamagedError(what)
        if what not in self.damage:
            self.damage.append(what)


def read_info(connection: sqlite3.Connection, found: DamageLog) -> tuple[Info, StoredLedger | None]:
    """Reads the description of the run, and the ledger; None if it is damaged."""
    return info_of(info_rows(connection), found)


def info_rows(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Returns the stored description of the run."""
    return connection.execute("SELECT name, value, checksum FROM run").fetchall()


def info_of(rows: list[tuple[Any, ...]], found: DamageLog) -> tuple[Info, StoredLedger | None]:
    """The same as `read_info`, from rows that were read."""
    sums, info = {}, {}
    ledger = None
    for name, text, expected in rows:
        try:
            if not matches(expected, name, text):
                found.damaged(f"its entry '{visible(name, 40)}' does not match its checksum")
            elif name == NAME:
                ledger = StoredLedger.read(text)
            else:
                sums[name], info[name] = expected, from_json(text)
        except (ValueError, TypeError, RecursionError):
            found.damaged(f"its entry '{visible(name, 40)}' is not JSON as it writes it")
    if ledger is None:
        found.damaged("its ledger is missing")
    elif sum_of(sums) != ledger.info:
        found.damaged("its description of the run is incomplete")
    return info, ledger


def writers_ledger(connection: sqlite3.Connection) -> Ledger:
    """Returns the ledger, with the checksums that a writer continues."""
    _, stored = read_info(connection, DamageLog(is_tolerant=False))
    assert stored is not None
    ledger = stored.ledger
    ledger.info = {
        name: found
        for name, found in connection.execute("SELECT name, checksum FROM run")
        if name != NAME
    }
    ledger.state = {
        (name, part): found
        for name, part, found in connection.execute("SELECT name, part, checksum FROM state")
    }
    return ledger


def read_state(connection: sqlite3.Connection, ledger: StoredLedger) -> State | None:
    """Returns the state of the run; None before the first commit."""
    sums, whole = {}, dict[str, list[bytes]]()
    for name, part, data, expected in connection.execute(
        "SELECT name, part, data, checksum FROM state ORDER BY name, part"
    ):
        if not isinstance(data, bytes) or checksum(f"{name} {part} ".encode(), data) != expected:
            raise DamagedError(f"part {part} of its state '{name}' does not match its checksum")
        sums[name, part] = expected
        whole.setdefault(name, []).append(data)
    if sum_of(sums) != ledger.state:
        raise DamagedError("its state is incomplete")
    return {name: unpack(b"".join(parts)) for name, parts in whole.items()} or None


def read_events(
    connection: sqlite3.Connection, condition: str, values: Sequence[Any], found: DamageLog
) -> Iterator[tuple[int, Event]]:
    """The events that meet a condition, with their numbers, in order."""
    for *row, expected in _rows(
        connection,
        f"SELECT number, step, time, kind, text, checksum FROM events WHERE {condition}",
        values,
        found,
        "events",
    ):
        if matches(expected, *row):
            yield row[0], Event(*row[1:])
        else:
            found.damaged(f"event {row[0]:,} does not match its checksum")


def read_rejected(
    connection: sqlite3.Connection, found: DamageLog, after: int = 0
) -> Iterator[tuple[int, Rejection]]:
    """The rejected rows after a number, with their numbers, in order."""
    statement = (
        "SELECT number, file, line, unit, field, reason, value, checksum FROM rejected "
        "WHERE number > ? ORDER BY number"
    )
    for *row, expected in _rows(connection, statement, [after], found, "rejected rows"):
        if matches(expected, *row):
            number, file, line, unit, field, reason, value = row
            yield number, Rejection(file, line, unit, field, Problem(reason, value))
        else:
            found.damaged(f"rejected row {row[0]:,} does not match its checksum")


def _rows(
    connection: sqlite3.Connection,
    statement: str,
    values: Sequence[Any],
    found: DamageLog,
    what: str,
) -> Iterator[Any]:
    """The rows of a table as far as they can be read."""
    try:
        yield from connection.execute(statement, values)
    except FAILURES as error:
        if not found.is_tolerant:
            raise
        found.damaged(f"its {what} cannot all be read: {error}")


def check_numbers(
    numbers: Sequence[int], start: int, stop: int, what: str, found: DamageLog
) -> None:
    """Note which of the numbers from one up to another are missing, or that others stand there."""
    if list(numbers) == list(range(start, stop)):
        return
    first = next((start + i for i, n in enumerate(numbers) if n != start + i), start + len(numbers))
    missing = stop - start - len(numbers)
    if missing > 0:
        found.damaged(f"{missing:,} {what} are missing, the first is number {first:,}")
    else:
        found.damaged(f"its {what} do not match the ledger")
