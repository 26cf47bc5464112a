"""The weights panel: thresholds and their weights, or the values that strategies show."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view import strategy_values, weights
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.scene import Scene
from macro_tui.view.timeline import label_width
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.weights import StrategyValues, Weights


class WeightsPanel(Panel):
    """The thresholds, or what strategies show: one of two pictures."""

    key = "weights"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.weights = Weights(glyphs)
        self.shown = StrategyValues(glyphs)
        self.shown.display = False

    def pictures(self) -> Iterator[Lines]:
        yield self.weights
        yield self.shown

    def update(self, scene: Scene) -> None:
        of_strategies = scene.view.of_strategies and bool(scene.history.names.shown_apart)
        self.weights.display, self.shown.display = not of_strategies, of_strategies
        if of_strategies:
            self.heading = "strategies"
            self.show_title(strategy_values.about(scene))
            self.shown.draw(strategy_values.strategy_values_view(scene, self.shown.strip_columns))
        else:
            self.heading = "MACRO thresholds"
            self.show_title(weights.about(scene))
            self.weights.name_width = label_width(scene.history.short_members)
            self.weights.draw(weights.weights_view(scene, self.weights.strip_columns))
