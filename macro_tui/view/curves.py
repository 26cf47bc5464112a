"""The error rates as curves over time, with births of subroutines along the axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from macro_tui.view import raster
from macro_tui.view.axis import Bounds, settled, step, tick_text, ticks
from macro_tui.view.canvas import Canvas
from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.marks import Labels, put_births, put_x_labels
from macro_tui.view.raster import Floats, Stroke
from macro_tui.view.rows import Row

_LEFT = 6
_WIDE, _NARROW = 19, 13  # cells for the labels at the right edge
_ROWS_A_TICK = 4
_LEAST_SPAN = 1.0
_LIMITS = {"%": Bounds(0.0, 100.0), "points": Bounds(-100.0, 100.0)}
_NO_DATA = {"%": Bounds(0.0, 100.0), "points": Bounds(-1.0, 1.0)}

_ON, _OFF = (True,), (False,)
_STROKES = {  # in the order of Glyphs.curves
    "ftl": Stroke(),
    "ewa": Stroke(thickness=2),
    "marginal": Stroke(dashes=4 * _ON + 2 * _OFF),
    "no_change": Stroke(dashes=_ON + _OFF),
    "threshold": Stroke(dashes=2 * _ON + 2 * _OFF),
    "strategy": Stroke(dashes=6 * _ON + _OFF),
}
_ORDER = list(_STROKES)


def role_of(strategy: str) -> str:
    """The role of a strategy's curve; those of plug-ins share one."""
    return strategy if strategy in _STROKES else "strategy"


@dataclass(frozen=True)
class Series:
    """One curve: a value in % or points for each dot column, NaN where there is none."""

    name: str
    role: str  # one of `_STROKES`
    values: Floats
    now: float | None  # at the crosshair where there is one


@dataclass(frozen=True)
class CurvesView:
    """What the chart shows; columns count from the left edge of the plot, see `plot_columns`."""

    title: str
    series: tuple[Series, ...]  # the first lies on top
    births: NDArray[np.int64]  # new subroutines in each cell column
    x_labels: Labels
    unit: Literal["%", "points"]
    crosshair: int | None
    note: str


@dataclass(frozen=True)
class ChartAreas:
    """How the room is shared out: cells left and right of the plot, rows above and below."""

    left: int
    right: int
    columns: int
    top: int
    rows: int
    has_axis: bool
    has_x_labels: bool


def chart_areas(view: CurvesView, width: int, height: int) -> ChartAreas:
    left, right = margins(width)
    has_header = height >= 3 and bool(view.title or view.note or not right)
    has_axis, has_x_labels = height >= 5, height >= 6
    rows = max(height - has_header - has_axis - has_x_labels, 0)
    columns = plot_columns(width)
    return ChartAreas(left, right, columns, int(has_header), rows, has_axis, has_x_labels)


def plot_columns(width: int) -> int:
    """How many cells wide the plot of a chart of this width is; two dot columns fit in each."""
    left, right = margins(width)
    return max(width - left - right, 0)


def margins(width: int) -> tuple[int, int]:
    left = _LEFT if width >= 26 else 0
    right = _WIDE if width >= 72 else _NARROW if width >= 44 else 0
    return left, right


def bounds(view: CurvesView, before: Bounds | None) -> Bounds:
    """The range of the vertical axis, given the range of the frame before."""
    values = np.concatenate([np.zeros(0), *(series.values for series in view.series)])
    values = values[np.isfinite(values)]
    if not len(values):
        return before or _NO_DATA[view.unit]
    limits = _LIMITS[view.unit]
    if view.unit == "points":
        values = np.append(values, 0.0)
    low, high = np.clip((values.min(), values.max()), limits.low, limits.high).tolist()
    return settled(before, low, high, limits, _LEAST_SPAN)


def render(
    view: CurvesView, width: int, height: int, glyphs: Glyphs = UNICODE, y: Bounds | None = None
) -> list[Row]:
    """The chart as rows; y is the range to keep, by default that of the data."""
    canvas = Canvas(width, height, glyphs)
    areas = chart_areas(view, canvas.width, canvas.height)
    y = y or bounds(view, None)
    if areas.rows and areas.columns:
        _draw_y_axis(canvas, view, areas, y)
        _draw_crosshair(canvas, view, areas)
        _draw_curves(canvas, view, areas, y)
        _draw_initials(canvas, view, areas, y)
        _draw_x_axis(canvas, view, areas)
        if areas.right:
            _draw_end_labels(canvas, view, areas, y)
    _draw_header(canvas, view, areas)
    return canvas.rows()


