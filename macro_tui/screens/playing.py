"""Keys that change how the recording is played."""

from __future__ import annotations

from macro_engine.run.history import History
from macro_engine.run.pace import Pace, Target
from macro_engine.run.snapshot import Snapshot
from macro_tui import destination
from macro_tui.screens.base import MonitorScreen
from macro_tui.screens.prompt import Prompt
from macro_tui.speeds import changed


class Playing(MonitorScreen):
    """Pause, steps, speed, going somewhere."""

    def _pace(self) -> Pace | None:
        """The pace, if there is still something to play."""
        if self.session.is_watching:
            self.say("watching: how it is played is up to the process that runs it")
            return None
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

    def action_go_to(self) -> None:
        question = "a row (12040), a share (50%) or a time (2001-03-14 11:02)"
        self.app.push_screen(Prompt(question, check=destination.parse), self._go_to)

    def _go_to(self, text: str | None) -> None:
        if text is None or self.shown is None:
            return
        target = destination.parse(text)
        step = step_of(target, self.shown.history, self.session.snapshot)
        if step is not None:
            self.look(self.view.at(step + 1, self.steps))
        elif (pace := self._pace()) is not None:
            self.look(self.view.following())
            pace.go_to(target)


def step_of(target: Target, history: History, snapshot: Snapshot) -> int | None:
    """The step that has the target, if it was played already."""
    if target.row is not None:
        return history.step_of_row(target.row) if target.row < snapshot.rows else None
    if target.time is not None:
        is_past = snapshot.time is not None and target.time <= snapshot.time
        return history.step_at_time(target.time) if is_past else None
    assert target.share is not None
    if snapshot.done is None or target.share > snapshot.done:
        return None
    return min(int(target.share / max(snapshot.done, 1e-9) * history.steps), history.steps - 1)
