"""The weights as a widget."""

from __future__ import annotations

from macro_tui.view.rows import Row
from macro_tui.view.timeline import LABEL
from macro_tui.view.weights import WeightsView, render, strip_columns
from macro_tui.widgets.drawing import Drawing


class Weights(Drawing[WeightsView]):
    """The picture of the weights; `name_width` is the room for names of members."""

    name_width = LABEL

    @property
    def strip_columns(self) -> int:
        return strip_columns(self.content_size.width, self.name_width)

    def picture(self, view: WeightsView, width: int, height: int) -> list[Row]:
        return render(view, width, height, self.glyphs)
