"""The timeline panel."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view.expanded import named_in_words
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene
from macro_tui.view.timeline import heading, label_width, legend, timeline_view
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.timeline import Timeline


class TimelinePanel(Panel):
    """The run over the full width."""

    key = "timeline"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.timeline = Timeline(glyphs)

    def pictures(self) -> Iterator[Lines]:
        yield self.timeline

    def update(self, scene: Scene) -> None:
        self.timeline.name_width = label_width(scene.history.short_members)
        view = timeline_view(scene, self.timeline.timeline_columns)
        self.heading = heading(scene)
        self.show_title("", legend(view, self.glyphs))
        self.timeline.draw(view)

    def more_rows(self, scene: Scene) -> list[Row]:
        return named_in_words(scene)
