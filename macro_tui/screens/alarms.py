"""Alarms on the screen: a bell, and a line in reverse video."""

from __future__ import annotations

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.run.view import Alarms, parse
from macro_tui.screens.base import MonitorScreen
from macro_tui.screens.prompt import Prompt


class AlarmActions(MonitorScreen):
    """Shows which alarms call, and answers them."""

    def watch_alarms(self) -> None:
        """Rings the bell for what was raised."""
        if any(change.is_raised for change in self.session.changed_alarms()):
            self.app.bell()

    def action_acknowledge(self) -> None:
        alarms = self.session.alarms
        if alarms.calling:
            alarms.acknowledge()
            self.draw()
        else:
            self.say("no alarm to acknowledge")

    def action_change_alarms(self) -> None:
        """Asks for a rule: a new one is watched from now on, a known one muted or heard again."""
        alarms = self.session.alarms
        muted = {alarm.rule.text: alarm.is_muted for alarm in alarms.alarms}
        known = ", ".join(f"{text} (muted)" if off else text for text, off in muted.items())

        known = f" ({known})" if known else ""
        rang = {told.get("rule", "") for told in self.session.snapshot.alarms} - set(muted)
        if rang:  # by whom the run is made, where it is watched
            known += f"; the run itself rang: {visible(', '.join(sorted(rang)), 200)}"

        def change(text: str | None) -> None:
            if text is None or not text.strip():
                return
            rule = parse(text, self.session.snapshot.errors)
            if alarms.add(rule, is_kept=True):
                self.say(f"watching: {rule.text}")
                return
            alarms.mute(rule, not muted[rule.text])
            self.say(f"{'unmuted' if muted[rule.text] else 'muted'}: {rule.text}")

        def check(text: str) -> None:
            try:
                if text.strip():
                    history, computed = self.session.history, list(self.session.snapshot.errors)
                    has_leader = history is None or bool(history.names.leading)
                    Alarms([parse(text, computed)]).check_series(computed, has_leader)
            except UsageError as error:
                raise ValueError(str(error)) from None

        self.app.push_screen(Prompt(f"a rule to add, or to mute{known}", check=check), change)
