"""The thresholds and their weights."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.scene import Scene
from macro_tui.view.timeline import label_width
from macro_tui.view.weights import about, weights_view
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.weights import Weights


class WeightsPanel(Panel):
    """The thresholds."""

    key = "weights"
    heading = "thresholds"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.weights = Weights(glyphs)

    def pictures(self) -> Iterator[Lines]:
        yield self.weights

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene))
        self.weights.name_width = label_width(scene.history.short_members)
        self.weights.draw(weights_view(scene, self.weights.strip_columns))
