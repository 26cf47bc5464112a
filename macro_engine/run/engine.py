"""The engine: takes a stream through MACRO, block by block, on an asyncio loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from macro_engine.algorithm.contest import Contest
from macro_engine.algorithm.conversion import converted
from macro_engine.algorithm.family import Family
from macro_engine.algorithm.paths import compiled_path_serves
from macro_engine.discrepancy import DISTANCES, Discrepancy, Shape
from macro_engine.errors import MacroError
from macro_engine.opening import Opened
from macro_engine.rows import Block, Columns
from macro_engine.run.events import Event, EventFinder
from macro_engine.run.outputs import PredictionsFile, ResultFile, TraceFile, finish_all
from macro_engine.run.scoreboard import Scoreboard
from macro_engine.stream.source import Recording
from macro_engine.stream.table import Rejection, Rejections
from macro_engine.subroutines import resolve
from macro_engine.visible import visible

_BLOCK_SECONDS = 0.025  # aimed at, so that a block stays below 50 ms


@dataclass
class Listener:
    """Who is told of a run as it goes; each may be left out."""

    progress: Callable[[], None] = lambda: None
    event: Callable[[Event], None] = lambda _event: None
    rejected: Callable[[Rejection], None] = lambda _rejection: None
    remark: Callable[[str], None] = lambda _text: None


@dataclass
class Engine:
    """One run over a recorded stream.

    Attributes
    ----------
    scoreboard
        None until classes and scale are known.
    seconds
        Time spent on steps; reading and start-up are not in it.
    path
        Which implementation of the family runs.
    """

    opened: Opened
    predictions: Path | None = None
    trace: Path | None = None
    listener: Listener = field(default_factory=Listener)

    def __post_init__(self) -> None:
        settings = self.opened.settings
        self.rejections = Rejections(self.listener.rejected)
        self.recording = Recording(
            self.opened.files, self.opened.spec, self.rejections, self.listener.remark
        )
        compiled = compiled_path_serves(
            settings["distance"], settings["subroutine"], settings["output"], settings.history
        )
        self.path = "compiled" if compiled else "general"
        if not compiled:
            self.create = converted(
                resolve(settings["subroutine"], settings.get("seed")),
                settings["output"],
                settings["delta"],
            )
        self.thresholds: list[float] = settings["thresholds"]
        self.scoreboard: Scoreboard | None = None
        self.contest: Contest | None = None
        self.files: list[ResultFile] = []
        self.seconds = 0.0
        self.longest_block = 0.0

    @property
    def classes(self) -> tuple[str, ...]:
        return self.recording.encoder.classes or ()

    @property
    def unanswered(self) -> int:
        return self.contest.family.unanswered if self.contest else 0

    @property
    def reference_count(self) -> int:
        return self.contest.family.reference_count if self.contest else 0

    @property
    def distance_share(self) -> float:
        """The share of the engine's time that went into distances."""
        spent = self.contest.family.distance_seconds if self.contest else 0.0
        return min(spent / self.seconds, 1.0) if self.seconds else 0.0

    async def run(self) -> None:
        """Run to the end of the stream; result files appear when it got there."""
        try:
            for block in self.recording.blocks():
                if self.contest is None:
                    self._start(block)
                for part in self._parts(block):
                    self._step_through(part)
                    self.listener.progress()
                    await asyncio.sleep(0)
            finish_all(self.files)
        finally:
            for file in self.files:
                file.discard()
            if self.contest is not None:
                self.contest.family.finish()

    def summary(self) -> dict[str, Any]:
        """The run in numbers."""
        board = self.scoreboard
        assert board is not None
        return {
            "rows": board.rows,
            "steps": board.steps,
            "classes": list(self.classes),
            "seconds": self.seconds,
            "path": self.path,
            "errors": board.errors,
            "thresholds": [
                {"threshold": _plain(threshold), "error": error, "subroutines": int(subroutines)}
                for threshold, error, subroutines in zip(
                    board.thresholds, board.threshold_errors, board.subroutines, strict=True
                )
            ],
            "rejected": self.rejections.count,
            "late": self.recording.late,
            "unanswered": self.unanswered,
            "references": self.reference_count,
            "distance_share": self.distance_share,
            "settings": self.opened.settled(self.recording.encoder)
            | {"thresholds": [_plain(threshold) for threshold in self.thresholds]},
        }

    def _start(self, block: Block) -> None:
        """Build everything that had to wait for classes and columns to be known."""
        settings, classes = self.opened.settings, self.classes
        columns = block.rows.columns
        shape = Shape(
            len(classes),
            len(columns.numbers),
            settings.history,
            self.opened.spec.scaled,
            settings["empty_class"],
        )
        discrepancy = DISTANCES[settings["distance"]].create(shape)
        self.contest = (
            self._compiled(shape, block)
            if self.path == "compiled"
            else self._general(discrepancy, columns)
        )
        self.scoreboard = Scoreboard(self.thresholds, len(classes))
        self.events = EventFinder(self.thresholds)
        if self.predictions is not None:
            self.files.append(PredictionsFile(self.predictions, classes))
        if self.trace is not None:
            self.files.append(TraceFile(self.trace, self.thresholds))
        self.steps_at_once = 1

    def _compiled(self, shape: Shape, block: Block) -> Contest:
        from macro_engine.algorithm.kernels.compiling import announcement, mark_as_warm

        settings = self.opened.settings
        if (words := announcement()) is not None:
            self.listener.remark(words)
        from macro_engine.algorithm.compiled import CompiledContest, CompiledRules

        rules = CompiledRules(
            self.thresholds,
            settings["distance"],
            shape,
            settings["subroutine"],
            settings["eps_power"],
            settings.get("max_subroutines"),
        )
        # loads or compiles every kernel, which is start-up and not a part of the run
        CompiledContest(rules, block.rows.columns).run(block.cut(0, 1))
        mark_as_warm()
        return CompiledContest(rules, block.rows.columns)

    def _general(self, discrepancy: Discrepancy[Any], columns: Columns) -> Contest:
        settings, classes = self.opened.settings, self.classes
        family = Family(
            self.thresholds,
            discrepancy,
            settings.history,
            lambda: self.create(classes),
            columns,
            settings["eps_power"],
            settings.get("max_subroutines"),
        )
        return Contest.of(family, len(classes))

    def _parts(self, block: Block) -> Iterator[Block]:
        """The block in pieces that take about as long as a block should."""
        start = 0
        while start < block.steps:
            stop = min(start + self.steps_at_once, block.steps)
            yield block.cut(start, stop)
            start = stop

    def _step_through(self, block: Block) -> None:
        assert self.contest is not None
        assert self.scoreboard is not None
        started = perf_counter()
        try:
            outcome = self.contest.run(block)
        except MacroError:
            raise
        except MemoryError:
            raise MacroError(
                f"not enough memory for the steps from {block.first_step}; shorter steps "
                "(--every), a shorter --history or --max-subroutines need less"
            ) from None
        except (Exception, SystemExit) as error:
            raise self._model_failed(error, block) from error
        self.scoreboard.update(block, outcome)
        spent = perf_counter() - started
        self.seconds += spent
        self.longest_block = max(self.longest_block, spent)
        pace = block.steps / max(spent, 1e-6)
        self.steps_at_once = max(1, min(int(pace * _BLOCK_SECONDS), 2 * block.steps))
        for event in self.events.find(block, outcome):
            self.listener.event(event)
        for file in self.files:
            file.write(block, outcome)

    def _model_failed(self, error: BaseException, block: Block) -> BaseException:
        """A model of the user's choice may fail in ways of its own; ours may not."""
        name = self.opened.settings["subroutine"]
        if not name.startswith(("river:", "python:")):
            return error
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        where = f"{last.tb_frame.f_code.co_filename}, line {last.tb_lineno}" if last else "?"
        return MacroError(
            f"the subroutine {visible(name)} failed in the steps from {block.first_step}: "
            f"{type(error).__name__}: {visible(error, 200)} ({visible(where, 200)})"
        )


def _plain(threshold: float) -> float | str:
    """JSON has no infinity."""
    return threshold if threshold != float("inf") else "inf"
