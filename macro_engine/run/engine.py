"""The engine: runs a stream through MACRO, block by block, on an asyncio loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import Any

import numpy as np

from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.metrics import METRICS
from macro_engine.core.rows import Block, Columns, Floats
from macro_engine.run.alarms.alarms import Alarms
from macro_engine.run.alarms.checker import AlarmChecker
from macro_engine.run.alarms.rules import UNKNOWN_LABELS, parse
from macro_engine.run.checkpoint import Checkpoint
from macro_engine.run.emit.emission import Emission
from macro_engine.run.emit.emitted_rows import emit, emit_open_rows
from macro_engine.run.events import Event
from macro_engine.run.open_step import OpenStepTracker
from macro_engine.run.outputs import Outputs
from macro_engine.run.pipeline import Pipeline
from macro_engine.run.playing.pace import Pace
from macro_engine.run.playing.speed import Speed
from macro_engine.run.progress import RunProgress
from macro_engine.run.report import Listener, Report
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.store.recorder import Recorder
from macro_engine.run.store.retention import Retention
from macro_engine.stream.opening import Opened

__all__ = ["Engine", "Listener"]

_SHORTEST_NAP, _LONGEST_NAP = 0.02, 0.25  # between two looks at a live feed
_PATIENCE, _PATIENCE_TO_WRITE = 0.5, 60.0  # seconds
_ALIVE_SECONDS = 4.0  # between two signs of life to those who watch


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
    emit, emit_outcomes
        Where predictions are written as they are made, and whether labels are when they are known.
    first_rows
        How many rows the first block may have on the compiled path; later ones are as long as
        their steps took. Whoever watches the first steps wants few.
    block_seconds
        How long a block should take; None for so short that a screen beside it does not wait.
    pipeline
        What the steps go through.
    """

    opened: Opened
    predictions: Path | None = None
    trace: Path | None = None
    listener: Listener = field(default_factory=Listener)
    run_file: Path | None = None
    speed: Speed | None = field(default_factory=Speed)
    keep: Retention | None = None
    emit: str | None = None
    emit_outcomes: bool = False
    first_rows: int = 1
    block_seconds: float | None = None

    def __post_init__(self) -> None:
        self.report = report = Report(self.listener)
        self.rejections = report.rejections
        self.reader = self.opened.reader(self.rejections, report.reported, report.happened)
        # a run that goes on from its file must have had them from the first step on
        with_probabilities = (
            self.predictions is not None
            or self.run_file is not None
            or self.emit is not None
            or METRICS[self.opened.settings["metric"]].wants_probabilities
        )
        self.pipeline = Pipeline(
            self.opened, self.reader.is_live, self._announce, with_probabilities
        )
        if self.block_seconds is not None:
            self.pipeline.block_seconds = self.block_seconds
        report.reader, report.pipeline = self.reader, self.pipeline
        if self.speed and self.speed.multiple and self.opened.spec.time is None:
            raise UsageError("--speed needs a time column (--time); without one use --rate")
        self.pace = Pace(
            self.speed,
            self._waits,
            lambda text: report.listener.remark(text),
            waits=not self.reader.is_live,
        )
        self.alarm_checker = AlarmChecker(Alarms())
        self.alarm_checker.goes_by_clock = self.reader.is_live
        self.watch_for(Alarms())
        self.progress = RunProgress(
            self.opened, self.reader, self.pipeline, self.pace, report, self.alarm_checker
        )
        self.emission: Emission | None = None
        if self.emit is not None:
            self.emission = Emission(self.emit, self.emit_outcomes, report.happened)
        self.outputs = Outputs(self.predictions, self.trace, self.emission)
        self.checkpoint = Checkpoint(self.progress, self.outputs)
        self.between_blocks = True
        self.read_share: float | None = None  # of a recording, until the newest block

    @property
    def classes(self) -> tuple[str, ...]:
        return self.progress.classes

    @property
    def is_storable(self) -> bool:
        """Whether the run can be resumed from its file."""
        return self.checkpoint.is_storable

    @property
    def is_closing(self) -> bool:
        """Whether what was read is being committed."""
        return self.checkpoint.is_closing

    @property
    def recorder(self) -> Recorder | None:
        return self.report.recorder

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot, for other threads."""
        return self.progress.snapshot

    @property
    def done(self) -> float | None:
        """The share of a recording that has been played."""
        return self.progress.done

    @property
    def steps(self) -> int:
        return self.pipeline.steps

    @property
    def alarms(self) -> Alarms:
        """The rules that are watched, and which of them call."""
        return self.alarm_checker.alarms

    def watch_for(self, alarms: Alarms) -> None:
        """Watch for these rules, and for labels that are none of the classes; before the run."""
        names = self.pipeline.names
        alarms.check_series(names.series, bool(names.leading))
        alarms.add(parse(UNKNOWN_LABELS))
        self.alarm_checker.alarms = alarms

    def stop(self) -> None:
        """Requests an end after the current block; may be called from any thread."""
        self.pace.stop()

    def note(self, events: Sequence[Event]) -> bool:
        """Record events of the user's; whether the run still takes any. From any thread."""
        return self.checkpoint.note(events)

    def abandon(self) -> None:
        """Leaves the files intact without waiting for the run; the process must exit now.

        A resumed run reads again what came after the last commit.
        """
        self.outputs.discard()
        self.checkpoint.abandon()

    def summary(self) -> dict[str, Any]:
        """The run in numbers."""
        return self.progress.summary()

    @property
    def writes_when_stopped(self) -> bool:
        """Whether a stop is followed by result files, which take their time."""
        return self.reader.is_live and self.outputs.are_wanted

    @property
    def patience(self) -> float:
        """The longest time that a stop may take, in seconds."""
        return _PATIENCE_TO_WRITE if self.writes_when_stopped else _PATIENCE

    @property
    def was_stopped(self) -> bool:
        return self.pace.stopping

    async def run(self) -> None:
        """Run to the end of the stream, or until stopped; result files appear at the end."""
        status = "failed"
        alive = asyncio.create_task(self._show_alive())
        try:
            self.pipeline.warm_up()
            self.reader.maker.scale.is_warming_up = lambda: self.pipeline.is_plain
            if self.run_file is not None:
                self.checkpoint.open(self.run_file, self.keep)
            if not self.checkpoint.was_finished:
                await self._run()
            status = "stopped" if self.was_stopped else "finished"
            end = self.reader.source.name if self.reader.is_live else "the recording"
            self._publish(status, "stopped" if self.was_stopped else f"the end of {end}")
        except BaseException as error:
            self._publish("failed", str(error) or type(error).__name__)
            raise
        finally:
            alive.cancel()
            try:
                is_whole = self.between_blocks and self.reader.can_commit
                self.checkpoint.close(status, is_whole, self._goes_on_trying)
                self.progress.say_trouble("")
                if status == "finished" or (status == "stopped" and self.writes_when_stopped):
                    self._write_outputs()
            finally:
                self._finish()

    async def _run(self) -> None:
        """Read, run and record what comes, until it ends or somebody stops it."""
        reader, nap = self.reader, _SHORTEST_NAP
        self.read_share = self.done
        reader.source.start()
        if reader.is_live and self.recorder is not None:
            self._publish(*reader.standing())  # or readers would see a run that has not begun
            self.checkpoint.store("running")  # whatever happens, it is known where to begin
        if self.emission is not None and self.recorder is not None:
            await self.checkpoint.store_beginning(lambda: self.was_stopped)
        while not self.was_stopped:
            for block in reader.poll():
                if not await self._run_through(block):
                    return
            self.report.has_news |= reader.has_news
            if reader.is_live:
                self._look_at_open_step()
            self._publish(*reader.standing())
            self._look_for_alarms()
            self.report.listener.progress()
            self._flush()
            await self._record()
            if reader.source.has_ended:
                return
            if reader.has_news:
                nap = _SHORTEST_NAP
            if not reader.source.has_more:
                await self.pace.nap(nap)
                nap = min(2 * nap, _LONGEST_NAP)

    async def _run_through(self, block: Block) -> bool:
        """Run the steps of a block; False if it was stopped before the last one."""
        if self.pipeline.classes not in ((), self.classes):
            raise MacroError(f"{visible(self.run_file)} is damaged: its classes are others")
        if self.pipeline.ensemble is None:
            self._start(block.rows.columns)
        if not block.steps:
            self._step_through(block)
            return True
        shares = self._shares(block)
        # a resumed run gets some blocks again
        begin = min(max(self.pipeline.closed_steps - block.first_step, 0), block.steps)
        if begin and (outcomes := block.cut(0, begin).outcomes) is not None:
            self.progress.pending_rows.told_before(outcomes.rows)
        if self.pipeline.has_kernels and not self.pipeline.longest_block:  # nothing has run yet
            most = np.searchsorted(block.starts, block.starts[begin] + self.first_rows, "right")
            self.pipeline.steps_at_once = max(int(most) - 1 - begin, self.pipeline.steps_at_once)
        while begin < block.steps:
            end = await self.pace.allowed(block, begin, shares)
            if end == begin:
                return False
            end = min(end, begin + self.pipeline.steps_at_once)
            part = block.cut(begin, end)
            self._step_through(part)
            self.pace.passed(part)
            if shares is not None:
                self.progress.done = float(shares[end - 1])
            begin = end
            self._publish("running", self.reader.doing)
            self.report.listener.progress()
            self._flush()
            await self._record()
        return True

    def _shares(self, block: Block) -> Floats | None:
        """The share of a recording that is played after each step of the newest block."""
        before, self.read_share = self.read_share, self.reader.source.done
        if before is None or self.read_share is None:
            return None
        self.pace.choose(block, self.read_share - before)
        return np.linspace(before, self.read_share, block.steps + 1)[1:]

    def _step_through(self, block: Block) -> None:
        self.between_blocks = False
        self.report.has_news = True
        results, found = self.pipeline.run(block)
        events = found
        if results is not None:
            strangers = self.report.first_unknown_label(results, self.alarm_checker.rejected)
            alarms = self.report.alarmed(self.alarm_checker.take(results))
            events = [*found, *strangers, *alarms]
        self.progress.closed = time()
        self.progress.took(block)
        if self.recorder is not None and results is not None:
            self.recorder.add(results, events)
        if self.emission is not None:
            emit(self.emission, self.pipeline, block, results)
        self.between_blocks = True
        if results is None:
            return
        self.report.results(results, events)
        if self.recorder is None:  # else they are written from the run file
            self.outputs.write(results)

    def _look_for_alarms(self) -> None:
        """Judge the alarms by the clock and by the rows that were turned away."""
        unknown = self.rejections.unknown_labels
        self.report.alarmed_now(self.alarm_checker.look(self.snapshot, time(), unknown))

    def _look_at_open_step(self) -> None:
        """Predict the rows of the open step that have come."""
        maker = self.reader.maker
        rows = maker.open_step()
        if self.pipeline.ensemble is None and not len(rows):
            return
        if self.progress.open_step is None:
            ensemble = self.pipeline.ensemble or self._start(rows.columns)
            late = self.pipeline.waiting is not None
            self.progress.open_step = OpenStepTracker(ensemble, late)
        watch = self.progress.open_step
        with self.pipeline.failures_in_words(f"in the steps from {maker.steps}"):
            said = watch.look(maker.steps, rows)
        if said is not None and self.emission is not None:
            emit_open_rows(self.emission, said, maker, self.pipeline.strategy)

    def _flush(self) -> None:
        if self.emission is not None:
            self.emission.flush()

    async def _record(self) -> None:
        await self.checkpoint.record(lambda: self.was_stopped)

    async def _show_alive(self) -> None:
        """Updates the heartbeat, which distinguishes an idle run from one that cannot write."""
        while True:
            await asyncio.sleep(_ALIVE_SECONDS)
            if self.recorder is not None:
                self.recorder.show_alive()

    def _start(self, columns: Columns) -> Ensemble:
        ensemble = self.pipeline.start(self.classes, columns, self.reader.thresholds)
        self.outputs.open(self.classes, self.pipeline.members, self.pipeline.strategy)
        return ensemble

    def _publish(self, state: str, words: str) -> None:
        self.progress.publish(state, words)

    def _waits(self, words: str) -> None:
        self._publish("running", words)
        self.report.listener.progress()

    def _goes_on_trying(self, trouble: str) -> bool:
        """Whether the end of the run is still to be written; tells what is in the way."""
        self.progress.say_trouble(trouble)
        return not self.was_stopped

    def _announce(self, words: str) -> None:
        if not self.steps:
            self._publish("starting", words)
        self.report.listener.remark(words)

    def _write_outputs(self) -> None:
        """Put the result files in their places; those of a recorded run come from its file."""
        if not self.steps:
            return
        if self.run_file is not None:
            self.outputs.write_recorded(self.run_file, self.report.listener.remark)
        self.outputs.finish()

    def _finish(self) -> None:
        """Releases all resources."""
        self.outputs.discard()
        if self.emission is not None:
            self.emission.close()
        if self.progress.open_step is not None:
            self.progress.open_step.close()
        self.pipeline.finish()
        self.reader.close()
