"""The events panel."""

from __future__ import annotations

from macro_tui.panels.list_panel import ListPanel
from macro_tui.view.events import about, event_rows
from macro_tui.view.expanded import event_in_words
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene


class EventsPanel(ListPanel):
    """The list of events."""

    key = "events"
    heading = "events"

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene))
        self.list.draw(event_rows(scene, *self.room, self.glyphs))

    def more_rows(self, scene: Scene) -> list[Row]:
        return event_in_words(scene)
