"""The wall as a Textual application, with the monitor of one run over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from macro_engine.core.escape import visible
from macro_tui.app import Monitor, Options

if TYPE_CHECKING:
    from macro_engine.run.view import RunView
    from macro_engine.run.wall import RunLine, Wall

_PATIENCE = 2.0  # seconds for a run to be let go


class WallMonitor(Monitor):
    """The app.

    Attributes
    ----------
    wall
        None until the first paint.
    session
        The run that is open over the wall; None if none is.
    trouble
        With the command of --on-alarm, or with a run that cannot be opened.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        options: Options,
        elsewhere: Callable[[], dict[Path, RunLine]] = dict,
    ) -> None:
        super().__init__(self._no_session, options)
        self.paths = paths
        self.elsewhere = elsewhere
        self.wall: Wall | None = None
        self.trouble = ""

    def _no_session(self) -> RunView:
        raise AssertionError("a wall has no run of its own")

    def _load(self) -> None:
        from macro_engine.run.wall import Wall
        from macro_tui.screens.wall import WallScreen

        self.wall = Wall(self.paths, self.options.alarms, elsewhere=self.elsewhere)
        if self.options.on_alarm:
            from macro_engine.run.alarms.command import AlarmCommand

            command = AlarmCommand(self.options.on_alarm, "wall", self._command_failed)
            self.wall.on_change = lambda path, change: command(change, path.name)
            self.on_alarm = command
        self.wall.start()
        self.push_screen(WallScreen(self.wall, self.options))

    def open_run(self, path: Path, options: Options) -> None:
        """Opens the monitor on one run, over the wall."""
        from macro_engine.run.watched import WatchedRun
        from macro_tui.screens.main import MainScreen

        if not path.exists():
            self.trouble = f"{visible(path.name, 40)} is not here yet: there is nothing to open"
            return
        self.trouble = ""
        self.session = WatchedRun(path)
        self.session.set_alarms(options.alarms)
        self.session.start()
        self.push_screen(MainScreen(self.session, options))

    def close_run(self) -> bool:
        if self.session is None:
            return False
        session, self.session = self.session, None
        self.pop_screen()
        session.stop(_PATIENCE)
        session.close()
        return True

    def fail(self, error: BaseException) -> None:
        """A run that cannot be read any more leads back to the wall, which says why."""
        is_of_wall = self.wall is None or error is self.wall.error
        if is_of_wall:
            super().fail(error)
        else:  # one that was left already may fail in the moment in which its file is closed
            self.close_run()

    def _command_failed(self, text: str) -> None:
        """In the thread of the command."""
        self.trouble = text