def _draw_y_axis(canvas: Canvas, view: CurvesView, areas: ChartAreas, y: Bounds) -> None:
    most = max(areas.rows // _ROWS_A_TICK, min(areas.rows // 2, 4), 1)
    size = step(y.span, most)
    if areas.left:
        canvas.put_down(_LEFT - 1, areas.top, areas.top + areas.rows, canvas.glyphs.side, "axis")
    for value in ticks(y, most):
        row = areas.top + _row(value, y, areas.rows)
        if areas.left:
            canvas.put_right(_LEFT - 1, row, tick_text(value, size, view.unit), "muted")
            canvas.put(_LEFT - 1, row, canvas.glyphs.tick, "axis")
        if value == 0 and view.unit == "points":
            canvas.put(areas.left, row, canvas.glyphs.beyond * areas.columns, "axis")


def _draw_crosshair(canvas: Canvas, view: CurvesView, areas: ChartAreas) -> None:
    if view.crosshair is not None and 0 <= view.crosshair < areas.columns:
        x, bottom = areas.left + view.crosshair, areas.top + areas.rows
        canvas.put_down(x, areas.top, bottom, canvas.glyphs.upright, "strong")


def _draw_curves(canvas: Canvas, view: CurvesView, areas: ChartAreas, y: Bounds) -> None:
    values = _table(view, areas)
    size = (y.low, y.high, areas.columns, areas.rows)
    if canvas.glyphs.ascii:
        kinds = [_sample(series, canvas.glyphs) for series in view.series]
        cells = raster.letters(values, kinds, *size)
    else:
        cells = raster.braille(values, [_STROKES[s.role] for s in view.series], *size)
    roles: list[str] = [series.role for series in view.series]
    canvas.put_cells(areas.left, areas.top, cells.characters, cells.owners, roles)


def _table(view: CurvesView, areas: ChartAreas) -> Floats:
    columns = raster.ACROSS * areas.columns
    table = [raster.fitted(series.values, columns, np.nan) for series in view.series]
    return np.array(table, float).reshape(len(table), columns)


def _sample(series: Series, glyphs: Glyphs) -> str:
    """What the curve looks like, in one character."""
    return glyphs.curves[_ORDER.index(series.role)]


def _draw_initials(canvas: Canvas, view: CurvesView, areas: ChartAreas, y: Bounds) -> None:
    """The first letter of each name behind the last point of its curve, where that is free."""
    for series in view.series:
        known = np.flatnonzero(np.isfinite(series.values[: raster.ACROSS * areas.columns]))
        if len(known):
            column = int(known[-1]) // raster.ACROSS + 1
            row = areas.top + _row(float(series.values[known[-1]]), y, areas.rows)
            if column < areas.columns and canvas.is_blank(areas.left + column, row):
                canvas.put(areas.left + column, row, series.name[:1], series.role)


def _draw_x_axis(canvas: Canvas, view: CurvesView, areas: ChartAreas) -> None:
    if not areas.has_axis:
        return
    glyphs, row = canvas.glyphs, areas.top + areas.rows
    canvas.put(areas.left, row, glyphs.horizontal * areas.columns, "axis")
    if areas.left:
        canvas.put(_LEFT - 1, row, glyphs.corner, "axis")
    for column, _ in view.x_labels:
        if 0 <= column < areas.columns:
            canvas.put(areas.left + column, row, glyphs.mark, "axis")
    if areas.has_x_labels:
        put_x_labels(canvas, areas.left, areas.columns, row + 1, view.x_labels)
    put_births(canvas, areas.left, row, raster.fitted(view.births, areas.columns, 0))


def _draw_end_labels(canvas: Canvas, view: CurvesView, areas: ChartAreas, y: Bounds) -> None:
    """Each curve's kind, name and present value at the right edge, level with the value."""
    labelled = [(s, s.now) for s in view.series if s.now is not None and np.isfinite(s.now)]
    labelled = sorted(labelled[: areas.rows], key=lambda pair: -pair[1])
    wanted = [_row(now, y, areas.rows) for _, now in labelled]
    start, end = areas.left + areas.columns + 1, canvas.width
    for (series, now), row in zip(labelled, apart(wanted, areas.rows), strict=True):
        value = value_text(now, "" if view.unit == "%" and areas.right == _NARROW else view.unit)
        canvas.put(start, areas.top + row, _sample(series, canvas.glyphs), series.role)
        canvas.put(start + 2, areas.top + row, series.name, series.role)
        canvas.put_right(end, areas.top + row, f" {value:>4}", series.role)


def apart(wanted: list[int], rows: int) -> list[int]:
    """Rows as near to the wanted ones as can be, no two the same; both go from top to bottom.

    >>> apart([4, 4, 5], 6)
    [3, 4, 5]
    """
    placed: list[int] = []
    for i, row in enumerate(wanted):
        least = placed[-1] + 1 if placed else 0
        placed.append(min(max(row, least), rows - len(wanted) + i))
    return placed


def _draw_header(canvas: Canvas, view: CurvesView, areas: ChartAreas) -> None:
    """Title and note; values too under a crosshair, or where there is no room at the right."""
    if view.crosshair is not None:
        _put_values(canvas, view, [series.now for series in view.series], view.note)
    elif areas.top and not areas.right:
        _put_values(canvas, view, [series.now for series in view.series], view.title)
    elif areas.top:
        canvas.put_right(canvas.width, 0, view.note, "muted")
        canvas.put(0, 0, view.title + "  ", "strong")


def _put_values(canvas: Canvas, view: CurvesView, values: list[float | None], about: str) -> None:
    """Names and values, then what they are about; initials where names do not fit."""
    names = [series.name for series in view.series]
    texts = [f"{n} {value_text(v, view.unit)}  " for n, v in zip(names, values, strict=True)]
    if len("".join(texts).rstrip()) > canvas.width:
        texts = [
            f"{n[:1]} {value_text(v, view.unit.strip('%'))} "
            for n, v in zip(names, values, strict=True)
        ]
    x = 0
    for series, text in zip(view.series, texts, strict=True):
        canvas.put(x, 0, text, series.role)
        x += len(text)
    if x + len(about) <= canvas.width:
        canvas.put(x, 0, about + " ", "strong")


def value_text(value: float | None, unit: str) -> str:
    """A value with one decimal: with a sign for points, with % for shares.

    >>> value_text(31.24, "%"), value_text(2.0, "points"), value_text(None, "%")
    ('31.2%', '+2.0', '-')
    """
    if value is None or not np.isfinite(value):
        return "-"
    return f"{value:{'+' if unit == 'points' else ''}.1f}{'%' if unit == '%' else ''}"


def _row(value: float, y: Bounds, rows: int) -> int:
    """The cell row of a value: that of its dot."""
    share = min(max((y.high - value) / y.span, 0.0), 1.0)
    return round(share * (raster.DOWN * rows - 1)) // raster.DOWN
