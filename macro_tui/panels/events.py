"""The list of events, newest at the bottom."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view.events import about, event_rows
from macro_tui.view.expanded import event_in_words
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.paragraph import Paragraph


class EventsPanel(Panel):
    """The list of events."""

    key = "events"
    heading = "events"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.list = Paragraph(glyphs)

    def pictures(self) -> Iterator[Lines]:
        yield self.list

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene))
        self.list.draw(event_rows(scene, *self.list.content_size, self.glyphs))

    def more_rows(self, scene: Scene) -> list[Row]:
        return event_in_words(scene)
