"""The tables of a run file, and how columns of results become blobs and back.

A run file may come from a stranger: it is opened without trust in its schema, and nothing in it
decides how much memory is asked for before its size was checked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.errors import MacroError
from macro_engine.run.patience import PatientConnection
from macro_engine.run.results import STRATEGIES, Results, Totals, small
from macro_engine.state import DamagedError
from macro_engine.visible import visible

VERSION = 1
APPLICATION = 0x4D414352  # "MACR", so that other SQLite files are told apart

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

MOST_STEPS = 4096  # in a record
MOST_ROWS = 1 << 16  # in a record, unless a single step has more
_MOST_BYTES = 1 << 28  # of anything that is read in one piece
_MOST_ZEROS = 1 << 24  # numbers for which nothing may stand
_PAGE = 1 << 16


def connect(path: Path, writable: bool) -> sqlite3.Connection:
    """Open a run file, for reading by any number of processes or for writing by one."""
    uri = f"{path.absolute().as_uri()}?mode={'rwc' if writable else 'ro'}"
    connection = sqlite3.connect(
        uri,
        uri=True,
        timeout=1.0,
        isolation_level=None,
        check_same_thread=False,
        factory=sqlite3.Connection if writable else PatientConnection,
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether there is nothing in it: a new file, or one whose making was cut short."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return bool(application == 0 and tables == 0)


def create(connection: sqlite3.Connection) -> None:
    """Make an empty run file."""
    connection.execute(f"PRAGMA page_size = {_PAGE}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES.values():
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse what is not a run file of this version, exactly as this program makes them."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise MacroError(f"{visible(path)} is not a run file")
    if version > VERSION:
        raise MacroError(
            f"{visible(path)} was written in version {version} of the format, and this program "
            f"knows versions up to {VERSION}; a newer macro-tui reads it"
        )
    with closing(connection.execute("SELECT type, name, sql FROM sqlite_master")) as rows:
        found = [row for row in rows if row[2] is not None]  # SQLite's own indices have no text
    if sorted(found, key=repr) != sorted((("table", *t) for t in TABLES.items()), key=repr):
        raise DamagedError("its tables are not those of a run file")


def records(parts: Sequence[Results]) -> Iterator[Results]:
    """Parts that follow each other, in pieces that are read and written one at a time."""
    group: list[Results] = []
    steps = rows = 0
    for part in parts:
        for piece in _small_enough(part):
            steps, rows = steps + piece.steps, rows + piece.rows
            if group and not _fits(steps, rows):
                yield Results.join(group)
                group, steps, rows = [], piece.steps, piece.rows
            group.append(piece)
    if group:
        yield Results.join(group)


def _fits(steps: int, rows: int) -> bool:
    """Whether it may be one record."""
    return steps <= MOST_STEPS and (rows <= MOST_ROWS or steps == 1)


def _small_enough(results: Results) -> Iterator[Results]:
    if _fits(results.steps, results.rows):
        yield results
        return
    starts = results.starts
    a = 0
    while a < results.steps:
        fits = int(np.searchsorted(starts, starts[a] + MOST_ROWS, side="right")) - 1
        b = min(max(fits, a + 1), a + MOST_STEPS, results.steps)
        yield results.cut(results.first_step + a, results.first_step + b)
        a = b


def insert(connection: sqlite3.Connection, results: Results, classes: int) -> None:
    """Write one record. Whole numbers go in the smallest type; nothing stands for all zeros."""
    r = results
    tables: dict[str, list[Any]] = {
        "steps": [
            r.steps,
            r.first_row,
            r.rows,
            _bytes(r.before.wrong),
            _bytes(r.before.losses),
            _counts(r.lengths),
            *map(_counts, (r.leaders, r.late, r.rejected, r.wrong, r.active, r.subroutines)),
            _bits(r.born),
        ],
        "choices": [
            _counts(r.close),
            _bytes(r.distance),
            _counts(r.nearest),
            _bytes(r.distances),
        ],
        "rows": [
            None if r.times is None else _bytes(r.times),
            _classes(r.labels, classes),
            _classes(r.predictions, classes),
        ],
    }
    for table, values in tables.items():
        marks = ", ".join("?" * (len(values) + 1))
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", [r.first_step, *values])


def read(connection: sqlite3.Connection, first_step: int, thresholds: int, classes: int) -> Results:
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
    if not 0 < steps <= MOST_STEPS or (rows > MOST_ROWS and steps > 1):
        raise DamagedError(f"the record of step {first_step} is too long")
    wrong_before, losses_before, lengths, leaders, late, rejected = columns[:6]
    wrong, active, subroutines, born = columns[6:]
    close, distance, nearest, distances = choices
    times, labels, predictions = by_rows
    k, series = thresholds, thresholds + len(STRATEGIES)
    before = Totals(
        first_row,
        _floats(wrong_before, np.int64, (series,)),
        _floats(losses_before, np.float64, (k,)),
    )
    results = Results(
        first_step=first_step,
        first_row=first_row,
        before=before,
        lengths=_ints(lengths, (steps,)),
        leaders=_ints(leaders, (steps,), k),
        late=_ints(late, (steps,)),
        rejected=_ints(rejected, (steps,)),
        wrong=_ints(wrong, (series, steps)),
        active=_ints(active, (k, steps)),
        subroutines=_ints(subroutines, (k, steps)),
        born=_ints(born, (k, steps), 2).astype(np.bool_),
        close=_ints(close, (k, steps)),
        distance=_floats(distance, np.float64, (k, steps)),
        nearest=_ints(nearest, (k, steps, 5)),
        distances=_distances(distances, (k, steps, 5)),
        times=None if times is None else _floats(times, np.int64, (rows,)),
        labels=_ints(labels, (rows,), classes),
        predictions=_ints(predictions, (series, rows), classes),
    )
    if results.starts[-1] != rows or not (results.lengths > 0).all():
        raise DamagedError(f"the rows of the record of step {first_step} do not add up")
    if (
        (results.active > results.subroutines).any()
        or (results.active < 1).any()
        or int(results.subroutines.max()) > results.stop
    ):
        raise DamagedError(f"the record of step {first_step} names subroutines that do not exist")
    return results


def _bytes(values: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(values).data


def _bits(values: NDArray[Any]) -> memoryview | bytes:
    return _bytes(np.packbits(values)) if values.any() or values.size > _MOST_ZEROS else b""


def _classes(values: NDArray[Any], classes: int) -> memoryview | bytes:
    return _bits(values) if classes == 2 else _counts(values)


def _counts(values: NDArray[Any]) -> memoryview | bytes:
    values = small(values)
    return _bytes(values) if values.any() or values.size > _MOST_ZEROS else b""


def _ints(blob: Any, shape: Sequence[int], limit: int | None = None) -> Any:
    """Whole numbers below a limit: bits where that is 2, else of the type that the size tells."""
    count = int(np.prod(shape, dtype=np.float64))
    if blob == b"":
        if count > _MOST_ZEROS:
            raise DamagedError("a column is too long")
        return np.zeros(shape, np.uint8)
    if limit == 2 and isinstance(blob, bytes) and len(blob) == -(-count // 8):
        bits = np.unpackbits(np.frombuffer(blob, np.uint8), count=count)
        return bits.reshape(shape)
    size = len(blob) // count if isinstance(blob, bytes) and count else 0
    if limit == 2 or size not in (1, 2, 4, 8) or len(blob) != size * count:
        raise DamagedError("a column has not the size that it should have")
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
        raise DamagedError("a column has not the size that it should have")
    return np.frombuffer(blob, dtype).reshape(shape)
