"""Keys that change what is looked at."""

from __future__ import annotations

from macro_tui import events
from macro_tui.panels.errors import ErrorsPanel
from macro_tui.panels.timeline import TimelinePanel
from macro_tui.raster import ACROSS
from macro_tui.screens.base import MonitorScreen
from macro_tui.view import page


class Looking(MonitorScreen):
    """The view's cursor, zoom, thresholds, curves, events."""

    @property
    def dots(self) -> int:
        """Dot columns of the chart, by which the view moves."""
        chart = self.panels["errors"]
        assert isinstance(chart, ErrorsPanel)
        return ACROSS * max(chart.curves.plot_columns, 1)

    def action_look(self, columns: int) -> None:
        moment = self.steps if self.view.moment is None else self.view.moment
        width = page(self.dots, self.view.width, moment, self.steps).width
        self.look(self.view.looked(columns, width, self.steps))

    def action_look_far(self, direction: int) -> None:
        self.action_look(direction * max(self.dots // 2, 1))

    def action_look_at_start(self) -> None:
        self.look(self.view.at(1, self.steps))

    def action_follow(self) -> None:
        self.look(self.view.following())

    def action_crosshair(self) -> None:
        is_on = self.view.moment is not None
        self.look(self.view.following() if is_on else self.view.at(self.steps, self.steps))

    def action_zoom(self, by: int) -> None:
        timeline = self.panels["timeline"]
        if isinstance(self.focused, TimelinePanel):
            assert isinstance(timeline, TimelinePanel)
            columns = timeline.timeline.timeline_columns
            self.look(self.view.timeline_zoomed(by, columns, self.steps))
        else:
            self.look(self.view.zoomed(by, self.dots, self.steps))

    def action_next_threshold(self) -> None:
        if self.shown is not None:
            count = len(self.shown.history.thresholds)
            self.look(self.view.next_threshold(self.shown.threshold, count))

    def action_next_mode(self) -> None:
        self.look(self.view.next_mode())

    def action_next_window(self) -> None:
        self.look(self.view.next_window())

    def action_next_curves(self) -> None:
        self.look(self.view.next_curves())

    def action_next_event(self, direction: int) -> None:
        if self.shown is None:
            return
        find = events.after if direction > 0 else events.before
        found = find(self.event_log.chosen, self.shown.moment)
        if found is None:
            self.say(f"no event {'after' if direction > 0 else 'before'} this moment")
        else:
            self.look_at_event(*found)

    def look_at_event(self, number: int, event: events.Event) -> None:
        from dataclasses import replace

        self.look(replace(self.view.at(event.step + 1, self.steps), event=number))
        self.say(f"step {event.step:,}: {event.text}")
