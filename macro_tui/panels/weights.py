"""The thresholds: EWA's weights, FTL's leader, errors and subroutines, and weights over time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from macro_tui.panels.panel import Panel
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.scene import Scene, leader, threshold_index
from macro_tui.view.viewport import page
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.threshold_text import threshold_text
from macro_tui.widgets.weights import Threshold, Weights, WeightsView


def weights_view(scene: Scene, columns: int) -> WeightsView:
    history = scene.history
    weights = history.weights(np.array([scene.moment]))[:, 0]
    subroutines = scene.point.subroutines[:, 0]
    thresholds = tuple(
        Threshold(
            value,
            float(weights[k]),
            float(scene.errors[threshold_index(k)]),
            int(subroutines[k]),
        )
        for k, value in enumerate(history.thresholds)
    )
    width = scene.view.width
    shown = page(columns, None if width is None else 2 * width, scene.moment, scene.steps)
    known = shown.edges[:-1] < scene.steps
    over_time = np.zeros((len(thresholds), columns))
    over_time[:, known] = history.weights(np.minimum(shown.edges[1:][known], scene.steps))
    cursor = None if scene.is_now else shown.column(scene.moment)
    return WeightsView(thresholds, leader(scene.point), scene.threshold, over_time, cursor)


def about(scene: Scene) -> str:
    return f"{threshold_text(scene.history.thresholds[scene.threshold])} in view"


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
        self.weights.draw(weights_view(scene, self.weights.strip_columns))
