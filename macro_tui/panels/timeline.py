"""The timeline of the whole run."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.scene import Scene
from macro_tui.view.timeline import about, label_width, timeline_view
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.timeline import Timeline


class TimelinePanel(Panel):
    """The run over the full width."""

    key = "timeline"
    heading = "MACRO timeline"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.timeline = Timeline(glyphs)

    def pictures(self) -> Iterator[Lines]:
        yield self.timeline

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene))
        self.timeline.name_width = label_width(scene.history.short_members)
        self.timeline.draw(timeline_view(scene, self.timeline.timeline_columns))
