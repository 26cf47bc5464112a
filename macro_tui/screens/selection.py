"""Actions that select a panel, a line in it, and its contents."""

from __future__ import annotations

from dataclasses import replace

from textual import on
from textual.errors import NoWidget
from textual.events import Click, MouseEvent, MouseScrollDown, MouseScrollUp

from macro_engine.core.format import count_text
from macro_engine.run.view import Snapshot
from macro_tui.panels.events import EventsPanel
from macro_tui.panels.panel import Panel
from macro_tui.panels.pending import PendingPanel
from macro_tui.panels.rejected import RejectedPanel
from macro_tui.panels.subroutines import SubroutinesPanel
from macro_tui.panels.weights import WeightsPanel
from macro_tui.screens.details import DetailsScreen
from macro_tui.screens.event import EventScreen
from macro_tui.screens.navigation import NavigationActions
from macro_tui.screens.prompt import Prompt
from macro_tui.view import events, pending, rejected, subroutines, weights
from macro_tui.view.details import details
from macro_tui.view.layout import PANELS
from macro_tui.view.scene import Scene
from macro_tui.widgets.lines import Lines

_LISTS = (EventsPanel, SubroutinesPanel, PendingPanel, RejectedPanel, WeightsPanel)
_SCROLLED = 3  # lines by a notch of the wheel


def panel_of(widget: object) -> Panel | None:
    """The panel that a picture stands in."""
    parent = getattr(widget, "parent", None)
    return next((found for found in (widget, parent) if isinstance(found, Panel)), None)


