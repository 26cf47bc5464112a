"""Reads run files of version 1, which have no checksums and no names of series."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np

from macro_engine.core.names import Names
from macro_engine.core.state import DamagedError, State, from_json, unpack
from macro_engine.core.steps import NEAREST, PIECE_ROWS, PIECE_STEPS, Steps
from macro_engine.core.tally import numbers
from macro_engine.core.totals import Totals
from macro_engine.run.events import Event
from macro_engine.stream.table import Problem, Rejection

SERIES = ("marginal", "no_change", "ftl", "ewa")

TABLES = {
    "run": "CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    "steps": "CREATE TABLE steps (first_step INTEGER PRIMARY KEY, steps INTEGER, "
    "first_row INTEGER, rows INTEGER, wrong_before BLOB, losses_before BLOB, lengths BLOB, "
    "leaders BLOB, late BLOB, rejected BLOB, wrong BLOB, active BLOB, "
    "subroutines BLOB, born BLOB)",
    "choices": "CREATE TABLE choices (first_step INTEGER PRIMARY KEY, close BLOB, distance BLOB, "
    "nearest BLOB, distances BLOB)",
    "rows": "CREATE TABLE rows (first_step INTEGER PRIMARY KEY, times BLOB, labels BLOB, "
    "predictions BLOB)",
    "events": "CREATE TABLE events (number INTEGER PRIMARY KEY, step INTEGER, time INTEGER, "
    "kind TEXT, text TEXT)",
    "rejected": "CREATE TABLE rejected (number INTEGER PRIMARY KEY, file TEXT, line INTEGER, "
    "unit TEXT, field TEXT, reason TEXT, value TEXT)",
    "state": "CREATE TABLE state (name TEXT, part INTEGER, data BLOB, "
    "PRIMARY KEY (name, part)) WITHOUT ROWID",
}

_MOST_ZEROS = 1 << 24  # numbers for which nothing may stand


def info(connection: sqlite3.Connection) -> dict[str, Any]:
    """Reads the description of the run."""
    rows = connection.execute("SELECT name, value FROM run").fetchall()
    try:
        return {str(name): from_json(value) for name, value in rows}
    except (ValueError, TypeError, RecursionError):
        raise DamagedError("its description of the run is not JSON") from None


def named(info: dict[str, Any]) -> dict[str, Any]:
    """The names of series and members, which the file does not have."""
    settings, thresholds = info.get("settings"), info.get("thresholds")
    history = settings.get("history") if isinstance(settings, dict) else None
    length = history if isinstance(history, int) else None
    pairs = [[length, t] for t in thresholds] if isinstance(thresholds, list) else None
    return {"series": list(SERIES), "members": pairs}


def events(
    connection: sqlite3.Connection, condition: str, values: Sequence[Any]
) -> list[tuple[int, Event]]:
    """The events that meet a condition, with their numbers."""
    statement = f"SELECT number, step, time, kind, text FROM events WHERE {condition}"
    found = []
    for number, step, time, kind, words in connection.execute(statement, values):
        if not isinstance(step, int) or not isinstance(time, int | None):
            raise DamagedError("an event has no step")
        found.append((int(number), Event(step, time, str(kind), str(words))))
    return found


def rejected(connection: sqlite3.Connection) -> list[Rejection]:
    """The rejected rows that are recorded, in order."""
    found = []
    for file, line, unit, field, reason, value in connection.execute(
        "SELECT file, line, unit, field, reason, value FROM rejected ORDER BY number"
    ):
        if not isinstance(line, int):
            raise DamagedError("a rejected row has no line")
        problem = Problem(str(reason), None if value is None else str(value))
        column = None if field is None else str(field)
        found.append(Rejection(str(file), line, str(unit), column, problem))
    return found


def state(connection: sqlite3.Connection) -> State | None:
    """Reads the state of the run; None before the first commit."""
    whole: dict[str, list[bytes]] = {}
    for name, data in connection.execute("SELECT name, data FROM state ORDER BY name, part"):
        if not isinstance(data, bytes):
            raise DamagedError("its state is not made of bytes")
        whole.setdefault(str(name), []).append(data)
    return {name: unpack(b"".join(parts)) for name, parts in whole.items()} or None


def stop(connection: sqlite3.Connection) -> int:
    """Returns the number of recorded steps."""
    row = connection.execute(
        "SELECT first_step + steps FROM steps ORDER BY first_step DESC LIMIT 1"
    ).fetchone()
    if row is not None and not isinstance(row[0], int):
        raise DamagedError("a record has no sizes")
    return 0 if row is None else int(row[0])


def first_step_of_record(connection: sqlite3.Connection, step: int) -> int:
    """Where the record begins that has a step."""
    row = connection.execute(
        "SELECT first_step FROM steps WHERE first_step <= ? ORDER BY first_step DESC LIMIT 1",
        [step],
    ).fetchone()
    if row is None:
        raise DamagedError(f"step {step} is missing")
    return int(row[0])


def read(connection: sqlite3.Connection, first_step: int, names: Names) -> Steps:
    """The record that starts at a step."""
    row = connection.execute("SELECT * FROM steps WHERE first_step = ?", [first_step]).fetchone()
    choices = connection.execute(
        "SELECT close, distance, nearest, distances FROM choices WHERE first_step = ?",
        [first_step],
    ).fetchone()
    by_rows = connection.execute(
        "SELECT times, labels, predictions FROM rows WHERE first_step = ?", [first_step]
    ).fetchone()
    if row is None or choices is None or by_rows is None:
        raise DamagedError(f"the record of step {first_step} is missing")
    _, steps, first_row, rows, *columns = row
    for count in (first_step, steps, first_row, rows):
        if not isinstance(count, int) or not 0 <= count < 1 << 62:
            raise DamagedError(f"the record of step {first_step} has no sizes")
    if not 0 < steps <= PIECE_STEPS or (rows > PIECE_ROWS and steps > 1):
        raise DamagedError(f"the record of step {first_step} is too long")
    wrong_before, losses_before, lengths, leaders, late, rejected = columns[:6]
    wrong, active, subroutines, born = columns[6:]
    close, distance, nearest, distances = choices
    times, labels, predictions = by_rows
    k, predictors, classes = len(names.members), names.predictors, names.classes
    before = Totals(
        names,
        first_row,
        _floats(wrong_before, np.int64, (predictors,)),
        _floats(losses_before, np.float64, (k,)),
        np.full(numbers(names), np.nan),  # it has none
    )
    lists = (k, steps, NEAREST)
    return Steps(
        first_step=first_step,
        first_row=first_row,
        before=before,
        lengths=_ints(lengths, (steps,)),
        leaders=_ints(leaders, (steps,), k),
        late=_ints(late, (steps,)),
        rejected=_ints(rejected, (steps,)),
        wrong=_ints(wrong, (predictors, steps)),
        active=_ints(active, (k, steps)),
        subroutines=_ints(subroutines, (k, steps)),
        born=_bits(born, (k, steps)).astype(np.bool_),
        close=_ints(close, (k, steps)),
        distance=_floats(distance, np.float64, (k, steps)),
        listed=np.ones((k, steps), np.bool_),
        nearest=_ints(nearest, lists).transpose(1, 0, 2).reshape(-1, NEAREST),
        distances=_distances(distances, lists).transpose(1, 0, 2).reshape(-1, NEAREST),
        times=None if times is None else _floats(times, np.int64, (rows,)),
        labels=_classes(labels, (rows,), classes),
        predictions=_classes(predictions, (predictors, rows), classes),
    )


def _classes(blob: Any, shape: Sequence[int], classes: int) -> Any:
    return _bits(blob, shape) if classes == 2 else _ints(blob, shape, classes)


def _bits(blob: Any, shape: Sequence[int]) -> Any:
    count = int(np.prod(shape, dtype=np.float64))
    if blob == b"":
        return _ints(blob, shape)
    if not isinstance(blob, bytes) or len(blob) != -(-count // 8):
        raise DamagedError("a column has the wrong size")
    return np.unpackbits(np.frombuffer(blob, np.uint8), count=count).reshape(shape)


def _ints(blob: Any, shape: Sequence[int], limit: int | None = None) -> Any:
    """Whole numbers below a limit, of the type that the size tells; nothing stands for zeros."""
    count = int(np.prod(shape, dtype=np.float64))
    if blob == b"":
        if count > _MOST_ZEROS:
            raise DamagedError("a column is too long")
        return np.zeros(shape, np.uint8)
    size = len(blob) // count if isinstance(blob, bytes) and count else 0
    if size not in (1, 2, 4, 8) or len(blob) != size * count:
        raise DamagedError("a column has the wrong size")
    values = np.frombuffer(blob, f"<u{size}").reshape(shape)
    if limit is not None and values.max(initial=0) >= limit:
        raise DamagedError("a column is out of range")
    return values


def _distances(blob: Any, shape: Sequence[int]) -> Any:
    """Those of the nearest, kept in two bytes unless they are too large for that."""
    narrow = isinstance(blob, bytes) and len(blob) == 2 * int(np.prod(shape, dtype=np.float64))
    return _floats(blob, np.float16 if narrow else np.float32, shape)


def _floats(blob: Any, dtype: type, shape: Sequence[int]) -> Any:
    size = int(np.prod(shape, dtype=np.float64)) * np.dtype(dtype).itemsize
    if not isinstance(blob, bytes) or len(blob) != size:
        raise DamagedError("a column has the wrong size")
    return np.frombuffer(blob, dtype).reshape(shape)
