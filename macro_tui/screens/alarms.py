"""Alarms on the screen: a bell, a line in reverse, an event."""

from __future__ import annotations

from time import time

from macro_engine.run.alarm_watch import AlarmWatch
from macro_engine.run.alarms import Alarms, Change
from macro_engine.run.events import Event
from macro_engine.run.session import Session
from macro_tui.app import Options
from macro_tui.screens.base import MonitorScreen


class AlarmActions(MonitorScreen):
    """Watches the run for what the rules describe."""

    def __init__(self, session: Session, options: Options) -> None:
        super().__init__(session, options)
        self.alarms = Alarms(options.alarms)
        self.alarm_watch = AlarmWatch(self.alarms, self.view.window)

    def watch_alarms(self) -> None:
        session = self.session
        changes = self.alarm_watch.check(
            session.history, session.snapshot, time(), session.known_steps
        )
        if any(change.is_raised for change in changes):
            self.app.bell()
        self.note([_event(change) for change in changes])

    def action_acknowledge(self) -> None:
        if self.alarms.calling:
            self.alarms.acknowledge()
            self.draw()
        else:
            self.say("no alarm calls")


def _event(change: Change) -> Event:
    what = "raised" if change.is_raised else "cleared"
    text = f"{what}: {change.rule.text} ({change.words})"
    return Event(change.step, change.time, "alarm", text)
