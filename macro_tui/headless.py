"""A run without a screen: progress, events and the summary on standard error."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from rich.console import Console
from rich.text import Text

from macro_engine.core.errors import MacroError
from macro_engine.core.format import series_title
from macro_engine.core.names import strategies_of
from macro_engine.run.alarms.alarms import Alarms, Rule
from macro_engine.run.alarms.command import AlarmCommand
from macro_engine.run.engine import Engine, Listener
from macro_engine.run.events import Event
from macro_engine.run.summary import Summary
from macro_engine.stream.opening import Opened
from macro_engine.stream.reader import PLAYING
from macro_engine.stream.table import Rejection
from macro_engine.stream.times import iso
from macro_tui.birth_log import BirthLog
from macro_tui.progress import progress_bar, status_line
from macro_tui.signal_exit import PATIENCE_TO_ABANDON, SignalExit, within
from macro_tui.summary import print_summary
from macro_tui.view.stream import guessed_rows

_REJECTIONS_SHOWN = 20
_PATIENCE_TO_CLOSE = 60.0  # seconds in which all that was read is committed after a stop
_PATIENCE_TO_SAY = 0.2  # seconds; nobody may read standard error any more


class _Log(Console):
    """Standard error; a closed pipe does not end the run."""

    def __init__(self) -> None:
        super().__init__(stderr=True, highlight=False, markup=False, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        self.quiet = True


class Headless:
    """Shows a run as text: a progress bar on a terminal, a log elsewhere."""

    def __init__(
        self, command: str, opened: Opened, rules: Sequence[Rule] = (), on_alarm: Sequence[str] = ()
    ) -> None:
        self.command = command
        self.alarms = Alarms(rules)
        self.on_alarm = on_alarm
        self.opened = opened
        self.console = _Log()
        self.logs = not self.console.is_terminal
        self.rejected = 0
        self.ended = threading.Event()
        self.births = BirthLog()
        self.listener = Listener(self._progress, self._event, self._rejected, self.say)

    def say(self, text: str) -> None:
        try:
            self.console.print(Text(text))
        except OSError:  # a full disk, say
            self.console.quiet = True

    def run(self, engine: Engine) -> None:
        self.engine = engine
        engine.watch_for(self.alarms)
        signals = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
            signals.append(signal.SIGHUP)
        SignalExit(self._end).listen(*signals)
        try:
            show = status_line if engine.reader.is_live else progress_bar
            with self._alarms_told(), show(self.console) as self.show_progress:
                asyncio.run(engine.run())
        finally:
            self.ended.set()
        if births := self.births.in_words():
            self.say(births)
        if engine.steps:
            names = engine.opened.input_names
            summary = Summary.read(engine.summary(), names, engine.rejections)
            print_summary(summary, self.console)
        if engine.was_stopped and not engine.reader.is_live:
            raise KeyboardInterrupt

    @contextmanager
    def _alarms_told(self) -> Iterator[None]:
        """Has the command of --on-alarm told of alarms."""
        if not self.on_alarm:
            yield
            return
        stream = ", ".join(self.opened.input_names)
        command = AlarmCommand(self.on_alarm, stream, self._command_failed)
        self.listener.alarm = command
        try:
            yield
        finally:
            command.close()

    def _command_failed(self, text: str) -> None:
        self.engine.note([Event(self.engine.steps, None, "run", text)])
        self.say(text)

    def _end(self) -> None:
        """End after the block at hand, or soon without it; in the thread that heard of it."""
        with suppress(RuntimeError):  # its loop has just ended
            self.engine.stop()
        if self.ended.wait(self.engine.patience):
            return
        if self.engine.is_closing and self.ended.wait(_PATIENCE_TO_CLOSE):
            return
        # a model or a compiler takes longer: an exception raised within it might go nowhere
        within(PATIENCE_TO_ABANDON, self._abandon)
        within(_PATIENCE_TO_SAY, self._say_that_it_was_interrupted)
        os._exit(130)

    def _abandon(self) -> None:
        with suppress(MacroError):
            self.engine.abandon()

    def _say_that_it_was_interrupted(self) -> None:
        cursor = b"\x1b[?25h" if self.console.is_terminal else b""  # the bar hides it
        with suppress(OSError):
            os.write(2, cursor + f"macro-tui {self.command}: interrupted\n".encode())

    def say_what_was_inferred(self) -> None:
        settings = self.opened.settings
        for row in guessed_rows(settings.values, settings.guessed):
            self.say("".join(text for text, _ in row))
        for remark in self.opened.remarks:
            self.say(remark)

    def _progress(self) -> None:
        engine = self.engine
        snapshot = engine.snapshot
        words = "" if snapshot.words == PLAYING else f"  {snapshot.words}"
        words += f"  {snapshot.warming}" if snapshot.warming else ""
        if self.show_progress(engine.done or 0.0, self._with_births(self._standing() + words)):
            self.births.told()

    def _standing(self) -> str:
        board = self.engine.pipeline.scoreboard
        if board is None or not board.rows:
            return "no step closed yet"
        errors = board.errors
        shown = {series_title(name): errors[name] for name in strategies_of(errors)}
        shown["marginal"] = errors["marginal"]
        return "  ".join([f"{board.rows:,} rows", *(f"{n} {e:.2%}" for n, e in shown.items())])

    def _event(self, event: Event) -> None:
        if event.kind == "alarm":
            self.say(f"ALARM {self._line(event)}")
        elif self.logs and event.kind != "rejected":  # each of those was shown already
            if event.kind == "birth" and not self.births.has_line():
                return
            self.say(self._with_births(self._line(event)))
            self.births.told()

    def _line(self, event: Event) -> str:
        when = "" if event.time is None else f" {iso(event.time)}"
        return f"step {event.step}{when}: {event.text}"

    def _with_births(self, line: str) -> str:
        births = self.births.in_words()
        return f"{line} ({births})" if births else line

    def _rejected(self, rejection: Rejection) -> None:
        self.rejected += 1
        if self.rejected <= _REJECTIONS_SHOWN:
            self.say(f"rejected: {rejection}")
        elif self.rejected == _REJECTIONS_SHOWN + 1:
            self.say("further rejected rows are counted; the summary lists the reasons")
