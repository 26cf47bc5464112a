"""Keys that change how the recording is played."""

from __future__ import annotations

from macro_engine.run.pace import Pace
from macro_tui.screens.base import MonitorScreen
from macro_tui.speeds import changed


class Playing(MonitorScreen):
    """Pause, steps, speed, going somewhere."""

    def _pace(self) -> Pace | None:
        """The pace, if there is still something to play."""
        if self.session.snapshot.state in ("finished", "stopped", "failed"):
            self.say("all of it was played")
            return None
        if self.session.pace is None:
            self.say("the engine is not ready yet")
        return self.session.pace

    def action_pause(self) -> None:
        if (pace := self._pace()) is not None:
            if pace.target is not None:
                pace.go_to(None)
                pace.pause(True)
            else:
                pace.pause(not pace.paused)
            self.draw()

    def action_one_step(self) -> None:
        if (pace := self._pace()) is not None:
            pace.step()

    def action_slower(self) -> None:
        self._change_speed(-1)

    def action_faster(self) -> None:
        self._change_speed(1)

    def _change_speed(self, by: int) -> None:
        pace = self._pace()
        if pace is not None and pace.speed is not None:
            speed = changed(pace.speed, by, self.session.snapshot.time is not None)
            pace.set_speed(speed)
            self.say(f"speed {speed}")
