"""The timeline as a widget."""

from __future__ import annotations

from macro_tui.view.rows import Row
from macro_tui.view.timeline import LABEL, TimelineView, left_margin, render, timeline_columns
from macro_tui.widgets.drawing import Drawing


class Timeline(Drawing[TimelineView]):
    """The picture of the run; `name_width` is the room for names of members."""

    name_width = LABEL

    @property
    def timeline_left(self) -> int:
        return left_margin(self.content_size.width, self.name_width)

    @property
    def timeline_columns(self) -> int:
        return timeline_columns(self.content_size.width, self.name_width)

    def picture(self, view: TimelineView, width: int, height: int) -> list[Row]:
        return render(view, width, height, self.glyphs)
