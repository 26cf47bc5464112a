"""Actions that control playback."""

from __future__ import annotations

from dataclasses import replace

from macro_engine.run.playing.destination import parse_target
from macro_engine.run.view import Controls, Destination, History, Snapshot
from macro_tui.screens.base import MonitorScreen
from macro_tui.screens.prompt import Prompt
from macro_tui.view.speeds import changed
from macro_tui.view.viewport import Frozen


class PlaybackActions(MonitorScreen):
    """Pause, steps, speed, going somewhere."""

    def _controls(self) -> Controls | None:
        """The controls, if there is still something to play."""
        if self.session.no_controls:
            self.say(self.session.no_controls)
            return None
        if self.session.snapshot.has_ended:
            self.say("all of it was played")
            return None
        if self.session.controls is None:
            self.say("the engine is not ready yet")
        return self.session.controls

    def action_pause(self) -> None:
        """Pauses a recording; freezes the view of a run that has no controls."""
        if not self.is_played:
            self._freeze_or_follow()
        elif (controls := self._controls()) is not None:
            if controls.target is not None:
                controls.go_to(None)
                controls.pause(True)
            else:
                controls.pause(not controls.paused)
            self.draw()

    def _freeze_or_follow(self) -> None:
        snapshot = self.session.snapshot
        if self.view.frozen is not None:
            self.look(self.view.following())
        elif snapshot.has_ended or self.shown is None:
            self.say("no more rows will come" if self.shown else "there is nothing to freeze yet")
        else:
            frozen = Frozen(self.steps, snapshot, self.event_log.seen)
            self.look(replace(self.view, frozen=frozen))

    def action_one_step(self) -> None:
        if (controls := self._controls()) is not None:
            controls.step()
            if self.shown is None:  # it may take a while until the step is seen
                self.say("one step, then a pause")

    def action_slower(self) -> None:
        self._change_speed(-1)

    def action_faster(self) -> None:
        self._change_speed(1)

    def _change_speed(self, by: int) -> None:
        controls = self._controls()
        if controls is not None and controls.speed is not None:
            speed = changed(controls.speed, by, self.session.snapshot.time is not None)
            controls.set_speed(speed)
            self.say(f"speed {speed}")

    def action_go_to(self) -> None:
        share = "50%" if self.is_played else "50% of what has come"
        question = f"a step (2400), row 12040, {share}, or a time (2001-03-14 11:02)"
        self.app.push_screen(Prompt(question, check=parse_target), self._go_to)

    def _go_to(self, text: str | None) -> None:
        if text is None:
            return
        if self.shown is None:
            self.say("there is no step to go to yet")
            return
        target = parse_target(text)
        if target.time is not None and self.shown.step.time is None:
            self.say("this stream has no times; a step (2400), row 12040 or 50% is a position")
            return
        step = step_of(target, self.shown.history, self.session.snapshot)
        if step is not None and step >= self.steps:
            self.say("that came after the view was frozen; space follows")
        elif step is not None:
            self.look(self.view.at(step + 1, self.steps))
        elif not self.is_played:
            self.say("that has not come yet")
        elif (controls := self._controls()) is not None:
            self.look(self.view.following())
            controls.go_to(target)


def step_of(target: Destination, history: History, snapshot: Snapshot) -> int | None:
    """The step that has the target, if it was played already."""
    if target.step is not None:
        return max(target.step, history.first) if target.step < history.steps else None
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
