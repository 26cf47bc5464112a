"""Actions that move the view."""

from __future__ import annotations

from dataclasses import replace

from textual import on
from textual.events import Click

from macro_engine.run.view import Event
from macro_tui.screens.base import MonitorScreen
from macro_tui.view import event_log
from macro_tui.view.page import Page
from macro_tui.view.raster import ACROSS
from macro_tui.widgets.curves import Curves
from macro_tui.widgets.timeline import Timeline


class NavigationActions(MonitorScreen):
    """The view's cursor, zoom, thresholds, curves, events."""

    def action_look(self, columns: int) -> None:
        if self.shown is not None:
            self.look(self.view.looked(columns, self.shown.page, self.steps))

    def action_look_far(self, direction: int) -> None:
        self.action_look(direction * max(self.dots // 2, 1))

    def action_look_at_start(self) -> None:
        if self.shown is not None:
            self.look(self.view.at(1, self.steps))

    def action_follow(self) -> None:
        self.look(self.view.following())

    def action_crosshair(self) -> None:
        if self.view.moment is not None:
            self.look(self.view.at_newest())
        elif self.shown is not None:
            self.look(self.view.at(self.steps, self.steps))

    def action_zoom(self, by: int) -> None:
        if self.shown is not None:
            self.look(self.view.zoomed(by, self.dots, self.shown.whole))

    @on(Click)
    def _look_where_it_was_clicked(self, click: Click) -> None:
        if self.shown is None:
            return
        moment = None
        if isinstance(click.widget, Curves):
            moment = _end_of(self.shown.page, ACROSS * (click.x - click.widget.plot_left))
        elif isinstance(click.widget, Timeline):
            page = self.shown.page_of(click.widget.timeline_columns)
            moment = _end_of(page, click.x - click.widget.timeline_left)
        if moment is not None:
            self.look(self.view.at(moment, self.steps))

    def action_next_threshold(self) -> None:
        if self.shown is not None:
            count = len(self.shown.history.members)
            self.look(self.view.next_member(self.shown.member, count))

    def action_next_metric(self) -> None:
        if self.shown is not None:
            self.look(self.view.next_metric(self.shown.metric.name))

    def action_next_mode(self) -> None:
        self.look(self.view.next_mode())

    def action_next_window(self) -> None:
        self.look(self.view.next_window())

    def action_next_curves(self) -> None:
        self.look(self.view.next_curves())

    def action_next_event(self, direction: int) -> None:
        if self.shown is None:
            return
        find = event_log.after if direction > 0 else event_log.before
        found = find(self.shown.events, self.shown.moment)
        if found is None:
            self.say(f"no event {'after' if direction > 0 else 'before'} this moment")
        else:
            self.look_at_event(*found)

    def look_at_event(self, number: int, event: Event) -> None:
        self.look(replace(self.view.at(event.step + 1, self.steps), event=number))
        self.say(f"step {event.step:,}: {event.text}")


def _end_of(page: Page, column: int) -> int:
    """The moment after the last step of a column."""
    return int(page.edges[min(max(column + 1, 0), page.columns)])
