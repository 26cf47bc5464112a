"""The engine: takes a stream through MACRO, block by block, on an asyncio loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import time
from typing import Any

import numpy as np

from macro_engine import __version__
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.rows import Block, Columns
from macro_engine.core.state import DamagedError, State, child, number, whole
from macro_engine.core.steps import Steps
from macro_engine.run.events import Event
from macro_engine.run.identity import check_same, identities, plain, settings_of
from macro_engine.run.open_step import OpenStepWatch
from macro_engine.run.outputs import PredictionsFile, ResultFile, TraceFile, finish_all
from macro_engine.run.pace import PLAYING, Pace
from macro_engine.run.pipeline import Pipeline
from macro_engine.run.rate import Rate
from macro_engine.run.recorder import Recorder
from macro_engine.run.runfile import RunReader
from macro_engine.run.snapshot import ENDED, Snapshot
from macro_engine.run.speed import Speed
from macro_engine.run.store.keep import Keep
from macro_engine.run.store.naming import told
from macro_engine.stream.live.feed import Feed
from macro_engine.stream.live.opening import OpenedLive
from macro_engine.stream.opening import Opened
from macro_engine.stream.source import Recording
from macro_engine.stream.table import Rejection, Rejections
from macro_engine.subroutines import STORABLE

_SHORTEST_NAP, _LONGEST_NAP = 0.02, 0.25  # between two looks at a live feed
_PATIENCE, _PATIENCE_TO_WRITE = 0.5, 60.0  # seconds
_ALIVE_SECONDS = 4.0  # between two signs of life to those who watch


@dataclass
class Listener:
    """Who is told of a run as it goes; each may be left out."""

    progress: Callable[[], None] = lambda: None
    event: Callable[[Event], None] = lambda _event: None
    rejected: Callable[[Rejection], None] = lambda _rejection: None
    remark: Callable[[str], None] = lambda _text: None
    results: Callable[[Steps], None] = lambda _results: None


@dataclass
class Engine:
    """One run over a recorded stream or a live one.

    Attributes
    ----------
    predictions, trace
        Files to write at the end.
    run_file
        Where the run is recorded, and from where it goes on if it was begun before.
    speed
        How fast it plays; None for a speed that suits the recording.
    keep
        How much of the run the file keeps; None for all of it.
    pipeline
        What the steps go through.
    snapshot
        Where the run stands, for other threads.
    """

    opened: Opened
    predictions: Path | None = None
    trace: Path | None = None
    listener: Listener = field(default_factory=Listener)
    run_file: Path | None = None
    speed: Speed | None = field(default_factory=Speed)
    keep: Keep | None = None

    def __post_init__(self) -> None:
        self.rejections = Rejections(self._rejected)
        self.feed = (
            self.opened.feed(self.rejections, self._reported, self._happened)
            if isinstance(self.opened, OpenedLive)
            else None
        )
        self.recording: Feed | Recording = self.feed or Recording(
            self.opened.files, self.opened.spec, self.rejections, self._reported
        )
        # a run that goes on from its file must have had them from the first step on
        with_probabilities = self.predictions is not None or self.run_file is not None
        self.pipeline = Pipeline(
            self.opened, self.feed is not None, self._announce, with_probabilities
        )
        self.open_step: OpenStepWatch | None = None
        self.recorder: Recorder | None = None
        self.noting = threading.Lock()  # held while the recorder is taken leave of
        self.files: list[ResultFile] = []
        if self.speed and self.speed.multiple and self.opened.spec.time is None:
            raise UsageError("--speed needs a time column (--time); without one use --rate")
        self.pace = Pace(self.speed, self._waits, lambda text: self.listener.remark(text))
        self.known_rejected = self.known_reports = 0  # told in an earlier session of the run
        self.was_finished = False
        self.is_closing = False  # what was read is being committed
        self.between_blocks = True
        self.in_poll = False  # some of what was read from a live feed has not been run yet
        self.done: float | None = None if self.feed else 0.0
        self.has_news = True  # to be handed over to the recorder
        self.rate = Rate()
        self.closed = time()  # when the newest step was, or the run began
        self.full_since: float | None = None  # when it had to wait for the recorder
        self.snapshot = Snapshot(path=self.pipeline.path)
        self.told: Snapshot | None = None  # what the recorder was last handed over

    @property
    def classes(self) -> tuple[str, ...]:
        return self.recording.encoder.classes or self.pipeline.classes

    @property
    def is_storable(self) -> bool:
        """Whether the run can go on from its file."""
        return self.opened.settings["subroutine"] in STORABLE

    @property
    def steps(self) -> int:
        return self.pipeline.steps

    def stop(self) -> None:
        """Ask for an end after the block at hand; may be called from anywhere."""
        self.pace.stop()

    def note(self, events: Sequence[Event]) -> bool:
        """Record events of the user's; whether the run still takes any. From any thread."""
        with self.noting:
            if self.recorder is None:
                return False
            for event in events:
                self.recorder.note(event)
            return True

    def abandon(self) -> None:
        """Leave everything in order where the run cannot be waited for; the process must end now.

        What was read after the last commit is found again by a run that goes on.
        """
        for file in self.files:
            file.discard()
        recorder = self.recorder  # the run may take leave of it now
        if recorder is not None:
            recorder.forget()
            recorder.close(lambda: False)

    @property
    def writes_when_stopped(self) -> bool:
        """Whether a stop is followed by result files, which take their time."""
        return self.feed is not None and (self.predictions or self.trace) is not None

    @property
    def patience(self) -> float:
        """Seconds that it may take to end by itself once it was asked to."""
        return _PATIENCE_TO_WRITE if self.writes_when_stopped else _PATIENCE

    @property
    def was_stopped(self) -> bool:
        return self.pace.stopping

    async def run(self) -> None:
        """Run to the end of the stream, or until stopped; result files appear at the end."""
        status = "failed"
        alive = asyncio.create_task(self._show_alive())
        try:
            if self.run_file is not None:
                self._open_run_file(self.run_file)
            if not self.was_finished:
                await (self._play() if self.feed is None else self._follow(self.feed))
            status = "stopped" if self.was_stopped else "finished"
            end = "the recording" if self.feed is None else self.feed.source.name
            self._publish(status, "stopped" if self.was_stopped else f"the end of {end}")
        except BaseException as error:
            self._publish("failed", str(error) or type(error).__name__)
            raise
        finally:
            alive.cancel()
            try:
                self._close_run_file(status)
                if status == "finished" or (status == "stopped" and self.writes_when_stopped):
                    self._write_outputs()
            finally:
                for file in self.files:
                    file.discard()
                if self.open_step is not None:
                    self.open_step.close()
                self.pipeline.finish()
                if self.feed is not None:
                    self.feed.close()

    async def _play(self) -> None:
        assert isinstance(self.recording, Recording)
        first_share = self.done or 0.0
        for block in self.recording.blocks():
            if self.pipeline.classes not in ((), self.classes):
                raise MacroError(f"{visible(self.run_file)} is damaged: its classes are others")
            if self.pipeline.ensemble is None:
                self._start(block.rows.columns)
            begin = max(self.steps - block.first_step, 0)
            share = self.recording.done
            shares = np.linspace(first_share, share, block.steps + 1)[1:]
            self.pace.choose(block, share - first_share)
            first_share = share
            while begin < block.steps:
                end = await self.pace.allowed(block, begin, shares)
                if end == begin:
                    return
                end = min(end, begin + self.pipeline.steps_at_once)
                part = block.cut(begin, end)
                self._step_through(part)
                self.pace.passed(part)
                self.done = float(shares[end - 1])
                begin = end
                self._publish("running", PLAYING)
                self.listener.progress()
                await self._record()

    def _waits(self, words: str) -> None:
        self._publish("running", words)
        self.listener.progress()

    async def _follow(self, feed: Feed) -> None:
        """Read, run and record what comes, until it ends or somebody stops it."""
        nap = _SHORTEST_NAP
        feed.source.start()
        if self.recorder is not None:
            self._publish(*feed.standing())  # or readers would see a run that has not begun
            self._hand_over("running")  # whatever happens, it is known where to begin
        while not self.was_stopped:
            self.in_poll = True
            for block in feed.poll():
                await self._run_through(block)
            self.has_news |= feed.has_news
            self.in_poll = False
            self._look_at_open_step(feed)
            self._publish(*feed.standing())
            self.listener.progress()
            await self._record()
            if feed.has_ended:
                return
            if feed.has_news:
                nap = _SHORTEST_NAP
            if not feed.read_all_there_was:
                continue
            await self.pace.nap(nap)
            nap = min(2 * nap, _LONGEST_NAP)

    async def _run_through(self, block: Block) -> None:
        """Run all steps of a block, which was read and must not be lost."""
        if self.pipeline.ensemble is None:
            self._start(block.rows.columns)
        begin = 0
        while begin < block.steps:
            end = min(block.steps, begin + self.pipeline.steps_at_once)
            self._step_through(block.cut(begin, end))
            begin = end
            self._publish("running", "following")
            await asyncio.sleep(0)

    def _look_at_open_step(self, feed: Feed) -> None:
        """Predict the rows of the open step that have come."""
        rows = feed.maker.open_step()
        if self.pipeline.ensemble is None and not len(rows):
            return
        if self.open_step is None:
            ensemble = self.pipeline.ensemble or self._start(rows.columns)
            self.open_step = OpenStepWatch(ensemble)
        with self.pipeline.failures_in_words(feed.maker.steps):
            self.open_step.look(feed.maker.steps, rows)

    async def _record(self) -> None:
        """Let the recorder have what it needs, and wait for it if it is behind."""
        await asyncio.sleep(0)
        if self.recorder is None:
            return
        if self.recorder.failure is not None:
            raise self.recorder.failure
        has_news = self.has_news or self.recorder.has_gathered or self.told != self._to_tell()
        if has_news and self.recorder.is_due:
            self._hand_over("running")
        while self.recorder.is_full and not self.was_stopped:
            self.full_since = self.full_since or time()
            words = self.recorder.trouble or "the run file is slower than the run"
            self._publish("waiting", f"waiting to write: {words}")
            await asyncio.sleep(0.05)
        self.full_since = None

    async def _show_alive(self) -> None:
        """Let those who watch tell a run with nothing to write from one that cannot write."""
        while True:
            await asyncio.sleep(_ALIVE_SECONDS)
            if self.recorder is not None:
                self.recorder.show_alive()

    def _to_tell(self) -> Snapshot:
        """The snapshot, without how long the feed has been quiet: who watches has a clock."""
        snapshot = self.snapshot
        return replace(snapshot, words="quiet") if snapshot.state == "quiet" else snapshot

    def summary(self) -> dict[str, Any]:
        """The run in numbers."""
        pipeline = self.pipeline
        board = pipeline.scoreboard
        assert board is not None
        return {
            "rows": board.rows,
            "steps": board.steps,
            "classes": list(self.classes),
            "seconds": pipeline.seconds,
            "path": pipeline.path,
            "errors": board.errors,
            "thresholds": [
                {
                    "history": member.history,
                    "threshold": plain(member.threshold),
                    "error": error,
                    "subroutines": int(subroutines),
                }
                for member, error, subroutines in zip(
                    pipeline.members, board.member_errors, board.subroutines, strict=True
                )
            ],
            "rejected": self.rejections.count,
            "late": self.recording.late,
            "held": self.recording.held,
            "unanswered": pipeline.unanswered,
            "references": pipeline.reference_count,
            "distance_share": pipeline.distance_share,
            "labels": board.labels.tolist(),
            "notes": self.recording.maker.scale.what_was_cut_off(),
            "stopped_at": self.done if self.snapshot.state == "stopped" else None,
            "settings": plain(self.opened.settled(self.recording.encoder)),
        }

    def _start(self, columns: Columns) -> Ensemble:
        ensemble = self.pipeline.start(self.classes, columns)
        self._open_outputs()
        return ensemble

    def _announce(self, words: str) -> None:
        self._publish("starting", words)
        self.listener.remark(words)

    def _step_through(self, block: Block) -> None:
        self.between_blocks = False
        results, events = self.pipeline.run(block)
        self.closed = time()
        if self.recorder is not None:
            self.recorder.add(results, events)
        self.between_blocks = True
        self.listener.results(results)
        for event in events:
            self.listener.event(event)
        if self.recorder is None:
            for file in self.files:
                file.write(results)

    def _open_outputs(self) -> None:
        if self.predictions is not None:
            strategy = self.opened.settings["strategy"]
            self.files.append(PredictionsFile(self.predictions, self.classes, strategy))
        if self.trace is not None:
            self.files.append(TraceFile(self.trace, self.pipeline.members))

    def _write_outputs(self) -> None:
        """Put the result files in their places; those of a recorded run come from its file."""
        if not self.steps:
            return
        if self.files and self.run_file is not None:
            reader = RunReader(self.run_file)
            if reader.dropped:
                self.listener.remark(f"{reader.dropped}: the files begin after them")
            for results in reader.all_results():
                for file in self.files:
                    file.write(results)
            reader.close()
        finish_all(self.files)

    def _open_run_file(self, path: Path) -> None:
        """Begin to record, or go on with what was recorded."""
        if not self.is_storable:
            self.listener.remark(
                f"{visible(path)}: the subroutine {visible(self.opened.settings['subroutine'])} "
                "cannot be stored; the run is recorded, but cannot be resumed"
            )
        self.recorder = Recorder(path, self._reported_by_recorder, self.keep, self.listener.remark)
        try:
            with closing(RunReader(path)) as reader:
                if reader.info:
                    self._resume(reader)
        except BaseException:
            self.recorder.forget()
            self.recorder.close()
            self.recorder = None  # it is somebody else's run: nothing is written to it
            raise

    def _resume(self, reader: RunReader) -> None:
        info, path = reader.info, reader.path
        assert self.recorder is not None
        for _ in reader.check():
            pass  # a damaged file is refused before anything is made of it
        try:
            check_same(info, self._identity(), path)
            self.pipeline.seconds = number(info, "seconds")
            self.known_rejected, self.known_reports = (
                whole(info, "rejected"),
                whole(info, "reports"),
            )
        except DamagedError as error:
            raise MacroError(f"{visible(path)} is damaged: {error}") from None
        state = reader.state()
        self.was_finished = info.get("status") == "finished"
        if self.was_finished and self.feed is not None:
            raise MacroError(
                f"{visible(path)} holds a run that is finished, and nothing of "
                f"{self.feed.source.name} would be read; name another file, or read this one with "
                "macro-tui export"
            )
        if state is None:
            if reader.steps or self.was_finished:
                raise MacroError(
                    f"{visible(path)} holds a run that cannot be resumed, because its subroutine "
                    "cannot be stored; name another file"
                )
            return
        try:
            self._restore(state)
            self._take_up(reader)
        except DamagedError as error:
            raise MacroError(f"{visible(path)} is damaged: {error}") from None
        if self.steps != reader.steps:
            raise MacroError(
                f"{visible(path)} is damaged: it holds {reader.steps} steps, its state {self.steps}"
            )
        for rejection, _ in zip(reader.rejected(), range(self.rejections.count), strict=False):
            if len(self.rejections.first) < Rejections.KEPT:
                self.rejections.first.append(rejection)
        if self.was_finished:
            self.listener.remark(f"{visible(path)}: this run is finished")
        else:
            self.listener.remark(f"{visible(path)}: going on after {self.steps:,} steps")
            self._note("run", f"resumed after {self.steps:,} steps")

    def _take_up(self, reader: RunReader) -> None:
        """Stand where the recorded run stood."""
        self.rate = Rate(self.pipeline.rows)
        steps = min(self.steps, reader.steps)
        times = reader.results(steps - 1, steps).times if steps else None
        self.pipeline.time = None if times is None else int(times[-1])
        if self.feed is None:
            self.done = Snapshot.restored(child(reader.info, "snapshot")).done

    def _restore(self, state: State) -> None:
        self.recording.restore(child(state, "source"))
        self.pipeline.restore(state)
        if self.recording.steps > self.steps:
            raise DamagedError("the parts of its state are of different moments")
        if self.pipeline.ensemble is not None:
            self._open_outputs()

    def _state(self) -> dict[str, State] | None:
        if not self.is_storable:
            return None
        return {"source": self.recording.state()} | self.pipeline.state()

    def _identity(self) -> dict[str, Any]:
        return {
            "settings": settings_of(self.opened.settings),
            "input": (
                identities([file.path for file in self.opened.files])
                if self.feed is None
                else [{"name": name} for name in self.opened.input_names]  # it grows
            ),
        }

    def _hand_over(self, status: str) -> None:
        assert self.recorder is not None
        if not hasattr(self, "fixed_info"):
            self.fixed_info = self._identity() | {
                "program": __version__,
                "path": self.pipeline.path,
                **told(self.pipeline.names),
            }
        info = self.fixed_info | {
            "classes": list(self.classes),
            "status": status,
            "seconds": self.pipeline.seconds,
            "rejected": max(self.rejections.count, self.known_rejected),
            "reports": max(self.recording.reports, self.known_reports),
            "snapshot": asdict(self.snapshot),
        }
        if self.steps and self.recording.encoder.fixed:
            info["summary"] = self.summary()
        self.told = self._to_tell()
        self.recorder.hand_over(self._state() if self.has_news else None, info)
        self.has_news = self.feed is None

    def _close_run_file(self, status: str) -> None:
        if self.recorder is None:
            return
        recorder = self.recorder
        self.is_closing = True
        in_order = self.between_blocks and not self.in_poll
        with self.noting:
            if status == "failed" and self.is_storable and not in_order:
                recorder.forget()  # the state is amid a block: the file keeps the last one
            elif not self.was_finished:
                self._hand_over(status)
            self.recorder = None
        recorder.close(lambda: not self.was_stopped)

    def _publish(self, state: str, words: str) -> None:
        pipeline = self.pipeline
        board = pipeline.scoreboard
        has_rows = board is not None and board.rows > 0
        self.snapshot = Snapshot(
            state=state,
            words=words,
            steps=pipeline.steps,
            rows=pipeline.rows,
            time=pipeline.time,
            done=self.done,
            rate=0.0 if state in ENDED else self.rate.of(pipeline.rows),
            speed=str(self.pace.speed or ""),
            path=pipeline.path,
            rejected=self.rejections.count,
            late=self.recording.late,
            unanswered=pipeline.unanswered,
            references=pipeline.reference_count,
            distance_share=pipeline.distance_share,
            errors=board.errors if board and has_rows else {},
            strategy=self.opened.settings["strategy"],
            member_errors=tuple(board.member_errors) if board and has_rows else (),
            subroutines=tuple(board.subroutines.tolist()) if board else (),
            came=self.feed.came if self.feed else None,
            closed=self.closed if self.feed else None,
            open_rows=self.feed.maker.open_rows if self.feed else 0,
            open_errors=self.open_step.errors() if self.open_step else {},
            said=self.open_step.newest(self.classes) if self.open_step else {},
            seen=self.full_since,
            recording=self._recording_in_words(),
        )

    def _recording_in_words(self) -> str:
        if self.recorder is None or self.run_file is None:
            return ""
        return self.recorder.trouble or visible(self.run_file.name)

    def _rejected(self, rejection: Rejection) -> None:
        number = self.rejections.count
        if self.recorder is not None:
            self.recorder.reject(number, rejection)
        if number > self.known_rejected:
            self.listener.rejected(rejection)

    def _reported(self, text: str) -> None:
        """The stream has something to say."""
        if self.recording.reports > self.known_reports:
            self._note("source", text)
            self.listener.remark(text)

    def _happened(self, text: str) -> None:
        """Something happened to a live feed just now."""
        self.has_news = True
        self._note("source", text)
        self.listener.remark(text)

    def _reported_by_recorder(self, text: str) -> None:
        self._note("run", text)
        self.listener.remark(text)

    def _note(self, kind: str, text: str) -> None:
        if self.recorder is not None:
            self.recorder.note(Event(self.steps, self.pipeline.time, kind, text))
