"""A run in this process, in its own thread."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic, time
from typing import Any

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.format import elapsed_text
from macro_engine.core.rows import Ints
from macro_engine.core.steps import Steps
from macro_engine.run.engine import Engine, Listener
from macro_engine.run.events import Event
from macro_engine.run.follower import RunFollower
from macro_engine.run.history.history import History
from macro_engine.run.rejected import RejectedReason, reasons_of
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.store.combined_reader import CombinedReader
from macro_engine.run.store.recorder import add_events
from macro_engine.run.store.runfile import RunReader, leave_one_file
from macro_engine.run.summary import Summary
from macro_engine.run.view import Controls
from macro_engine.subroutines.parameters import Parameters

UNNAMED = "unnamed.run"
_LIVE = "a live feed cannot be paused or sped up; space freezes the view"
_WAIT_SECONDS = 0.1  # between two looks for a stream that is not there yet

Load = Callable[[Listener, Path], Engine]


class SessionEnded(BaseException):
    """The session was asked to end before there was a stream."""


class Session(RunFollower):
    """Runs an engine and keeps the history of its run: the `RunView` of a run in this process.

    Parameters
    ----------
    load
        Makes the engine, given whom to tell and a run file for the case that none was named. It is
        called in the session's thread, because what it imports takes its time.
    is_live
        Whether the source is live, so that the run cannot be paused or sped up.

    Attributes
    ----------
    engine, history
        None until they are there.
    known_steps
        How many were recorded before this session.
    """

    can_note = True

    def __init__(self, load: Load, is_live: bool = False) -> None:
        super().__init__(self._run, "engine")
        self.load = load
        self.is_live = is_live
        self.no_controls = _LIVE if is_live else ""
        self.engine: Engine | None = None
        self.told: tuple[Snapshot, bool, Snapshot] | None = None  # the engine's, and as shown
        self.before = Snapshot()  # where it stands before there is an engine
        self.waiting: tuple[str, float] | None = None  # for what, and since when
        self.started = time()
        self.noted: list[Event] = []  # not in the run file, nor on their way to it
        self.noting = threading.Lock()
        self.is_over = False  # the run has ended well, and its file is closed
        self.folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def snapshot(self) -> Snapshot:
        if self.engine is None:
            return self.before
        snapshot, pace = self.engine.snapshot, self.engine.pace
        is_paused = pace.paused and not pace.target
        told = self.told
        if told is None or told[0] is not snapshot or told[1] != is_paused:
            told = self.told = snapshot, is_paused, self._told(snapshot, is_paused)
        return told[2]

    @staticmethod
    def _told(snapshot: Snapshot, is_paused: bool) -> Snapshot:
        """Returns the snapshot of the engine as it is shown."""
        if snapshot.recording == UNNAMED:  # a temporary file
            snapshot = replace(snapshot, recording="")
        if snapshot.state not in ("starting", "running") or not is_paused:
            return snapshot
        words = "paused" if snapshot.state == "running" else f"{snapshot.words}, and paused"
        return replace(snapshot, state="paused", words=words, rate=0.0)

    @property
    def settings(self) -> dict[str, Any]:
        engine = self.engine
        return {} if engine is None else engine.opened.settled(engine.reader)

    @property
    def guessed(self) -> list[str]:
        return [] if self.engine is None else self.engine.opened.settings.guessed

    @property
    def controls(self) -> Controls | None:
        return None if self.engine is None or self.no_controls else self.engine.pace

    @property
    def is_kept(self) -> bool:
        """Whether the run file outlives the session."""
        if self.engine is None or self.engine.run_file is None or self.folder is None:
            return False
        return self.engine.run_file.parent != Path(self.folder.name)

    @property
    def after_leaving(self) -> str:
        engine = self.engine
        if engine is None:
            return ""
        if self.is_kept and engine.run_file is not None and self.snapshot.trouble:
            return (
                f"{visible(engine.run_file.name, 20)} cannot be written: what came after its last "
                "commit is lost"
            )
        if not self.is_live or self.snapshot.has_ended:
            return ""
        if not self.is_kept:
            return "its recording is deleted (--run keeps it)"
        assert engine.run_file is not None
        if not engine.is_storable:
            return f"{visible(engine.run_file.name, 20)} is kept, but cannot be resumed"
        if not engine.reader.source.can_rewind:
            return "the same command resumes, without the rows until then"
        return "the same command resumes from here"

    @property
    def writing_seconds(self) -> float:
        engine = self.engine
        return 0.0 if engine is None or not engine.writes_when_stopped else engine.patience

    def summary(self) -> Summary | None:
        engine = self.engine
        if engine is None or not engine.steps:
            return None
        return Summary.read(engine.summary(), engine.opened.input_names, engine.rejections)

    def rejected(self) -> list[RejectedReason]:
        return [] if self.engine is None else reasons_of(self.engine.rejections)

    def wait(self, why: str) -> None:
        """Sleeps a moment and shows why; called by `load` while there is no stream."""
        reason = why.split(",")[0]  # a count may follow
        if self.waiting is None or self.waiting[0] != reason:
            self.waiting = reason, monotonic()
        words = f"{why} ({elapsed_text(monotonic() - self.waiting[1])})"
        self.before = Snapshot(state="waiting", words=words, came=self.started)
        if self.ending.wait(_WAIT_SECONDS):
            raise SessionEnded

    def stop(self, patience: float) -> bool:
        self.ending.set()
        if self.engine is not None:
            self.engine.stop()
        return super().stop(patience)

    def abandon(self) -> None:
        """Closes the run file although the engine does not return."""
        if self.engine is not None:
            with suppress(MacroError):
                self.engine.abandon()
        if self.folder is not None:
            self.folder.cleanup()

    def note(self, events: Sequence[Event]) -> None:
        """Record events of the user's, such as a bookmark; after the end of the run too."""
        with self.noting:
            self.noted += events
            self._record_noted()

    def parameters(self, member: int, number: int) -> Parameters | None:
        """Returns the current parameters of a subroutine; None if its learner has none to show."""
        engine = self.engine
        if engine is None or engine.pipeline.ensemble is None:
            return None
        return engine.pipeline.ensemble.family.parameters(member, number, engine.pipeline.columns)

    def updates(self, member: int) -> Ints | None:
        """Returns the number of steps that each subroutine of a member has learned."""
        engine = self.engine
        if engine is None or engine.pipeline.ensemble is None:
            return None
        return engine.pipeline.ensemble.family.updates(member)

    def close(self) -> None:
        """Removes the temporary run file; the session must have ended."""
        if self.store is not None:
            self.store.reader.close()
            leave_one_file(self.store.reader.path)  # the reader was in the recorder's way
        if self.folder is not None:
            self.folder.cleanup()

    def _record_noted(self) -> None:
        """Hands noted events to the run, or writes them to its file after the end."""
        if not self.noted or self.engine is None:
            return
        if not self.engine.note(self.noted):
            if not self.is_over:  # the file is being closed: they are added after that
                return
            assert self.engine.run_file is not None
            add_events(self.engine.run_file, self.noted)
        self.noted = []

    def _run(self) -> None:
        try:
            self.folder = tempfile.TemporaryDirectory(prefix="macro-tui-")
            listener = Listener(
                self._look_back,
                results=self._append,
                remark=self.remarks.append,
                alarm=self.heard,
            )
            engine = self.load(listener, Path(self.folder.name) / UNNAMED)
            engine.watch_for(self.alarms)
            self.engine = engine
            self.remarks += self.engine.opened.remarks
            self.headline = self.engine.opened.headline
            if self.ending.is_set():
                self.engine.stop()
            asyncio.run(self.engine.run())
            with self.noting:
                self.is_over = True
                self._record_noted()
            self._look_back()
        except SessionEnded:
            pass
        except BaseException as error:  # shown by whoever views the run
            self.error = error

    def _look_back(self) -> None:
        """Loads the history of a resumed or finished run before its first new step."""
        if self.history is None and self.engine is not None and self.engine.steps:
            self.history = self._from_file(self.engine)

    def _append(self, results: Steps) -> None:
        if self.history is None:
            assert self.engine is not None
            history = self._from_file(self.engine)
            history.append(results)
            self.history = history
        else:
            self.history.append(results)

    def _from_file(self, engine: Engine) -> History:
        """The history of what was recorded before this session."""
        assert engine.run_file is not None
        store = self.store = CombinedReader(RunReader(engine.run_file), engine.recorder)
        history = History(
            engine.pipeline.names,
            engine.classes,
            store.parts,
            engine.opened.settings["eps_power"],
            lambda: store.first_step,
            engine.opened.settings["label"],
        )
        for results in self.store.reader.all_results():
            history.append(results)
        self.known_steps = history.steps
        return history
