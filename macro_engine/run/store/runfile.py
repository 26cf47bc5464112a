"""Reads a run file: its settings, its results and its state."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from macro_engine.core.errors import DroppedError, MacroError
from macro_engine.core.escape import visible
from macro_engine.core.format import steps_text
from macro_engine.core.names import Names
from macro_engine.core.state import DamagedError, State
from macro_engine.core.steps import Steps
from macro_engine.run.events import Event
from macro_engine.run.store import records, schema, tables, version1, wal
from macro_engine.run.store.ledger import Ledger, StoredLedger
from macro_engine.run.store.lock import writer_of
from macro_engine.run.store.salvage import WholeRecords
from macro_engine.run.store.stored_names import names_of, texts_of
from macro_engine.strategies import prediction_of
from macro_engine.stream.table import Rejection

_RECORDS_KEPT = 12


class RunReader:
    """Reads a run file, while it is being written too. Every transaction is short.

    Parameters
    ----------
    is_tolerant
        Whether damage is noted and what is whole is read; else damage is an error.

    Attributes
    ----------
    info
        What the writer says of the run: `classes`, `settings`, `input`, `status`, ...; empty
        before it said anything.
    names
        What stands along the axes of the results.
    damage
        In words, what was found to be damaged.
    """

    def __init__(self, path: Path, is_tolerant: bool = False) -> None:
        self.path = path
        self.found = tables.DamageLog(is_tolerant)
        self.kept: OrderedDict[int, tuple[bytes, Steps]] = OrderedDict()
        self.lock = threading.RLock()
        self.info: dict[str, Any] = {}
        self.names = Names((), (), 0)
        self.classes: list[str] = []
        self.stored: StoredLedger | None = None
        self.info_rows: object = None  # from which `stored` is, where nothing was damaged
        if not path.is_file():
            what = "is not a regular file" if path.exists() else "does not exist: no such file"
            raise MacroError(f"{visible(path)} {what}")
        if not os.access(path, os.R_OK):
            raise MacroError(f"{visible(path)} cannot be read: permission denied")
        index = wal.index_of(path)
        with self._in_words():
            self.connection = schema.connect(path, writable=False)
            try:
                self.version = schema.version_of(self.connection, path)
                self.refresh()
                if writer_of(path) is None:
                    self._check_log(index)
            except BaseException:
                self.connection.close()
                raise

    @property
    def damage(self) -> list[str]:
        return self.found.damage

    @property
    def strategy(self) -> str:
        """Whose prediction is the prediction; empty in a file that says nothing yet.

        The run says it once it knows the classes; its settings say what was asked for.
        """
        parts = [self.info.get(name) for name in ("snapshot", "settings")]
        told = [str(part.get("strategy", "")) for part in parts if isinstance(part, dict)]
        return prediction_of(next(filter(None, told), ""), self.names.strategies)

    def refresh(self) -> None:
        """Look again at what the writer says of the run."""
        with self._reading():
            if self.version == 1:
                self.info = version1.info(self.connection)
            else:
                self.info, self.stored = tables.read_info(self.connection, self.found)
            if self.info:
                self.classes = texts_of(self.info.get("classes"), "classes")
                told = version1.named(self.info) if self.version == 1 else self.info
                self.names = names_of(told, len(self.classes))

    def close(self) -> None:
        self.connection.close()

    def let_go(self) -> None:
        """Releases the file, so that its writer can leave one file; the next query reopens it.

        While a file is written in WAL mode, whoever has read from it holds a lock until he closes.
        """
        with self.lock:
            held, self.connection = self.connection, schema.connect(self.path, writable=False)
            held.close()

    @property
    def steps(self) -> int:
        """The number of steps of the run, dropped ones included."""
        if self.version == 1:
            with self._reading():
                return version1.stop(self.connection)
        return self._ledger().stop

    @property
    def first_step(self) -> int:
        """The first step that is kept."""
        return 0 if self.version == 1 else self._ledger().first_step

    @property
    def dropped(self) -> str:
        """In words, what `--keep` dropped; empty if nothing was."""
        if not self.first_step:
            return ""
        keep = visible(self._ledger().dropped, 20)
        return f"{steps_text(0, self.first_step)} were dropped (--keep {keep})"

    def results(self, start: int, stop: int) -> Steps:
        """Returns the results of recorded steps, from one number up to another."""
        return Steps.between(start, stop, self.parts(start, stop))

    def parts(self, start: int, stop: int) -> list[Steps]:
        """The records that have the steps from one number up to another."""
        found, step = [], start
        while step < stop:
            record = self._record(step)
            found.append(record)
            step = record.stop
        return found

    def record_from(self, step: int) -> Steps:
        """The steps from one on, as far as its record goes."""
        record = self._record(step)
        return record.cut(step, record.stop)

    def all_results(self) -> Iterator[Steps]:
        """Every record, from the first that is kept on."""
        step, stop = self.first_step, self.steps
        while step < stop:
            record = self.record_from(step)
            yield record
            step = record.stop

    def whole_results(self) -> Iterator[Steps]:
        """The records that are whole; the others are named in `damage`."""
        if self.version == 1:
            yield from self.all_results()
            return
        with self._reading():
            self._update()
            ledger = None if self.stored is None else self.stored.ledger
            whole = WholeRecords(self.connection, self.names, ledger, self.found)
        for head in whole.heads:
            with self._reading():
                is_kept = not self._update() or head.first_step >= self.first_step
                steps = whole.read(head) if is_kept else None  # or dropped in the meantime
            if steps is not None:
                yield steps

    def events(
        self,
        kinds: Sequence[str] | None = None,
        after: int = -1,
        limit: int | None = None,
        text: str = "",
    ) -> list[tuple[int, Event]]:
        """Events with their numbers, those after a number, of some kinds, that contain a text."""
        wanted = "" if kinds is None else f"AND kind IN ({', '.join('?' * len(kinds))})"
        condition = f"number > ? {wanted} AND instr(lower(text), ?) ORDER BY number LIMIT ?"
        values = [after, *(kinds or ()), text.lower(), -1 if limit is None else limit]
        with self._reading():
            if self.version == 1:
                return version1.events(self.connection, condition, values)
            events = list(tables.read_events(self.connection, condition, values, self.found))
            if kinds is None and not text and limit is None and self._update():
                ledger = self._ledger()
                start = max(after + 1, ledger.first_event)
                stop = max(start, ledger.events)
                numbers = [number for number, _ in events]
                tables.check_numbers(numbers, start, stop, "events", self.found)
        return events

    def rejected(self, after: int = 0) -> Iterator[Rejection]:
        """The rejected rows that are recorded, in order, from behind so many on."""
        with self._reading():
            if self.version == 1:
                rejected = version1.rejected(self.connection)[after:]
            else:
                rows = list(tables.read_rejected(self.connection, self.found, after))
                if self._update():
                    numbers = [number for number, _ in rows]
                    last = self._ledger().rejected
                    tables.check_numbers(
                        numbers, after + 1, max(last, after) + 1, "rejected rows", self.found
                    )
                rejected = [rejection for _, rejection in rows]
        yield from rejected

    def state(self) -> State | None:
        """Returns the state of the run; None before the first commit."""
        with self._reading():
            if self.version == 1:
                return version1.state(self.connection)
            self._update()
            if self.stored is None:
                raise DamagedError("its ledger is missing")
            return tables.read_state(self.connection, self.stored)

    def check(self) -> Iterator[Steps]:
        """Read everything; gives the records that are whole."""
        yield from self.whole_results()
        for read in (self.events, lambda: list(self.rejected()), self.state, self._check_structure):
            try:
                read()
            except DamagedError as error:
                if not self.found.is_tolerant:
                    raise
                self.found.damaged(str(error))

    def _check_structure(self) -> None:
        """Look for what SQLite finds fault with: it would spoil what is written later."""
        with self._reading():
            for (words,) in self.connection.execute("PRAGMA quick_check(1)"):
                if words != "ok":
                    self.found.damaged(f"its structure: {visible(words, 200)}")

    def _ledger(self) -> Ledger:
        return Ledger() if self.stored is None else self.stored.ledger

    def _update(self) -> bool:
        """Reads the current ledger; returns whether there is one."""
        rows = tables.info_rows(self.connection)
        if rows == self.info_rows:  # nothing was committed since it was found whole
            return True
        _, stored = tables.info_of(rows, self.found)
        self.stored = stored or self.stored
        self.info_rows = None if stored is None or self.found.damage else rows
        return stored is not None

    def _record(self, step: int) -> Steps:
        """The record that has a step."""
        with self._reading():
            if self.version == 1:
                first = version1.first_step_of_record(self.connection, step)
                record = self._kept(first, b"", lambda: self._read_version1(first))
            else:
                record = self._record_of(step)
            if record.stop <= step:
                raise DamagedError(f"step {step:,} is missing")
            return record

    def _record_of(self, step: int) -> Steps:
        condition = "first_step <= ? ORDER BY first_step DESC"
        row = records.find(self.connection, condition, [step])
        if row is None:
            self._update()
            if step < self.first_step:
                raise DroppedError(f"{visible(self.path)}: {self.dropped}")
            raise DamagedError(f"step {step:,} is missing")
        try:
            head = records.Head.read(row)
            self._check_links(head)
            return self._kept(head.first_step, head.link, lambda: self._read(head))
        except DamagedError as error:
            what = f"the record that begins at step {row[0]:,}: {error}"
            raise DamagedError(what) from None

    def _check_links(self, head: records.Head) -> None:
        """Refuse a record that does not follow from the one before."""
        condition = "first_step < ? ORDER BY first_step DESC"
        row = records.find(self.connection, condition, [head.first_step])
        if row is not None:
            before = row[3]
        else:
            if head.first_step != self.first_step:
                self._update()
            before = self._ledger().first_link if head.first_step == self.first_step else None
        if before != head.previous:
            raise DamagedError("it does not match the record before")

    def _read(self, head: records.Head) -> Steps:
        if not self.classes:  # it was opened before the first commit
            self.refresh()
        return records.read(self.connection, head, self.names)

    def _read_version1(self, first_step: int) -> Steps:
        record = version1.read(self.connection, first_step, self.names)
        records.check(record, record.rows)
        return record

    def _kept(self, first_step: int, link: bytes, read: Any) -> Steps:
        """A record, from memory where it is still the same."""
        kept = self.kept.get(first_step)
        if kept is None or kept[0] != link:
            kept = link, read()
        self.kept[first_step] = kept
        self.kept.move_to_end(first_step)
        if len(self.kept) > _RECORDS_KEPT:
            self.kept.popitem(last=False)
        return kept[1]

    def _check_log(self, before: wal.Index | None) -> None:
        if wal.commits_are_missing(self.path, before, wal.index_of(self.path)):
            self.found.damaged(
                f"its companion {visible(self.path.name)}-wal, so that its last steps are missing"
            )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """One state of the file, and what goes wrong with it in words."""
        with self.lock, self._in_words():
            if self.connection.in_transaction:
                yield
                return
            self.connection.execute("BEGIN")
            try:
                yield
            finally:
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except DamagedError as error:
            raise self._damaged(str(error)) from None
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._unreadable(error) from None

    def _damaged(self, what: str) -> MacroError:
        if what.startswith(visible(self.path)):
            return DamagedError(what)
        return DamagedError(f"{visible(self.path)} is damaged: {what}")

    def _unreadable(self, error: Exception) -> MacroError:
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
    """Removes the companions of a run file that is no longer written or read."""
    with suppress(sqlite3.Error), closing(schema.connect(path, writable=True)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
