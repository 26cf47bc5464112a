"""The chart as a widget."""

from __future__ import annotations

from macro_tui.view.axis import Bounds
from macro_tui.view.curves import CurvesView, bounds, left_margin, plot_columns, render
from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.rows import Row
from macro_tui.widgets.drawing import Drawing


class Curves(Drawing[CurvesView]):
    """The chart; its vertical range is kept from frame to frame."""

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self._y: Bounds | None = None
        self._range_of: object = None  # what the range was kept for

    @property
    def plot_left(self) -> int:
        return left_margin(self.content_size.width)

    @property
    def plot_columns(self) -> int:
        return plot_columns(self.content_size.width)

    def picture(self, view: CurvesView, width: int, height: int) -> list[Row]:
        range_of = view.unit, view.of, view.is_steady
        self._y = bounds(view, self._y if range_of == self._range_of else None)
        self._range_of = range_of
        return render(view, width, height, self.glyphs, self._y)
