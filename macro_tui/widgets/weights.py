"""The pictures of the weights panel as widgets."""

from __future__ import annotations

from macro_tui.view import shown, weights
from macro_tui.view.rows import Row
from macro_tui.view.shown import ShownView
from macro_tui.view.timeline import LABEL
from macro_tui.view.weights import WeightsView
from macro_tui.widgets.drawing import Drawing


class Weights(Drawing[WeightsView]):
    """The picture of the weights; `name_width` is the room for names of members."""

    name_width = LABEL

    @property
    def strip_columns(self) -> int:
        return weights.strip_columns(self.content_size.width, self.name_width)

    def picture(self, view: WeightsView, width: int, height: int) -> list[Row]:
        return weights.render(view, width, height, self.glyphs)


class ShownByStrategies(Drawing[ShownView]):
    """The picture of what strategies show."""

    @property
    def strip_columns(self) -> int:
        return shown.strip_columns(self.content_size.width)

    def picture(self, view: ShownView, width: int, height: int) -> list[Row]:
        return shown.render(view, width, height, self.glyphs)
