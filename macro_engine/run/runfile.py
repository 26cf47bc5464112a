"""A run file, read: what was run, how it went, and where it can go on."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from macro_engine.errors import MacroError
from macro_engine.run import schema
from macro_engine.run.events import Event
from macro_engine.run.results import Results
from macro_engine.state import DamagedError, State, unpack
from macro_engine.stream.table import Problem, Rejection
from macro_engine.visible import visible

_RECORDS_KEPT = 12
_MOST_THRESHOLDS = 10_000
_MOST_CLASSES = 1 << 16


class RunReader:
    """Reads a run file, while it is being written too. Every transaction is short.

    Attributes
    ----------
    info
        What the writer says of the run: `thresholds`, `classes`, `settings`, `input`, `status`,
        ...; empty before it said anything.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept: OrderedDict[int, Results] = OrderedDict()
        self.lock = threading.Lock()
        self.thresholds: list[float] = []
        self.classes: list[str] = []
        if not path.is_file():
            what = "is no ordinary file" if path.exists() else "does not exist: no such file"
            raise MacroError(f"{visible(path)} {what}")
        if not os.access(path, os.R_OK):
            raise MacroError(f"{visible(path)} cannot be read: permission denied")
        with self._in_words():
            self.connection = schema.connect(path, writable=False)
            schema.check(self.connection, path)
            self.refresh()

    def refresh(self) -> None:
        """Look again at what the writer says of the run."""
        with self._in_words():
            rows = self.connection.execute("SELECT name, value FROM run").fetchall()
            try:
                self.info: dict[str, Any] = {str(name): json.loads(value) for name, value in rows}
            except (ValueError, TypeError, RecursionError):
                raise DamagedError("what it says of the run is not JSON") from None
            if self.info:
                self.thresholds = _numbers(self.info.get("thresholds"))
                self.classes = _names(self.info.get("classes"))

    def close(self) -> None:
        self.connection.close()

    def let_go(self) -> None:
        """Hold the file no longer, so that its writer can leave one file; a query takes it again.

        While a file is written in WAL mode, whoever has read from it holds a lock until he closes.
        """
        with self.lock:
            held, self.connection = self.connection, schema.connect(self.path, writable=False)
            held.close()

    @property
    def steps(self) -> int:
        """How many steps are recorded."""
        with self._in_words():
            row = self.connection.execute(
                "SELECT first_step + steps FROM steps ORDER BY first_step DESC LIMIT 1"
            ).fetchone()
            if row is not None and not isinstance(row[0], int):
                raise DamagedError("a record has no sizes")
        return 0 if row is None else int(row[0])

    def results(self, start: int, stop: int) -> Results:
        """What happened in the steps from one number up to another, which must be recorded."""
        return Results.between(start, stop, self.parts(start, stop))

    def parts(self, start: int, stop: int) -> list[Results]:
        """The records that have the steps from one number up to another."""
        return list(self._records(start, stop))

    def record_from(self, step: int) -> Results:
        """The steps from one on, as far as its record goes."""
        with self.lock, self._in_words():
            return self._read(step)

    def all_results(self) -> Iterator[Results]:
        """Every record, from the first step on."""
        step, stop = 0, self.steps
        while step < stop:
            record = self.record_from(step)
            yield record
            step = record.stop

    def events(
        self,
        kinds: Sequence[str] | None = None,
        after: int = -1,
        limit: int | None = None,
        text: str = "",
    ) -> list[tuple[int, Event]]:
        """Events with their numbers, those after a number, of some kinds, that contain a text."""
        kinds_wanted = "" if kinds is None else f"AND kind IN ({', '.join('?' * len(kinds))})"
        with self.lock, self._in_words():
            rows = self.connection.execute(
                f"SELECT number, step, time, kind, text FROM events WHERE number > ? "
                f"{kinds_wanted} AND instr(lower(text), ?) ORDER BY number LIMIT ?",
                [after, *(kinds or ()), text.lower(), -1 if limit is None else limit],
            ).fetchall()
        found = []
        for number, step, time, kind, words in rows:
            if not isinstance(step, int) or not isinstance(time, int | None):
                raise self._damaged("an event has no step")
            found.append((int(number), Event(step, time, str(kind), str(words))))
        return found

    def rejected(self) -> Iterator[Rejection]:
        """The rejected rows that are recorded, in order."""
        with self.lock, self._in_words():
            rows = self.connection.execute(
                "SELECT file, line, unit, field, reason, value FROM rejected ORDER BY number"
            ).fetchall()
        for file, line, unit, field, reason, value in rows:
            if not isinstance(line, int):
                raise self._damaged("a rejected row has no line")
            problem = Problem(str(reason), None if value is None else str(value))
            column = None if field is None else str(field)
            yield Rejection(str(file), line, str(unit), column, problem)

    def state(self) -> State | None:
        """What the run must remember to go on; None before the first commit."""
        with self.lock, self._in_words():
            rows = self.connection.execute(
                "SELECT name, data FROM state ORDER BY name, part"
            ).fetchall()
            whole: dict[str, list[bytes]] = {}
            for name, data in rows:
                if not isinstance(data, bytes):
                    raise DamagedError("its state is not made of bytes")
                whole.setdefault(str(name), []).append(data)
            return {name: unpack(b"".join(parts)) for name, parts in whole.items()} or None

    def _records(self, start: int, stop: int) -> Iterator[Results]:
        with self.lock, self._in_words():
            step = start
            while step < stop:
                row = self.connection.execute(
                    "SELECT first_step FROM steps WHERE first_step <= ? "
                    "ORDER BY first_step DESC LIMIT 1",
                    [step],
                ).fetchone()
                if row is None:
                    raise DamagedError(f"step {step} is missing")
                record = self._read(int(row[0]))
                if record.stop <= step:
                    raise DamagedError(f"step {step} is missing")
                yield record
                step = record.stop

    def _read(self, first_step: int) -> Results:
        if first_step in self.kept:
            self.kept.move_to_end(first_step)
            return self.kept[first_step]
        if not self.classes:  # it was opened before the first commit
            self.refresh()
        record = schema.read(self.connection, first_step, len(self.thresholds), len(self.classes))
        self.kept[first_step] = record
        if len(self.kept) > _RECORDS_KEPT:
            self.kept.popitem(last=False)
        return record

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except DamagedError as error:
            raise self._damaged(str(error)) from None
        except sqlite3.Error as error:
            raise self._unreadable(error) from None

    def _damaged(self, what: str) -> MacroError:
        if what.startswith(str(self.path)):
            return MacroError(what)
        return DamagedError(f"{visible(self.path)} is damaged: {what}")

    def _unreadable(self, error: sqlite3.Error) -> MacroError:
        name = visible(self.path)
        kind = getattr(error, "sqlite_errorname", "")  # errors of Python's own have none
        if kind.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
            return MacroError(
                f"{name} cannot be read: it was left in the middle of being written, and its "
                f"companions {visible(self.path.name)}-wal and -shm are missing or cannot be made "
                "here; copy all three together, or open it once where you may write"
            )
        if kind == "SQLITE_NOTADB":
            return MacroError(f"{name} is not a run file")
        if kind in ("SQLITE_BUSY", "SQLITE_LOCKED"):
            return MacroError(f"{name} is locked by another program; try again")
        return DamagedError(f"{name} is damaged or cannot be read: {visible(error)}")


def leave_one_file(path: Path) -> None:
    """Undo the companions of a run file that nobody writes or reads any more."""
    with suppress(sqlite3.Error), closing(schema.connect(path, writable=True)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


def _numbers(value: Any) -> list[float]:
    if not isinstance(value, list) or not 0 < len(value) <= _MOST_THRESHOLDS:
        raise DamagedError("its thresholds are missing")
    try:
        return [float(number) for number in value]
    except (TypeError, ValueError, OverflowError):
        raise DamagedError("its thresholds are not numbers") from None


def _names(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > _MOST_CLASSES:
        raise DamagedError("its classes are missing")
    return [str(name) for name in value]
