"""Actions of the program itself."""

from __future__ import annotations

from macro_engine.core.errors import DroppedError, MacroError
from macro_tui.app import THEMES
from macro_tui.screens.base import MonitorScreen
from macro_tui.screens.confirm_exit import ConfirmExit
from macro_tui.screens.help import HelpScreen
from macro_tui.screens.metrics import MetricsScreen
from macro_tui.screens.stream import StreamScreen
from macro_tui.view.metrics import metrics_rows
from macro_tui.view.rows import Row
from macro_tui.view.stream import stream_rows


class ProgramActions(MonitorScreen):
    """Help, themes, leaving."""

    def action_help(self) -> None:
        history = self.session.history
        strategies = [] if history is None else history.strategies
        self.app.push_screen(HelpScreen(self.glyphs, self.keys, strategies))

    def action_stream(self) -> None:
        run = self.session
        rows = stream_rows(run.settings, run.guessed, run.remarks, self.failed)
        self.app.push_screen(StreamScreen(self.glyphs, rows))

    def action_metrics(self) -> None:
        self.app.push_screen(MetricsScreen(self.glyphs, self._metrics))

    def _metrics(self) -> list[Row]:
        if self.shown is None:
            return [[("no step is closed yet", "label")]]
        try:
            return metrics_rows(self.shown)
        except DroppedError:  # just now, by --keep; what is shown next begins after them
            return [[("these steps were dropped", "label")]]
        except MacroError as error:  # the run file, in which the past is, cannot be read
            self.app.fail(error)
            return []

    def action_next_theme(self) -> None:
        theme = self.app.theme
        place = THEMES.index(theme) + 1 if theme in THEMES else 0
        self.app.theme = THEMES[place % len(THEMES)]
        self.say(f"theme {self.app.theme}")

    def action_leave(self) -> None:
        """Leaves; asks once where leaving ends a live run."""
        if self.options.asks_before_leaving and (fate := self.session.after_leaving):
            self.app.push_screen(ConfirmExit(fate), self._leave_if)
        else:
            self.app.exit(0)

    def _leave_if(self, leaves: bool | None) -> None:
        if leaves:
            self.app.exit(0)
