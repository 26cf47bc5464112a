"""Stores the state of a run in its run file, and resumes a run from it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from time import time
from typing import Any

from macro_engine import __version__
from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.state import DamagedError, Part, State, child, number, whole
from macro_engine.run.events import Event
from macro_engine.run.identity import check_same, settings_of
from macro_engine.run.outputs import Outputs
from macro_engine.run.progress import RunProgress
from macro_engine.run.rate import Rate
from macro_engine.run.score.recent_sums import WINDOW
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.store.recorder import Recorder
from macro_engine.run.store.retention import Retention
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.store.stored_names import told
from macro_engine.strategies import names_along
from macro_engine.subroutines import STORABLE


class Checkpoint:
    """Stores a run and takes up one that was stored.

    Attributes
    ----------
    was_finished
        Whether the run in the file had come to its end: there is nothing left to do.
    is_closing
        Whether what was read is being committed.
    told
        The snapshot that was stored last.
    """

    def __init__(self, progress: RunProgress, outputs: Outputs) -> None:
        self.progress = progress
        self.outputs = outputs
        self.opened, self.report = progress.opened, progress.report
        self.reader, self.pipeline = progress.reader, progress.pipeline
        self.was_finished = False
        self.is_closing = False
        self.told: Snapshot | None = None
        self.fixed: dict[str, Any] | None = None  # what is stored and never changes
        self.noting = threading.Lock()  # held while the recorder is taken leave of

    @property
    def is_storable(self) -> bool:
        """Whether the run can be resumed from its file."""
        return self.opened.settings["subroutine"] in STORABLE

    def open(self, path: Path, keep: Retention | None) -> None:
        """Starts recording, or resumes the recorded run."""
        remark = self.report.listener.remark
        if not self.is_storable:
            remark(
                f"{visible(path)}: the subroutine {visible(self.opened.settings['subroutine'])} "
                "cannot be stored; the run is recorded, but cannot be resumed"
            )
        recorder = Recorder(path, self.report.of_recorder, keep, remark)
        self.report.recorder = recorder
        try:
            with closing(RunReader(path)) as reader:
                if reader.info:
                    self._resume(reader)
        except BaseException:
            recorder.forget()
            recorder.close()
            self.report.recorder = None  # it is somebody else's run: nothing is written to it
            raise

    async def record(self, was_stopped: Callable[[], bool]) -> None:
        """Passes results to the recorder, and waits if it is behind."""
        await asyncio.sleep(0)
        recorder, progress = self.report.recorder, self.progress
        if recorder is None:
            return
        if recorder.failure is not None:
            raise recorder.failure
        if not self.reader.can_commit or self._is_emission_behind():
            return
        has_news = self.report.has_news or recorder.has_gathered or self.told != progress.to_tell
        if has_news and recorder.is_due:
            self.store("running")
        while recorder.is_full and not was_stopped():
            progress.full_since = progress.full_since or time()
            words = recorder.trouble or "the run file is slower than the run"
            progress.publish("waiting", f"waiting to write: {words}")
            await asyncio.sleep(0.05)
        progress.full_since = None

    def _is_emission_behind(self) -> bool:
        """Whether lines were not written, so that a state must not say that they are."""
        emission = self.outputs.emission
        return emission is not None and emission.trouble is not None

    async def store_beginning(self, was_stopped: Callable[[], bool]) -> None:
        """Store where a run begins, and wait until that is in the file."""
        self.store("running")
        recorder = self.report.recorder
        while recorder is not None and recorder.is_writing and not was_stopped():
            await asyncio.sleep(0.01)

    def store(self, status: str) -> None:
        """Writes everything so far, with the state after it."""
        recorder, progress = self.report.recorder, self.progress
        assert recorder is not None
        info = self._fixed() | {
            **told(self.pipeline.names),
            "classes": list(progress.classes),
            "status": status,
            "path": self.pipeline.path,
            "seconds": self.pipeline.seconds,
            "rejected": max(self.report.rejections.count, self.report.known_rejected),
            "reports": max(self.reader.reports, self.report.known_reports),
            "snapshot": asdict(progress.snapshot),
            "failure": progress.snapshot.words if status == "failed" else "",
        }
        if self.pipeline.steps and self.reader.encoder.fixed:
            info["summary"] = progress.summary()
        self.told = progress.to_tell
        ends = status != "running"  # then its state does not depend on when it was stored before
        state = self._state(ends) if ends or self.report.has_news else None
        recorder.hand_over(state, info)
        self.report.has_news = False

    def note(self, events: Sequence[Event]) -> bool:
        """Record events of the user's; whether the run still takes any. From any thread."""
        with self.noting:
            if self.report.recorder is None:
                return False
            for event in events:
                self.report.recorder.note(event)
            return True

    def close(self, status: str, is_whole: bool, goes_on: Callable[[str], bool]) -> None:
        """Store the end of the run; `is_whole` says that its state is not amid a block.

        Where it cannot be written, `goes_on` is told why and says whether to go on trying.
        """
        if self.report.recorder is None:
            return
        recorder = self.report.recorder
        self.is_closing = True
        try:
            with self.noting:
                self._store_end(recorder, status, is_whole)
        finally:
            recorder.close(lambda: goes_on(recorder.trouble or ""))

    def _store_end(self, recorder: Recorder, status: str, is_whole: bool) -> None:
        """Have the recorder write the end, and take leave of it."""
        not_whole = status == "failed" and not is_whole
        try:
            if (not_whole or self._is_emission_behind()) and self.is_storable:
                failure = self.progress.snapshot.words if status == "failed" else ""
                recorder.forget(failure)  # the file keeps the last state
            elif not self.was_finished:
                self.store(status)
        except MacroError as error:  # there is no state to store
            recorder.forget(str(error))
            raise
        finally:
            self.report.recorder = None

    def abandon(self) -> None:
        """Closes the file during the run; it keeps the last state."""
        recorder = self.report.recorder  # the run may take leave of it now
        if recorder is not None:
            recorder.forget()
            recorder.close(lambda: False)

    def _fixed(self) -> dict[str, Any]:
        if self.fixed is None:
            self.fixed = self._identity() | {
                "program": __version__,
                "guessed": self.opened.settings.guessed,
            }
        return self.fixed

    def _identity(self) -> dict[str, Any]:
        return {
            "settings": settings_of(self.opened.settings),
            "input": self.opened.origin.identity(),
        }

    def _state(self, whole: bool) -> dict[str, Part] | None:
        if not self.is_storable:
            return None
        emission = self.outputs.emission
        emitted = {} if emission is None else {"emitted": emission.state()}
        state = {"source": self.reader.state()} | emitted | self.pipeline.state(whole)
        return state | {"alarms": self.progress.alarm_checker.state()}

    def _resume(self, stored: RunReader) -> None:
        for _ in stored.check():
            pass  # a damaged file is refused before anything is made of it
        path = visible(stored.path)
        try:
            self._take_info(stored)
            state = stored.state()
            if state is None:
                self._check_begun(stored)
                return
            self._restore(state)
            self._take_up(stored)
        except DamagedError as error:
            raise MacroError(f"{path} is damaged: {error}") from None
        steps = self.pipeline.steps
        if steps != stored.steps:
            raise MacroError(f"{path} is damaged: it holds {stored.steps} steps, its state {steps}")
        if self.was_finished:
            self.report.listener.remark(f"{path}: this run is finished")
        else:
            self.report.listener.remark(f"{path}: resuming after {steps:,} steps")
            self.report.note("run", f"resumed after {steps:,} steps")

    def _take_info(self, stored: RunReader) -> None:
        """Check that it is the same run, and take what is stored beside its state."""
        info = stored.info
        check_same(info, self._identity(), stored.path)
        names = stored.names
        now = names_along(names.strategies, names.members, names.classes, stored.strategy)
        if stored.steps and names != now:
            raise MacroError(
                f"{visible(stored.path)} cannot be resumed: its strategies showed other values "
                "than they do now; name another file"
            )
        self.pipeline.seconds = number(info, "seconds")
        self.pipeline.took(info.get("path"))
        self.report.known_rejected = whole(info, "rejected")
        self.report.known_reports = whole(info, "reports")
        self.was_finished = info.get("status") == "finished"
        if self.was_finished and self.reader.is_live:
            raise MacroError(
                f"{visible(stored.path)} holds a finished run, to which nothing of "
                f"{self.reader.source.name} can be added; name another file, or read this one "
                "with macro-tui export"
            )

    def _check_begun(self, stored: RunReader) -> None:
        """Refuse a run without a state that is further than its beginning."""
        if stored.steps or self.was_finished:
            raise MacroError(
                f"{visible(stored.path)} holds a run that cannot be resumed, because its "
                "subroutine cannot be stored; name another file"
            )

    def _restore(self, state: State) -> None:
        self.reader.restore(child(state, "source"))
        self.pipeline.restore(state)
        if "alarms" in state:
            self.progress.alarm_checker.restore(child(state, "alarms"))
        if self.outputs.emission is not None:
            self.outputs.emission.restore(state.get("emitted") or {})
        if self.reader.steps > self.pipeline.closed_steps:
            raise DamagedError("the parts of its state are of different moments")
        if self.pipeline.ensemble is not None:
            self.outputs.open(self.progress.classes, self.pipeline.members, self.pipeline.strategy)

    def _take_up(self, stored: RunReader) -> None:
        """Stand where the recorded run stood."""
        pipeline, progress, rejections = self.pipeline, self.progress, self.report.rejections
        progress.rate = Rate(progress.rows_come)
        steps = min(pipeline.steps, stored.steps)
        if steps and pipeline.scoreboard is not None:
            newest = stored.results(max(steps - WINDOW, stored.first_step), steps)
            pipeline.time = None if newest.times is None else int(newest.times[-1])
            pipeline.scoreboard.load_recent(newest)
        if not self.reader.is_live:
            progress.done = Snapshot.restored(child(stored.info, "snapshot")).done
        for rejection, _ in zip(stored.rejected(), range(rejections.count), strict=False):
            rejections.keep(rejection)
