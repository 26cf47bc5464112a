"""Actions that bookmark a moment or write a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

from macro_engine.core.escape import visible
from macro_engine.run.view import Event
from macro_tui import saved_files
from macro_tui.screens.base import MonitorScreen
from macro_tui.screens.prompt import Prompt


class SavingActions(MonitorScreen):
    """Bookmarks, pictures and tables."""

    def _is_refused(self) -> bool:
        """Says why, where nothing may be written."""
        if self.options.readonly:
            self.say("read-only (--readonly): this key would write a file on this machine")
        return self.options.readonly

    def action_bookmark(self) -> None:
        if self._is_refused():
            return
        if not self.session.can_note:
            self.say("watching writes nothing: set bookmarks in the process that runs it")
            return
        if self.shown is None:
            self.say("there is nothing to bookmark yet")
            return
        moment, time = self.shown.moment, self.shown.step.time

        def note(text: str | None) -> None:
            event = Event(moment - 1, time, "bookmark", visible(text or "", 200))
            if text is not None and self.note([event]):
                self.say(f"bookmark at step {moment - 1:,}")
                self.draw()

        self.app.push_screen(Prompt(f"a note for the bookmark at step {moment - 1:,}"), note)

    def action_save_svg(self) -> None:
        if self._is_refused():
            return
        picture = self.app.export_screenshot(title=f"macro-tui {self.options.name}")
        self._write(".svg", lambda file: file.write(picture))

    def action_save_csv(self) -> None:
        scene = self.shown
        if not self._is_refused() and scene is not None:
            self._write(".csv", lambda file: saved_files.write_csv(file, scene))

    def _write(self, suffix: str, write: Callable[[IO[str]], object]) -> None:
        stem = "macro-tui" if self.shown is None else f"macro-tui-step-{self.shown.moment - 1}"
        try:
            with saved_files.new_file(stem, suffix) as file:
                write(file)
        except OSError as error:
            self.say(f"cannot write: {error.strerror}")
        else:
            self.say(f"written: {visible(file.name, 200)}")
