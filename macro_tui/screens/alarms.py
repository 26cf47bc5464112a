"""Alarms on the screen: a bell, a line in reverse, an event."""

from __future__ import annotations

from time import time

from macro_engine.run.view import Change, Event
from macro_tui.screens.base import MonitorScreen


class AlarmActions(MonitorScreen):
    """Watches the run for what the rules describe."""

    def watch_alarms(self) -> None:
        changes = self.session.check_alarms(time())
        if any(change.is_raised for change in changes):
            self.app.bell()
        self.note([_event(change) for change in changes])

    def action_acknowledge(self) -> None:
        alarms = self.session.alarms
        if alarms.calling:
            alarms.acknowledge()
            self.draw()
        else:
            self.say("no alarm calls")


def _event(change: Change) -> Event:
    what = "raised" if change.is_raised else "cleared"
    text = f"{what}: {change.rule.text} ({change.words})"
    return Event(change.step, change.time, "alarm", text)
