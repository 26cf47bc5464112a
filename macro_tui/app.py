"""The monitor as an application: paints first, then loads what draws and what runs.

Nothing that takes its time is imported here: NumPy, Polars, River and Numba come after the first
paint.
"""

from __future__ import annotations

import os
import signal
import termios
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Static

from macro_tui.keys import KEYS
from macro_tui.traffic import counting
from macro_tui.widgets.updates import SpansApp

if TYPE_CHECKING:
    from macro_engine.run.session import Session
    from macro_tui.alarms import Rule

INTERRUPTED = 130
THEMES = ("ansi-dark", "ansi-light", "textual-dark", "textual-light", "nord", "solarized-light")
_PATIENCE = 0.7  # seconds after a signal in which the screen may close by itself


@dataclass(frozen=True)
class Options:
    """How the monitor looks and behaves."""

    name: str
    ascii: bool = False
    low_bandwidth: bool = False
    theme: str | None = None
    alarms: tuple[Rule, ...] = ()

    @property
    def period(self) -> float:
        """Seconds between two looks at the engine."""
        return 1.0 if self.low_bandwidth else 0.2


class Monitor(SpansApp):
    """The app.

    Parameters
    ----------
    open_session
        Makes the session; called after the first paint, because it imports the engine.
    """

    TITLE = "macro-tui"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = []
    INLINE_PADDING = 0

    def __init__(self, open_session: Callable[[], Session], options: Options) -> None:
        super().__init__()
        self.driver_class = counting(self.driver_class)
        self.open_session = open_session
        self.options = options
        self.session: Session | None = None
        self.theme = options.theme or _theme_of_the_terminal()

    def compose(self) -> ComposeResult:
        yield Static(f"{self.options.name}\n\nloading the engine ...", id="loading", markup=False)

    def on_mount(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for signum in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
                signal.signal(signum, self._interrupted)
        self.call_after_refresh(self._load)

    def _load(self) -> None:
        self.session = self.open_session()
        self.session.start()
        from macro_tui.screens.main import MainScreen

        self.push_screen(MainScreen(self.session, self.options))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        from macro_tui.screens.main import MainScreen

        if isinstance(screen, MainScreen):
            for key in KEYS:
                if key.action != "app.command_palette":
                    yield SystemCommand(
                        f"{key.help[0].upper()}{key.help[1:]}",
                        f"{key.group}, key {key.shown}",
                        lambda action=key.action: self.call_later(screen.run_action, action),
                    )

    def interrupt(self) -> None:
        """Stop the run and leave, whatever the screen is doing."""
        if self.session is not None:
            self.session.stop(0)
        watchdog = threading.Timer(_PATIENCE, self._break_off)
        watchdog.daemon = True
        watchdog.start()
        self.exit(INTERRUPTED)

    def _interrupted(self, _signum: int, _frame: object) -> None:
        self.call_from_signal = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.interrupt)
        # the loop may be blocked by a terminal that has stopped reading
        if self.session is not None:
            self.session.stop(0)
        watchdog = threading.Timer(_PATIENCE, self._break_off)
        watchdog.daemon = True
        watchdog.start()

    def _break_off(self) -> None:
        """The terminal takes nothing any more: restore what can be restored, and end."""
        if self.session is not None and self.session.stop(0.2):
            self.session.close()
        attributes = getattr(self._driver, "attrs_before", None)
        if attributes is not None:
            try:
                termios.tcsetattr(0, termios.TCSANOW, attributes)
            except termios.error:
                pass
        os._exit(INTERRUPTED)


def _theme_of_the_terminal() -> str:
    """16 colours as the terminal has them; COLORFGBG, where it is set, tells light from dark."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return "ansi-light" if background in ("7", "15") else "ansi-dark"
