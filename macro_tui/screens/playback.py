"""Keys that change how the recording is played."""

from __future__ import annotations

from dataclasses import replace

from macro_engine.run.history import History
from macro_engine.run.pace import Pace, Target
from macro_engine.run.snapshot import Snapshot
from macro_tui.screens.base import MonitorScreen
from macro_tui.screens.prompt import Prompt
from macro_tui.view import destination
from macro_tui.view.speeds import changed
from macro_tui.view.viewport import Frozen


class PlaybackActions(MonitorScreen):
    """Pause, steps, speed, going somewhere."""

    def _pace(self) -> Pace | None:
        """The pace, if there is still something to play."""
        if self.session.is_watching:
            self.say("watching: how it is played is up to the process that runs it")
            return None
        if self.session.is_live:
            self.say("a live feed: rows come when they come; space freezes the view")
            return None
        if self.session.snapshot.has_ended:
            self.say("all of it was played")
            return None
        if self.session.pace is None:
            self.say("the engine is not ready yet")
        return self.session.pace

    def action_pause(self) -> None:
        """Hold the recording; what nobody can hold goes on, and the view stands still."""
        if not self.is_played:
            self._freeze_or_follow()
        elif (pace := self._pace()) is not None:
            if pace.target is not None:
                pace.go_to(None)
                pace.pause(True)
            else:
                pace.pause(not pace.paused)
            self.draw()

    def _freeze_or_follow(self) -> None:
        snapshot = self.session.snapshot
        if self.view.frozen is not None:
            self.look(self.view.following())
        elif snapshot.has_ended or self.shown is None:
            self.say("nothing comes any more" if self.shown else "there is nothing to freeze yet")
        else:
            frozen = Frozen(self.steps, snapshot, self.event_log.seen)
            self.look(replace(self.view, frozen=frozen))

    def action_one_step(self) -> None:
        if (pace := self._pace()) is not None:
            pace.step()
            if self.shown is None:  # it may take a while until the step is seen
                self.say("one step, then a pause")

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
        what = "a share" if self.is_played else "a share of what has come"
        question = f"a row (12040), {what} (50%) or a time (2001-03-14 11:02)"
        self.app.push_screen(Prompt(question, check=destination.parse), self._go_to)

    def _go_to(self, text: str | None) -> None:
        if text is None:
            return
        if self.shown is None:
            self.say("there is no step to go to yet")
            return
        target = destination.parse(text)
        if target.time is not None and self.shown.step.time is None:
            self.say("this stream has no times; a row (12040) or a share (50%) is a place")
            return
        step = step_of(target, self.shown.history, self.session.snapshot)
        if step is not None and step >= self.steps:
            self.say("that came after the view was frozen; space follows")
        elif step is not None:
            self.look(self.view.at(step + 1, self.steps))
        elif not self.is_played:
            self.say("that has not come yet")
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
    done = 1.0 if snapshot.done is None else snapshot.done  # a live feed has no end
    if target.share > done:
        return None
    return min(int(target.share / max(done, 1e-9) * history.steps), history.steps - 1)
