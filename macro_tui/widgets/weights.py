"""The pictures of the weights panel as widgets."""

from __future__ import annotations

from macro_tui.view import strategy_values, weights
from macro_tui.view.rows import Row
from macro_tui.view.strategy_values import StrategyValuesView
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


class StrategyValues(Drawing[StrategyValuesView]):
    """The picture of the values that strategies show."""

    @property
    def strip_columns(self) -> int:
        return strategy_values.strip_columns(self.content_size.width)

    def picture(self, view: StrategyValuesView, width: int, height: int) -> list[Row]:
        return strategy_values.render(view, width, height, self.glyphs)