class PanelActions(NavigationActions):
    """Focus, expand, lists."""

    def action_focus_panel(self, number: int) -> None:
        """A panel that has no place on the screen opens on all of it."""
        name = PANELS[number]
        if not self.panels[name].display:
            self.expand_panel(name)
        self.panels[name].focus()

    def action_other_panel(self, by: int) -> None:
        shown = [panel for panel in self.panels.values() if panel.display]
        panel = self.focused_panel
        place = shown.index(panel) + by if panel in shown else 0
        shown[place % len(shown)].focus()

    def action_expand(self) -> None:
        panel = self.focused_panel or self.panels["errors"]
        self.expand_panel(None if self.view.expanded else panel.key)
        panel.focus()

    def action_back(self) -> None:
        if self.view.expanded:
            self.expand_panel(None)
        elif self.view.filter:
            self.choose_events("")
        elif self.view != self.view.following() or not self.app.close_run():
            self.look(self.view.following())

    def expand_panel(self, name: str | None) -> None:
        self.view = replace(self.view, expanded=name)
        self.put_panels()

    def put_panels(self) -> None:
        raise NotImplementedError

    def action_pick(self, by: int) -> None:
        self.pick_in(self.focused, by)

    def pick_in(self, panel: object, by: int) -> bool:
        """Picks another line of a panel's list; returns False where it has none."""
        scene = self.shown
        if scene is None or not isinstance(panel, _LISTS):
            return False
        if isinstance(panel, EventsPanel):
            self._pick_event(scene, by)
        elif isinstance(panel, SubroutinesPanel):
            numbers = [line.number for line in subroutines.lines(scene)]
            place = numbers.index(picked) if (picked := self.view.subroutine) in numbers else 0
            place = min(max(place + by, 0), len(numbers) - 1)
            self.look(replace(self.view, subroutine=numbers[place]))
        elif isinstance(panel, RejectedPanel):
            place = rejected.picked_reason(scene) + by
            last = max(len(scene.rejected) - 1, 0)
            self.look(replace(self.view, reason=min(max(place, 0), last)))
        elif isinstance(panel, PendingPanel):
            place = pending.picked_place(scene.snapshot, self.view.pending, by)
            self._pick_pending(scene.snapshot, place)
        else:
            count = len(scene.history.members)
            step = 1 if by > 0 else -1
            self.look(replace(self.view, member=min(max(scene.member + step, 0), count - 1)))
        return True

    def _pick_pending(self, snapshot: Snapshot, place: int) -> None:
        """Picks a row that waits; it stays picked when others come before it."""
        if snapshot.pending_likely:
            self.look(replace(self.view, pending=snapshot.pending_likely[place]["row"]))

    def _pick_event(self, scene: Scene, by: int) -> None:
        listed = scene.listed
        if not listed:
            return
        last, place = len(listed) - 1, events.picked_place(scene)
        if place is None:  # the first key picks the end of the list that is in view
            place = 0 if listed is scene.ranked else last
            by = by - 1 if by > 0 and listed is scene.ranked else min(by, 0)
        self.look(replace(self.view, event=listed[min(max(place + by, 0), last)][0]))

    def pick_at(self, panel: Panel, y: int, height: int) -> None:
        """Selects the item in a line of a panel's list."""
        scene = self.shown
        if scene is None:
            return
        if isinstance(panel, EventsPanel):
            shown = events.events_shown(scene, height)
            if y < len(shown):
                self.look(replace(self.view, event=scene.listed[shown[y]][0]))
        elif isinstance(panel, SubroutinesPanel):
            number = subroutines.number_at(scene, y, height)
            if number is not None:
                self.look(replace(self.view, subroutine=number))
        elif isinstance(panel, RejectedPanel):
            place = rejected.reason_at(scene, y, height)
            if place is not None:
                self.look(replace(self.view, reason=place))
        elif isinstance(panel, PendingPanel):
            place = pending.row_at(scene.snapshot, self.view.pending, y, *panel.room)
            if place is not None:
                self._pick_pending(scene.snapshot, place)
        elif isinstance(panel, WeightsPanel):
            member = weights.member_at(scene, y, height)
            if member is not None and not self.view.of_strategies:
                self.look(replace(self.view, member=member))

    @on(Click)
    def _pick_where_it_was_clicked(self, click: Click) -> None:
        panel = panel_of(click.widget)
        picture = click.widget
        if panel is not None and isinstance(picture, Lines) and picture is not panel.title:
            self.pick_at(panel, click.y, picture.content_size.height)

    @on(MouseScrollUp)
    def _scroll_up(self, event: MouseScrollUp) -> None:
        if not self.pick_in(self._panel_under(event), -_SCROLLED):
            self.action_zoom(1)

    @on(MouseScrollDown)
    def _scroll_down(self, event: MouseScrollDown) -> None:
        if not self.pick_in(self._panel_under(event), _SCROLLED):
            self.action_zoom(-1)

    def _panel_under(self, event: MouseEvent) -> Panel | None:
        """The panel under the pointer; what comes from a terminal names no widget."""
        try:
            widget, _ = self.get_widget_at(event.screen_x, event.screen_y)
        except NoWidget:
            return None
        return panel_of(widget)

    def action_open(self) -> None:
        scene = self.shown
        if scene is None:
            return
        if isinstance(self.focused, EventsPanel):
            place = events.picked_place(scene)
            if place is not None:
                number, event = scene.listed[place]
                self.look_at_event(number, event)
                self.app.push_screen(EventScreen(self.glyphs, event))
        elif isinstance(self.focused, PendingPanel):
            self._open_pending(scene.snapshot)
        else:
            self._open_subroutine()

    def _open_pending(self, snapshot: Snapshot) -> None:
        """The picked row with its decision."""
        likely = snapshot.pending_likely
        if not likely:
            self.say("no row waits for its label")
            return
        row = likely[pending.picked_place(snapshot, self.view.pending)]
        self.app.push_screen(DetailsScreen(pending.details(row, snapshot), self.glyphs))

    def _open_subroutine(self) -> None:
        """The picked one of the table; from any other panel the active one."""
        scene = self.shown
        assert scene is not None
        number = int(scene.step.active[scene.member])
        if isinstance(self.focused, SubroutinesPanel):
            numbers = [line.number for line in subroutines.lines(scene)]
            number = self.view.subroutine if self.view.subroutine in numbers else numbers[0]
        known = self.session.parameters(scene.member, number)
        rows = details(scene, number, known, self.glyphs)
        self.app.push_screen(DetailsScreen(rows, self.glyphs))

    def action_other_weights(self) -> None:
        scene = self.shown
        if scene is not None and not scene.history.names.shown_apart:
            self.say("no strategy of this run shows more than the thresholds")
            return
        self.look(self.view.other_weights())

    def action_next_order(self) -> None:
        """Of the list in focus; else of subroutines."""
        is_events = isinstance(self.focused, EventsPanel)
        self.look(self.view.next_event_order() if is_events else self.view.next_order())

    def action_filter(self) -> None:
        question = "events with a text or of a kind (birth, leader, gap, alarm, bookmark)"
        self.app.push_screen(Prompt(question, self.view.filter), self._filtered)

    def _filtered(self, text: str | None) -> None:
        if text is not None:
            self.choose_events(text)

    def choose_events(self, text: str) -> None:
        self.event_log.choose(text)
        self.look(replace(self.view, filter=text))
        if text:
            count = len(self.event_log.chosen)
            found = f"{count_text(count, 'event')}; n and N go from one to the next"
            self.say(found if count else "no event has that text or is of that kind")
