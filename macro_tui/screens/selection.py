"""Keys that choose a panel, a line in it, and what it lists."""

from __future__ import annotations

from dataclasses import replace

from macro_engine.core.format import count_text
from macro_tui.panels.events import EventsPanel
from macro_tui.panels.subroutines import SubroutinesPanel
from macro_tui.screens.details import DetailsScreen
from macro_tui.screens.navigation import NavigationActions
from macro_tui.screens.prompt import Prompt
from macro_tui.view import events, subroutines
from macro_tui.view.layout import PANELS


class PanelActions(NavigationActions):
    """Focus, expand, lists."""

    def action_focus_panel(self, number: int) -> None:
        """A panel that has no place on the screen opens on all of it."""
        name = PANELS[number - 1]
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
        scene = self.shown
        if scene is None:
            return
        if isinstance(self.focused, EventsPanel) and scene.events:
            last = len(scene.events) - 1
            place = events.picked_place(scene)
            place = last if place is None and by < 0 else (last if place is None else place) + by
            self.look(replace(self.view, event=scene.events[min(max(place, 0), last)][0]))
        elif isinstance(self.focused, SubroutinesPanel):
            numbers = [line.number for line in subroutines.lines(scene)]
            place = numbers.index(picked) if (picked := self.view.subroutine) in numbers else 0
            place = min(max(place + by, 0), len(numbers) - 1)
            self.look(replace(self.view, subroutine=numbers[place]))

    def action_open(self) -> None:
        scene = self.shown
        if scene is None:
            return
        if isinstance(self.focused, EventsPanel):
            place = events.picked_place(scene)
            if place is not None:
                self.look_at_event(*scene.events[place])
        else:
            self._open_subroutine()

    def _open_subroutine(self) -> None:
        """The picked one of the table; from any other panel the active one."""
        scene = self.shown
        assert scene is not None
        number = int(scene.step.active[scene.member])
        if isinstance(self.focused, SubroutinesPanel):
            numbers = [line.number for line in subroutines.lines(scene)]
            number = self.view.subroutine if self.view.subroutine in numbers else numbers[0]
        known = self.session.parameters(scene.member, number)
        self.app.push_screen(DetailsScreen(scene, number, known, self.glyphs))

    def action_other_weights(self) -> None:
        scene = self.shown
        if scene is not None and not scene.history.names.shown:
            self.say("no strategy of this run shows more than the thresholds")
            return
        self.look(self.view.other_weights())

    def action_next_order(self) -> None:
        self.look(self.view.next_order())

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
