"""The recorder: collects results and writes them to the run file in its own thread.

About once a second everything goes into one transaction: results, events, rejected rows, and the
state from which the run can go on. Nothing is ever dropped: where the file cannot be written,
results wait in memory up to a limit, and then whoever produces them must wait.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, time
from typing import Any

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.state import DamagedError, Part
from macro_engine.core.steps import Steps
from macro_engine.run.events import Event
from macro_engine.run.store import schema, wal, writer
from macro_engine.run.store.batch import Batch
from macro_engine.run.store.ledger import Ledger, write_ledger
from macro_engine.run.store.lock import WriterLock
from macro_engine.run.store.retention import Retention
from macro_engine.run.store.retries import PATIENCE, retried
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.store.tables import writers_ledger
from macro_engine.stream.table import Rejection

COMMIT_SECONDS = 1.0
_REST = 20  # times the last commit's duration, until the next one
_LONGEST_REST = 10.0  # seconds
AT_ONCE = 32 << 20  # bytes that wait for no time to pass
MOST_UNSAVED = 64 << 20
RETRY_SECONDS = 0.5
_PATIENCE_TO_CLOSE = 0.7  # seconds in which trouble may pass
_PATIENCE_WITH_READERS = 1.0  # seconds in which they may let go at the end
MOST_REJECTED = 100_000  # rejected rows that are recorded; all are counted
_CACHE_KB = 384  # of SQLite


class Recorder:
    """Collects the results of a run and writes them in a thread.

    Parameters
    ----------
    path
        The run file; created if it is not there.
    say
        Takes a line about trouble with the file, and one about its end.
    keep
        How much of the run is kept; None for all of it.
    say_dropped
        Takes a line about what was dropped, which is an event in the file already.

    Attributes
    ----------
    trouble
        In words, why the file cannot be written now; None if it can.
    failure
        What ended the recording for good.
    """

    def __init__(
        self,
        path: Path,
        say: Callable[[str], None] = lambda _text: None,
        keep: Retention | None = None,
        say_dropped: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self.path = path
        self.say = say
        self.keep = keep
        self.say_dropped = say_dropped
        self.trouble: str | None = None
        self.failure: Exception | None = None
        self.gathered = Batch()  # since a state was last handed over
        self.handed_over: Batch | None = None
        self.in_flight: Batch | None = None
        self.number_of_events = 0
        self.due_at = monotonic() + COMMIT_SECONDS
        self.ledger = Ledger()  # what is in the file
        self.changed = threading.Condition()
        self.readers: list[RunReader] = []  # of this process, which let go at the end
        self.closing = self.giving_up = self.is_closed = False
        self.ending = threading.Lock()
        self.last_info: dict[str, Any] = {}  # that was handed over
        self.committed: float | None = None  # when something was last, in seconds since 1970
        self.lock = WriterLock(path)
        try:
            self._open()
        except BaseException:
            self.lock.release()
            raise
        self.thread = threading.Thread(target=self._write, name="run file", daemon=True)
        self.thread.start()

    @property
    def unsaved_bytes(self) -> int:
        return sum(batch.nbytes for batch in self._batches())

    @property
    def is_full(self) -> bool:
        """Whether so much waits to be written that nothing more may come."""
        return self.unsaved_bytes >= MOST_UNSAVED

    @property
    def has_gathered(self) -> bool:
        """Whether anything came since a state was last handed over."""
        return bool(self.gathered.results or self.gathered.events or self.gathered.rejected)

    @property
    def is_writing(self) -> bool:
        """Whether what was handed over is not in the file yet."""
        with self.changed:
            return self.failure is None and bool(self.handed_over or self.in_flight)

    @property
    def is_due(self) -> bool:
        """Whether a state should be handed over now."""
        if self.gathered.nbytes >= AT_ONCE:
            return True
        return self.in_flight is None and monotonic() >= self.due_at

    def add(self, results: Steps, events: Sequence[Event] = ()) -> None:
        with self.changed:
            self.gathered.results.append(results)
            self.gathered.nbytes += results.nbytes
        for event in events:
            self.note(event)

    def note(self, event: Event) -> None:
        with self.changed:
            self.gathered.events.append((self.number_of_events, event))
            self.number_of_events += 1

    def reject(self, number: int, rejection: Rejection) -> None:
        """Record a rejected row, which is the run's so-and-so-many-th, from 1."""
        if number <= MOST_REJECTED:
            with self.changed:
                self.gathered.rejected.append((number, rejection))

    def hand_over(self, state: dict[str, Part] | None, info: dict[str, Any]) -> None:
        """Writes everything so far, with the state after it."""
        with self.changed:
            if self.closing:
                return
            batch, self.gathered = self.gathered, Batch()
            batch.state = state
            batch.info = info | {"committed": time(), "events": self.number_of_events}
            self.last_info = batch.info
            if self.handed_over is None:
                self.handed_over = batch
            else:
                self.handed_over.add(batch)
            self.changed.notify_all()

    def show_alive(self) -> None:
        """Updates the heartbeat, unless something waits to be written."""
        with self.changed:
            waits = self.in_flight or self.handed_over or self.has_gathered
        if self.trouble is None and not waits:
            self.lock.show_alive()

    def forget(self, failure: str = "") -> None:
        """Drops everything after the last state, and accepts nothing more before `close`.

        The file says why the run failed, if it did.

        A run that goes on from there finds it again. The run may be under way in another thread:
        what it hands over from now on would leave a gap.
        """
        with self.changed:
            self.gathered = Batch()
            if failure and self.last_info:
                told = Batch(info=self.last_info | {"status": "failed", "failure": failure})
                if self.handed_over is None:
                    self.handed_over = told
                else:
                    self.handed_over.add(told)
            self.closing = True
            self.changed.notify_all()

    def pending(self) -> list[Steps]:
        """The results that are not in the file yet, in order."""
        with self.changed:
            return [results for batch in self._batches() for results in batch.results]

    def pending_events(self) -> list[tuple[int, Event]]:
        with self.changed:
            return [event for batch in self._batches() for event in batch.events]

    def close(self, go_on_trying: Callable[[], bool] = lambda: True) -> None:
        """Writes the remaining results and leaves one file behind.

        While that fails, it asks whether to go on trying, though not in the first moment. Whoever
        closes it too, as a run is abandoned that is just ending, waits for that.
        """
        with self.ending:
            if not self.is_closed:
                self.is_closed = True
                self._close(go_on_trying)

    def _close(self, go_on_trying: Callable[[], bool]) -> None:
        ends = monotonic() + _PATIENCE_TO_CLOSE
        with self.changed:
            self.closing = True
            self.changed.notify_all()
        while self.thread.is_alive():
            self.thread.join(0.05)
            if self.trouble is not None and monotonic() >= ends and not go_on_trying():
                self.giving_up = True
                with self.changed:
                    self.changed.notify_all()
        lost = self.trouble
        try:
            if lost is None and self.failure is None:
                self._leave_one_file()
        finally:
            self.connection.close()
            self.lock.release()
        if self.failure is not None:
            raise self.failure
        if lost is not None:
            raise MacroError(
                f"{lost}; what came after the last commit is not in the file, and the same "
                "command resumes from there"
            )

    def _batches(self) -> list[Batch]:
        batches = (self.in_flight, self.handed_over, self.gathered)
        return [batch for batch in batches if batch is not None]

    def _leave_one_file(self) -> None:
        """Undo the companions, as soon as those who read the file let go of it."""

        def undo() -> None:
            for reader in self.readers:
                reader.let_go()
            self.connection.execute("PRAGMA busy_timeout = 20")
            schema.close_log(self.connection)

        with suppress(sqlite3.Error):  # somebody stays: several files, which are whole together
            retried(undo, _PATIENCE_WITH_READERS)

    def _open(self) -> None:
        was_there = self.path.exists()
        try:
            self.connection = retried(self._connected, PATIENCE)
        except DamagedError as error:
            raise MacroError(f"{visible(self.path)} is damaged: {error}") from None
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if not was_there:
                _remove(self.path)
            raise MacroError(
                f"{visible(self.path)} cannot be written as a run file: {visible(error)}"
            ) from None

    def _connected(self) -> sqlite3.Connection:
        index = wal.index_of(self.path)
        connection = schema.connect(self.path, writable=True)
        try:
            if schema.is_empty(connection):
                schema.create(connection)
            else:
                self._check_version(connection)
                if wal.commits_are_missing(self.path, index, wal.index_of(self.path)):
                    raise DamagedError("its -wal, so that its last steps are missing")
                self.ledger = writers_ledger(connection)
                self.number_of_events = self.ledger.events
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            # pages are written once: a few that stay in the processor's cache are faster than many
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_version(self, connection: sqlite3.Connection) -> None:
        """Refuse what this program only reads."""
        if schema.version_of(connection, self.path) < schema.VERSION:
            name = visible(self.path.with_stem(f"{self.path.stem}-2"))
            raise MacroError(
                f"{visible(self.path)} was written in version 1 of the format, which has no "
                "checksums: it can be watched and exported, but not resumed. For a new run give "
                f"the same command with --run {name}"
            )

    def _write(self) -> None:
        """The thread: nothing that goes wrong in it is lost."""
        try:
            self._write_all()
        except Exception as error:
            self.failure = error

    def _write_all(self) -> None:
        """Commit what is handed over, and try again where that fails."""
        while (batch := self._next()) is not None:
            started = monotonic()
            while not self._committed(batch):
                with self.changed:
                    self.changed.wait_for(lambda: self.giving_up, RETRY_SECONDS)
                if self.giving_up:
                    return
                started = monotonic()  # what failed is not what a commit takes
            self._written(monotonic() - started)

    def _written(self, seconds: float) -> None:
        """Rest after a commit that took so long; after trouble the next one is due at once."""
        rest = min(max(COMMIT_SECONDS, _REST * seconds), _LONGEST_REST)
        self.committed = time()
        with self.changed:
            self.in_flight = None
            was_in_trouble, self.trouble = self.trouble is not None, None
            self.due_at = monotonic() + (0.0 if was_in_trouble else rest)
        if was_in_trouble:
            self.say(f"{visible(self.path)} can be written again; nothing was lost")

    def _next(self) -> Batch | None:
        """Wait for something to write; None at the end."""
        with self.changed:
            self.changed.wait_for(lambda: self.handed_over is not None or self.closing)
            self.in_flight, self.handed_over = self.handed_over, None
            return self.in_flight

    def _committed(self, batch: Batch) -> bool:
        """Whether everything went into the file."""
        ledger, connection, dropped = self.ledger.copy(), self.connection, None
        try:
            connection.execute("BEGIN IMMEDIATE")
            writer.write_steps(connection, ledger, batch.results)
            writer.write_events(connection, ledger, batch.events)
            writer.write_rejected(connection, ledger, batch.rejected)
            writer.write_info(connection, ledger, batch.info)
            writer.write_state(connection, ledger, batch.state or {})
            if self.keep is not None:
                dropped = writer.drop_old(connection, ledger, self.keep)
                if dropped is not None:
                    event = Event(ledger.stop, None, "run", dropped)
                    writer.write_events(connection, ledger, [(ledger.events, event)])
            write_ledger(connection, ledger)
            connection.execute("COMMIT")
        except sqlite3.DataError as error:  # larger than SQLite takes: no use in trying again
            raise MacroError(
                f"{visible(self.path)} cannot hold the results: {visible(error)}; shorter steps "
                "(--every) make smaller ones"
            ) from None
        except sqlite3.Error as error:
            self._failed(error)
            return False
        self.ledger = ledger
        if dropped is not None:
            self._count_own_event()
            self.say_dropped(dropped)
        return True

    def _count_own_event(self) -> None:
        """Give the events that wait the numbers after that of one written in between."""
        with self.changed:
            for batch in (self.handed_over, self.gathered):
                if batch is not None:
                    batch.events = [(number + 1, event) for number, event in batch.events]
            self.number_of_events += 1

    def _failed(self, error: sqlite3.Error) -> None:
        if self.connection.in_transaction:
            with suppress(sqlite3.Error):  # SQLite may have rolled back by itself
                self.connection.execute("ROLLBACK")
        is_news = self.trouble is None
        self.trouble = f"{visible(self.path)} cannot be written: {visible(error)}"
        if is_news:
            self.say(
                f"{self.trouble}; results are kept in memory, up to {MOST_UNSAVED >> 20} MB, and "
                f"writing is retried every {RETRY_SECONDS:g} s"
            )


def add_events(path: Path, events: Sequence[Event]) -> None:
    """Add events to the file of a run that has ended."""
    recorder = Recorder(path)
    try:
        for event in events:
            recorder.note(event)
        recorder.hand_over(None, {})
    finally:
        recorder.close(lambda: False)


def _remove(path: Path) -> None:
    """Remove a run file whose making was cut short."""
    path = path.resolve()
    for companion in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            path.with_name(f"{path.name}{companion}").unlink()
