"""The timeline of new subroutines, and of which one was active when."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from macro_tui.panels.panel import Panel
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.scene import Scene
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.threshold_text import threshold_text
from macro_tui.widgets.timeline import Timeline, TimelineView
from macro_tui.words import counted


def timeline_view(scene: Scene, columns: int) -> TimelineView:
    """The run in columns; the part that the chart shows is marked where it is not the whole."""
    history = scene.history
    shown = scene.timeline_page(columns)
    points = history.at(np.minimum(shown.edges, scene.steps))
    known = shown.edges[:-1] < scene.steps
    active = np.where(known, points.active[:, 1:], 0)
    chart = scene.page
    stop = min(chart.start + chart.width * chart.columns, scene.steps)
    window = (shown.column(chart.start + 1), shown.column(stop))
    return TimelineView(
        tuple(history.thresholds),
        scene.threshold,
        active,
        np.diff(points.subroutines, axis=1),
        shown.column(scene.steps),
        shown.column(scene.moment),
        None if scene.view.width is None else window,
        scene.labels(shown),
    )


def about(scene: Scene) -> str:
    count = int(scene.point.subroutines[scene.threshold, 0])
    value = threshold_text(scene.history.thresholds[scene.threshold])
    return f"who was active when, and births; {counted(count, 'subroutine')} at {value}"


class TimelinePanel(Panel):
    """The run over the full width."""

    key = "timeline"
    heading = "timeline"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.timeline = Timeline(glyphs)

    def pictures(self) -> Iterator[Lines]:
        yield self.timeline

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene))
        self.timeline.draw(timeline_view(scene, self.timeline.timeline_columns))
