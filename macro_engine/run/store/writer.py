"""Writes one transaction to a run file, and updates its ledger."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from time import time
from typing import Any

from macro_engine.core.format import steps_text
from macro_engine.core.state import Part, pack
from macro_engine.core.steps import Steps
from macro_engine.run.events import Event
from macro_engine.run.store import records
from macro_engine.run.store.ledger import Ledger, checksum, checksum_of_row
from macro_engine.run.store.retention import Retention
from macro_engine.stream.table import Rejection

_PART = 1 << 14  # bytes of state, written again if one of them changed
_LONGEST_TEXT = 2_000  # of a rejected value
_GROWING = 1024  # steps, below which the last record is written again with those that follow
_GROWING_BYTES = 1 << 20  # of its arrays, likewise


def write_steps(connection: sqlite3.Connection, ledger: Ledger, parts: Sequence[Steps]) -> None:
    """Add steps to the chain; a short last record is written again together with them."""
    if not parts:
        return
    if ledger.tail is not None:
        parts = [ledger.tail, *parts]
        ledger.link, ledger.records = ledger.link_before, ledger.records - 1
    now = time()
    for record in records.records(parts):
        ledger.link_before = ledger.link
        ledger.link = records.insert(connection, record, ledger.link, now)
        ledger.last_step, ledger.stop = record.first_step, record.stop
        ledger.records += 1
        ledger.tail = record if _may_grow(record) else None


def _may_grow(record: Steps) -> bool:
    """Whether so little is in a record that it is cheap to write it again."""
    is_short = record.steps < _GROWING and record.rows < 4 * _GROWING
    return is_short and record.nbytes < _GROWING_BYTES


def write_events(
    connection: sqlite3.Connection, ledger: Ledger, events: Sequence[tuple[int, Event]]
) -> None:
    rows = [(number, *_event(event)) for number, event in events]
    connection.executemany(
        "INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?, ?)",
        [(*row, checksum_of_row(*row)) for row in rows],
    )
    ledger.events = max([ledger.events, *(number + 1 for number, _ in events)])


def write_rejected(
    connection: sqlite3.Connection, ledger: Ledger, rejected: Sequence[tuple[int, Rejection]]
) -> None:
    rows = [(number, *_rejection(rejection)) for number, rejection in rejected]
    connection.executemany(
        "INSERT OR REPLACE INTO rejected VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(*row, checksum_of_row(*row)) for row in rows],
    )
    ledger.rejected = max([ledger.rejected, *(number for number, _ in rejected)])


def write_info(connection: sqlite3.Connection, ledger: Ledger, info: Mapping[str, Any]) -> None:
    """Writes the changed entries of the description of the run."""
    for name, value in info.items():
        text = json.dumps(value)
        found = checksum_of_row(name, text)
        if ledger.info.get(name) != found:
            connection.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?)", [name, text, found])
            ledger.info[name] = found


def write_state(connection: sqlite3.Connection, ledger: Ledger, state: Mapping[str, Part]) -> None:
    """Write those parts that are not in the file as they are now; None deletes one."""
    for name, value in state.items():
        data = b"" if value is None else pack(value() if callable(value) else value)
        count = -(-len(data) // _PART)
        for part in range(count):
            piece = data[part * _PART : (part + 1) * _PART]
            found = checksum(f"{name} {part} ".encode(), piece)
            if ledger.state.get((name, part)) != found:
                connection.execute(
                    "INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?)", [name, part, piece, found]
                )
                ledger.state[name, part] = found
        while ledger.state.pop((name, count), None) is not None:
            connection.execute("DELETE FROM state WHERE name = ? AND part = ?", [name, count])
            count += 1


def drop_old(connection: sqlite3.Connection, ledger: Ledger, keep: Retention) -> str | None:
    """Drop the oldest records, and events before the first that is kept; says what was dropped."""
    first, now, limit = ledger.first_step, time(), keep
    while ledger.records > 1:
        head = records.Head.read(records.find(connection, "first_step = ?", [ledger.first_step]))
        if not limit.exceeded(now - head.written, _used(connection)):
            break
        records.delete(connection, head)
        ledger.first_step, ledger.first_link = head.stop, head.link
        ledger.records -= 1
        limit = keep.lowered()
    if ledger.first_step == first:
        return None
    ledger.dropped = keep.text
    row = connection.execute(
        "SELECT min(number) FROM events WHERE step >= ?", [ledger.first_step]
    ).fetchone()
    ledger.first_event = ledger.events if row[0] is None else row[0]
    connection.execute("DELETE FROM events WHERE number < ?", [ledger.first_event])
    return f"dropped {steps_text(first, ledger.first_step)} (--keep {keep.text})"


def _used(connection: sqlite3.Connection) -> int:
    """Bytes of the file that hold something; the rest is used again."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _event(event: Event) -> tuple[Any, ...]:
    return event.step, event.time, event.kind, _storable(event.text)


def _rejection(rejection: Rejection) -> tuple[Any, ...]:
    problem = rejection.problem
    texts = (rejection.file, rejection.unit, rejection.column, problem.kind, problem.value)
    file, unit, column, reason, value = (
        None if text is None else _storable(text[:_LONGEST_TEXT]) for text in texts
    )
    return file, rejection.line, unit, column, reason, value


def _storable(text: str) -> str:
    """SQLite takes no unpaired surrogates."""
    return text.encode(errors="backslashreplace").decode()
