"""The base of the mixins with the actions of the main screen."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen
from textual.timer import Timer

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.run.view import Event, RunView
from macro_tui.app import Monitor, Options
from macro_tui.panels.panel import Panel
from macro_tui.view.event_log import EventLog
from macro_tui.view.glyphs import ASCII, UNICODE
from macro_tui.view.keys import available_keys
from macro_tui.view.raster import ACROSS
from macro_tui.view.scene import Scene
from macro_tui.view.viewport import Viewport

_NOTICE_SECONDS = 5.0
_LONGEST = 2_000  # characters of a reason


class MonitorScreen(Screen[None]):
    """A session, how it is looked at, and the panels."""

    app: Monitor

    def __init__(self, session: RunView, options: Options) -> None:
        super().__init__()
        self.session = session
        self.options = options
        self.glyphs = ASCII if options.ascii else UNICODE
        self.is_played = not session.no_controls  # by keys of this monitor
        self.keys = available_keys(options.readonly, self.is_played, session.can_note)
        self.view = Viewport(width=options.width)
        self.event_log = EventLog()
        self.notice = ""
        self.notice_timer: Timer | None = None
        self.shown: Scene | None = None
        self.panels: dict[str, Panel] = {}
        self.dots = ACROSS  # columns of the chart, by which the view moves; also while it is hidden

    @property
    def steps(self) -> int:
        """How many there are to look at."""
        if self.view.frozen is not None:
            return self.view.frozen.steps
        return 0 if self.session.history is None else self.session.history.steps

    @property
    def failed(self) -> str:
        """Why the run has failed, here or where it is watched; empty if it has not."""
        snapshot, error = self.session.snapshot, self.session.error
        if error is not None:
            return visible(str(error) or type(error).__name__, _LONGEST)
        return visible(snapshot.words, _LONGEST) if snapshot.state == "failed" else ""

    @property
    def focused_panel(self) -> Panel | None:
        return self.focused if isinstance(self.focused, Panel) else None

    def look(self, view: Viewport) -> None:
        """Shows another view at once."""
        self.view = view
        self.draw()

    def note(self, events: Sequence[Event]) -> bool:
        """Records events with the run; shows the error where that fails."""
        try:
            self.session.note(events)
        except MacroError as error:
            self.say(str(error))
            return False
        return True

    def draw(self) -> None:
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Shows a line in the footer for a few seconds, where it hides no data."""
        self.notice = text
        if self.notice_timer is not None:
            self.notice_timer.stop()
        self.notice_timer = self.set_timer(_NOTICE_SECONDS, self._unsay)
        self.draw_footer()

    def _unsay(self) -> None:
        self.notice = ""
        self.draw_footer()

    def draw_footer(self) -> None:
        raise NotImplementedError
