"""A run without a screen: progress, events and the summary on standard error."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from macro_engine.errors import MacroError
from macro_engine.opening import INFERRED, Opened
from macro_engine.run.engine import Engine, Listener
from macro_engine.run.events import Event
from macro_engine.stream.table import Rejection
from macro_engine.stream.times import iso
from macro_engine.visible import visible
from macro_tui.progress import progress_bar, status_line

_REJECTIONS_SHOWN = 20
_PATIENCE = 0.5  # seconds that a run may take to end by itself
_PATIENCE_TO_WRITE = 60.0  # where a live run writes its result files when it is stopped
_MANY_REFERENCES = 1000
_NAMES = {"marginal": "marginal baseline", "no_change": "no-change", "ftl": "FTL", "ewa": "EWA"}


class Headless:
    """Shows a run as text: a progress bar on a terminal, else a log."""

    def __init__(self, command: str, opened: Opened) -> None:
        self.command = command
        self.opened = opened
        self.console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        self.logs = not self.console.is_terminal
        self.rejected = 0
        self.listener = Listener(self._progress, self._event, self._rejected, self.say)

    def say(self, text: str) -> None:
        self.console.print(Text(text))

    def run(self, engine: Engine) -> None:
        self.engine = engine
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, self._stop)
        signal.signal(signal.SIGALRM, self._break_off)
        try:
            show = progress_bar if engine.feed is None else status_line
            with show(self.console) as self.show_progress:
                asyncio.run(engine.run())
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        if engine.was_stopped and engine.feed is None:
            raise KeyboardInterrupt
        if engine.steps:
            self._summary(engine)

    def _stop(self, _signum: int, _frame: object) -> None:
        """End after the block at hand, or soon without it."""
        self.engine.stop()
        writes = self.engine.feed is not None and (self.engine.predictions or self.engine.trace)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE_TO_WRITE if writes else _PATIENCE)

    def _break_off(self, _signum: int, _frame: object) -> None:
        """A model or a compiler takes longer: an exception raised within it might go nowhere."""
        with suppress(MacroError):
            self.engine.abandon()
        self.console.show_cursor()
        print(f"macro-tui {self.command}: interrupted", file=sys.stderr, flush=True)
        os._exit(130)

    def say_what_was_inferred(self) -> None:
        settings = self.opened.settings
        for name, origin in settings.origins.items():
            if origin == INFERRED:
                value = settings[name]
                shown = ", ".join(value) if isinstance(value, list) else value
                self.say(f"inferred {name}: {visible(shown or 'none', 200)}")
        for remark in self.opened.remarks:
            self.say(remark)

    def _progress(self) -> None:
        engine = self.engine
        words = "" if engine.feed is None else f"  {engine.snapshot.words}"
        self.show_progress(engine.done or 0.0, self._standing() + words)

    def _standing(self) -> str:
        board = self.engine.scoreboard
        if board is None or not board.rows:
            return "no step closed yet"
        errors = board.errors
        return (
            f"{board.rows:,} rows  FTL {errors['ftl']:.2%}  EWA {errors['ewa']:.2%}  "
            f"marginal {errors['marginal']:.2%}"
        )

    def _event(self, event: Event) -> None:
        if self.logs and event.kind != "rejected":  # each of those was shown already
            when = "" if event.time is None else f" {iso(event.time)}"
            self.say(f"step {event.step}{when}: {event.text}")

    def _rejected(self, rejection: Rejection) -> None:
        self.rejected += 1
        if self.rejected <= _REJECTIONS_SHOWN:
            self.say(f"rejected: {rejection}")
        elif self.rejected == _REJECTIONS_SHOWN + 1:
            self.say("further rejected rows are counted and summed up at the end")

    def _summary(self, engine: Engine) -> None:
        board = engine.scoreboard
        assert board is not None
        errors, settings = board.errors, self.opened.settings
        baseline = errors["marginal"]
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("")
        for heading in ("error", "against marginal", "subroutines"):
            table.add_column(heading, justify="right")
        for name in ("ftl", "ewa", "marginal", "no_change"):
            table.add_row(_NAMES[name], f"{errors[name]:.2%}", _lead(errors[name], baseline), "")
        for threshold, error, count in zip(
            board.thresholds, board.threshold_errors, board.subroutines, strict=True
        ):
            table.add_row(
                f"threshold {threshold:g}", f"{error:.2%}", _lead(error, baseline), f"{count:,}"
            )
        names = ", ".join(map(visible, self.opened.input_names))
        self.say(
            f"{names}: {board.rows:,} rows in {board.steps:,} steps, {len(engine.classes)} classes"
        )
        self.say(
            f"distance {settings['distance']}, history {settings['history']}, subroutine "
            f"{visible(settings['subroutine'])}; {engine.seconds:.1f} s on the {engine.path} path"
        )
        self.say(
            f"{engine.reference_count:,} distinct references; distances took about "
            f"{engine.distance_share:.0%} of the time"
        )
        self.console.print(table)
        self.say(_verdict(errors[settings["strategy"]], baseline, _NAMES[settings["strategy"]]))
        self._say_what_went_wrong(engine)

    def _say_what_went_wrong(self, engine: Engine) -> None:
        board, rejections = engine.scoreboard, engine.rejections
        assert board is not None
        if rejections.count:
            self.say(f"{rejections.count:,} rows rejected:")
            for (column, kind), count in rejections.reasons.most_common():
                where = f"column '{visible(column)}' " if column is not None else ""
                lines = [
                    f"{r.line}"
                    for r in rejections.first
                    if (r.column, r.problem.kind) == (column, kind)
                ]
                unit = rejections.first[0].unit
                shown = ", ".join(lines[:5]) + (", ..." if count > 5 else "")
                at = f" ({unit} {shown})" if lines else ""
                self.say(f"  {count:,} x {where}{visible(kind, 200)}{at}")
        if engine.recording.late:
            self.say(f"{engine.recording.late:,} rows came late")
            if engine.recording.late > board.rows / 2:
                self.say("most rows came late: is the newest row at the top of the file?")
        for line in engine.recording.encoder.what_was_cut_off():
            self.say(line)
        if np.count_nonzero(board.labels) == 1:
            only = engine.classes[int(board.labels.argmax())]
            self.say(f"every row has the label '{visible(only)}': there was nothing to tell apart")
        if engine.reference_count >= _MANY_REFERENCES and engine.distance_share > 0.5:
            self.say(
                "with so many references a step takes time in proportion to their number: larger "
                "--thresholds, a longer --history or --max-subroutines keep it down"
            )
        if engine.unanswered:
            self.say(
                f"{engine.unanswered:,} predictions were missing: the model had no answer and the "
                "first class stood in"
            )


def _lead(error: float, baseline: float) -> str:
    points = 100 * (error - baseline)
    if baseline == 0:
        return f"{points:+.2f} points"
    return f"{points:+.2f} points ({error / baseline - 1:+.1%})"


def _verdict(error: float, baseline: float, name: str) -> str:
    points = 100 * (baseline - error)
    if points > 0:
        return f"{name} makes {points:.2f} points fewer errors than the marginal baseline."
    if points < 0:
        return f"{name} makes {-points:.2f} points more errors than the marginal baseline."
    return f"{name} makes as many errors as the marginal baseline."
