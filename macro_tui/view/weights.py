"""The thresholds with their weights under EWA, the leader under FTL, errors and subroutines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from macro_engine.core.format import short_percent_text, short_threshold_text
from macro_tui.view.bars import bar, shades
from macro_tui.view.canvas import Canvas
from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.raster import Floats, fitted
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene, leader
from macro_tui.view.viewport import page

_VALUE = 7  # marker, threshold and a blank
_WEIGHT = 5  # " 100%"
_LEADER = 4
_ERROR, _COUNT = 7, 6
_LEAST_BAR = 6
_LIMITS = (0.02, 0.15, 0.4, 0.7)


@dataclass(frozen=True)
class Threshold:
    """One threshold: its share of the weight, its error in % and its number of subroutines."""

    value: float
    weight: float
    error: float | None
    subroutines: int


@dataclass(frozen=True)
class WeightsView:
    """All thresholds; `over_time` holds their weights, a row each, a value a cell column."""

    thresholds: tuple[Threshold, ...]
    leader: int | None
    viewed: int
    over_time: Floats  # see `strip_columns`
    cursor: int | None = None  # the column of the moment in view


@dataclass(frozen=True)
class ColumnWidths:
    """The width of the bars, and which columns there is room for."""

    bar: int
    has_error: bool
    has_count: bool


def column_widths(width: int) -> ColumnWidths:
    free = width - _VALUE - _WEIGHT - _LEADER
    has_error = free - _ERROR >= _LEAST_BAR
    has_count = has_error and free - _ERROR - _COUNT >= _LEAST_BAR
    return ColumnWidths(
        max(free - _ERROR * has_error - _COUNT * has_count, 0), has_error, has_count
    )


def strip_columns(width: int) -> int:
    """How many columns of weights over time fit in a picture of this width."""
    return max(width - _VALUE, 0)


def window(count: int, room: int, needed: int, wished: int) -> range:
    """Which rows to show: the needed one, the wished one if both fit, and those around.

    >>> window(9, 4, 4, 5)
    range(3, 7)
    """
    if count <= room:
        return range(count)
    middle = (needed + wished + 1) // 2 if abs(needed - wished) < room else needed
    start = min(max(middle - room // 2, 0), count - room)
    return range(start, start + room)


def render(view: WeightsView, width: int, height: int, glyphs: Glyphs = UNICODE) -> list[Row]:
    canvas = Canvas(width, height, glyphs)
    count = len(view.thresholds)
    if not count or not height:
        return canvas.rows()
    widths = column_widths(width)
    top = 0
    if height > min(count, 3):
        _draw_heading(canvas, widths)
        top = 1
    leader = view.viewed if view.leader is None else view.leader
    shown = window(count, height - top, view.viewed, leader)
    for y, index in enumerate(shown, top):
        _draw_threshold(canvas, y, view, index, widths)
    _draw_what_is_left_out(canvas, view, shown, top)
    if height >= top + 2 * count + 2:
        _draw_strip(canvas, view, top + count + 1)
    return canvas.rows()


def _draw_heading(canvas: Canvas, widths: ColumnWidths) -> None:
    end = _VALUE + widths.bar + _WEIGHT
    weight = "EWA weight" if widths.bar + _WEIGHT >= 14 else "EWA"
    canvas.put(1, 0, "threshold", "muted")
    canvas.put_right(end, 0, f" {weight}", "muted")
    canvas.put_right(end + _LEADER, 0, "FTL", "muted")
    if widths.has_error:
        canvas.put_right(end + _LEADER + _ERROR, 0, "error", "muted")
    if widths.has_count:
        canvas.put_right(canvas.width, 0, "subs", "muted")


def _draw_threshold(
    canvas: Canvas, y: int, view: WeightsView, index: int, widths: ColumnWidths
) -> None:
    glyphs, threshold = canvas.glyphs, view.thresholds[index]
    is_viewed, is_leader = index == view.viewed, index == view.leader
    text = "strong" if is_viewed else "label"
    canvas.put(0, y, glyphs.viewed if is_viewed else " ", "threshold")
    canvas.put(1, y, short_threshold_text(threshold.value), text)
    canvas.put(_VALUE, y, bar(threshold.weight, widths.bar, glyphs), "ewa")
    end = _VALUE + widths.bar + _WEIGHT
    canvas.put_right(end, y, short_percent_text(threshold.weight), text)
    if is_leader:
        canvas.put_right(end + _LEADER - 1, y, glyphs.leader, "ftl")
    if widths.has_error:
        error = "-" if threshold.error is None else f"{threshold.error:.1f}%"
        canvas.put_right(end + _LEADER + _ERROR, y, error, text)
    if widths.has_count:
        canvas.put_right(canvas.width, y, f"{threshold.subroutines:,}", text)


def _draw_what_is_left_out(canvas: Canvas, view: WeightsView, shown: range, top: int) -> None:
    """Says how many thresholds are above and below in the rows at the edge of the window."""
    above, below = range(shown.start + 1), range(shown.stop - 1, len(view.thresholds))
    for hidden, y, edge in ((above, top, above[-1]), (below, top + len(shown) - 1, below[0])):
        if len(hidden) > 1 and len(shown) >= 3 and edge not in (view.viewed, view.leader):
            where = "above" if hidden is above else "below"
            text = f" {canvas.glyphs.more} {len(hidden)} {where}"
            if view.leader is not None and view.leader in hidden:
                text += f", FTL {short_threshold_text(view.thresholds[view.leader].value)}"
            canvas.put(0, y, text.ljust(canvas.width), "muted")


def _draw_strip(canvas: Canvas, view: WeightsView, top: int) -> None:
    """The weights over time, one row a threshold."""
    glyphs, columns = canvas.glyphs, strip_columns(canvas.width)
    legend = " ".join(
        f"{shade} {limit:.0%}" for shade, limit in zip(glyphs.shades[1:], _LIMITS, strict=True)
    )
    canvas.put(1, top, "EWA weights over time", "muted")
    if canvas.width >= 24 + len(legend):
        canvas.put_right(canvas.width, top, legend, "muted")
    weights = fitted(view.over_time, columns, 0.0)
    for y, (threshold, row) in enumerate(zip(view.thresholds, weights, strict=True), top + 1):
        canvas.put(1, y, short_threshold_text(threshold.value), "label")
        canvas.put(_VALUE, y, shades(row, _LIMITS, glyphs), "ewa")
        if view.cursor is not None and 0 <= view.cursor < columns:
            canvas.put(_VALUE + view.cursor, y, glyphs.upright, "strong")


def weights_view(scene: Scene, columns: int) -> WeightsView:
    history = scene.history
    weights = history.weights(np.array([scene.moment]))[:, 0]
    subroutines = scene.point.subroutines[:, 0]
    thresholds = tuple(
        Threshold(
            value,
            float(weights[k]),
            float(scene.errors[history.place_of_threshold(k)]),
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
    return f"{short_threshold_text(scene.history.thresholds[scene.threshold])} in view"
