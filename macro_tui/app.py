"""The monitor as a Textual application: paints first, then loads the engine.

Nothing that takes its time is imported here: NumPy, Polars, River and Numba come after the first
paint.
"""

from __future__ import annotations

import asyncio
import os
import signal
import termios
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.filter import Monochrome, NoColor
from textual.screen import Screen
from textual.widgets import Static

from macro_tui.driver import counting
from macro_tui.job import has_shell
from macro_tui.signal_exit import PATIENCE_TO_ABANDON, SignalExit, within
from macro_tui.widgets.updates import SpansApp

if TYPE_CHECKING:
    from macro_engine.run.alarms.alarms import Rule
    from macro_engine.run.alarms.command import AlarmCommand
    from macro_engine.run.view import RunView

INTERRUPTED = 130
THEMES = ("ansi-dark", "ansi-light", "textual-dark", "textual-light", "nord", "solarized-light")
_PATIENCE = 0.7  # seconds that the screen has to close after a signal


@dataclass(frozen=True)
class Options:
    """The options of the monitor."""

    name: str
    ascii: bool = False
    low_bandwidth: bool = False
    theme: str | None = None
    alarms: tuple[Rule, ...] = ()
    readonly: bool = False  # nothing on this machine is written
    on_alarm: tuple[str, ...] = ()  # the command that is told of alarms
    fail_on_alarm: bool = False
    tour_of: int | None = None  # a guided tour in the last line, of what begins then (in us)
    width: int | None = None  # steps a dot column of the chart, at first; None: the whole run
    asks_before_leaving: bool = True  # where leaving ends a live run

    @property
    def period(self) -> float:
        """Seconds between two looks at the engine."""
        return 1.0 if self.low_bandwidth else 0.2


class Monitor(SpansApp):
    """The app.

    Parameters
    ----------
    open_session
        Makes the view of the run; called after the first paint, because it imports the engine.
    """

    TITLE = "macro-tui"
    CSS_PATH = "app.tcss"
    # over every screen, and before the first one
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "stop the run and leave", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", "suspend", show=False, priority=True),
    ]

    def __init__(self, open_session: Callable[[], RunView], options: Options) -> None:
        super().__init__()
        if self.no_color:  # Textual would take greys, and black on black in an ansi theme
            self._filters = [NoColor() if isinstance(f, Monochrome) else f for f in self._filters]
        self.driver_class = counting(self.driver_class)
        self.open_session = open_session
        self.options = options
        self.session: RunView | None = None
        self.on_alarm: AlarmCommand | None = None
        self.loop: asyncio.AbstractEventLoop | None = None  # none before it is mounted
        self.error: BaseException | None = None
        self.ending: SignalExit | None = None
        self.left = threading.Event()  # the screen is closed
        self.theme = options.theme or _theme_of_the_terminal()

    def compose(self) -> ComposeResult:
        yield Static(f"{self.options.name}\n\nloading the engine ...", id="loading", markup=False)

    def on_mount(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.set_class(self.options.ascii, "ascii")
        self.call_after_refresh(self._load)

    def _load(self) -> None:
        self.session = self.open_session()
        if self.options.on_alarm:
            from macro_engine.run.alarms.command import AlarmCommand

            words = self.options.on_alarm
            self.on_alarm = AlarmCommand(words, self.options.name, self._command_failed)
            self.session.set_alarms(self.options.alarms, self.on_alarm)
        else:
            self.session.set_alarms(self.options.alarms)
        self.session.start()
        from macro_tui.screens.main import MainScreen

        self.push_screen(MainScreen(self.session, self.options))

    def _command_failed(self, text: str) -> None:
        """In the thread of the command."""
        assert self.session is not None
        if self.session.can_note:
            from macro_engine.run.view import Event

            snapshot = self.session.snapshot
            self.session.note([Event(snapshot.steps, snapshot.time, "run", text)])
        else:
            self.session.remarks.append(text)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        from macro_tui.screens.main import MainScreen

        if isinstance(screen, MainScreen):
            for key in screen.keys:
                if key.action != "app.command_palette":
                    yield SystemCommand(
                        f"{key.help[0].upper()}{key.help[1:]}",
                        f"{key.group}, key {key.shown}",
                        lambda action=key.action: self.call_later(screen.run_action, action),
                    )

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette(placeholder="what to do", id="--command-palette"))

    def listen(self, *signums: int) -> None:
        """Stop the run and leave at signals."""
        self.ending = SignalExit(self._end)
        self.ending.listen(*signums)

    def interrupt(self) -> None:
        """Stop the run and leave."""
        self.ending = self.ending or SignalExit(self._end)
        self.ending.ask()

    def _end(self) -> None:
        """In a thread: the loop may wait for a terminal that has stopped reading."""
        ends = time.monotonic() + _PATIENCE
        if self.session is not None:
            self.session.stop(0)
        while self.loop is None and time.monotonic() < ends:  # a signal before the first paint
            time.sleep(0.01)
        if self.loop is not None:
            with suppress(RuntimeError):  # it has just ended
                self.loop.call_soon_threadsafe(self.exit, INTERRUPTED)
        if not self.left.wait(max(ends - time.monotonic(), 0.0)):
            self._break_off()

    def action_interrupt(self) -> None:
        self.interrupt()

    def action_suspend_process(self) -> None:
        """Stops the whole job, as the terminal would: what feeds a pipe is part of it."""
        if self._driver is None or not self._driver.can_suspend:
            return
        if has_shell():
            self._suspend_signal()
            os.kill(0, signal.SIGTSTP)
        elif (say := getattr(self.screen, "say", None)) is not None:
            say("not suspended: there is no shell to resume it")

    def close_run(self) -> bool:
        """Goes back to where the run was opened; returns False where there is nothing to go to."""
        return False

    def fail(self, error: BaseException) -> None:
        """Leaves because of an error, which is printed after the screen is closed."""
        self.error = error
        self.exit(1)

    def _break_off(self) -> None:
        """Restores the terminal and ends the process: the terminal does not read any more."""
        if self.session is not None and not self.session.stop(0.1):
            within(PATIENCE_TO_ABANDON, self.session.abandon)
        elif self.session is not None:
            within(PATIENCE_TO_ABANDON, self.session.close)
        attributes = getattr(self._driver, "attrs_before", None)
        if attributes is not None:
            with suppress(termios.error):
                termios.tcsetattr(0, termios.TCSANOW, attributes)
        os._exit(INTERRUPTED)


def _theme_of_the_terminal() -> str:
    """16 colours as the terminal has them; COLORFGBG, where it is set, tells light from dark."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return "ansi-light" if background in ("7", "15") else "ansi-dark"
