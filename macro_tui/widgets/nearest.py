"""The distances as a widget."""

from __future__ import annotations

from macro_tui.view.nearest import NearestView, render
from macro_tui.view.rows import Row
from macro_tui.widgets.drawing import Drawing


class Nearest(Drawing[NearestView]):
    """The picture of the distances."""

    def picture(self, view: NearestView, width: int, height: int) -> list[Row]:
        return render(view, width, height, self.glyphs)
