"""Errors or leads as curves over time, with births of subroutines along the axis."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macro_tui.view import raster
from macro_tui.view.axis import LEADS, Bounds, settled, step, tick_text, ticks
from macro_tui.view.axis_labels import Labels, put_births, put_x_labels
from macro_tui.view.canvas import Canvas
from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.raster import Floats, Stroke
from macro_tui.view.rows import Row

_LEFT = 7
_ROWS_A_TICK = 3
_ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
_MOST_TICKS = 10  # of points
_BOTH = 4  # rows from which on there are two above zero, so that both sides have their names
_BETTER, _WORSE = "better", "worse"
_LARGEST_LOSS = 14.0  # nats: that of a probability of a millionth
_LIMITS = {
    "%": Bounds(0.0, 100.0),
    "points": Bounds(-100.0, 100.0),
    "nats": Bounds(0.0, _LARGEST_LOSS),
    "nats ahead": Bounds(-_LARGEST_LOSS, _LARGEST_LOSS),
}
_NO_DATA = {
    "%": Bounds(0.0, 100.0),
    "points": Bounds(-1.0, 1.0),
    "nats": Bounds(0.0, 1.0),
    "nats ahead": Bounds(-0.1, 0.1),
}
_LEAST_SPAN = {"%": 1.0, "points": 1.0, "nats": 0.05, "nats ahead": 0.02}
_DECIMALS = {"nats": 3, "nats ahead": 3}  # elsewhere one

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


Unit: TypeAlias = Literal["%", "points", "nats", "nats ahead"]


def role_of(strategy: str) -> str:
    """The role of a strategy's curve; those of plug-ins share one."""
    return strategy if strategy in _STROKES else "strategy"


@dataclass(frozen=True)
class Series:
    """One curve: a value in the view's unit for each dot column, NaN where there is none."""

    name: str
    role: str  # one of `_STROKES`
    values: Floats
    now: float | None  # at the crosshair where there is one


@dataclass(frozen=True)
class CurvesView:
    """The contents of the chart; columns count from the left edge, see `plot_columns`.

    Attributes
    ----------
    series
        In the order of the legend; the first lies on top. Of leads, the first is an area.
    births
        New subroutines in each cell column.
    note
        Stands at the right of the legend.
    steady
        The first dot column whose values are no more those of a start.
    of
        What the values are: that of another gets a range of its own.
    """

    series: tuple[Series, ...]
    births: NDArray[np.int64]
    x_labels: Labels
    unit: Unit
    crosshair: int | None
    note: str
    steady: int = 0
    of: str = ""

    @property
    def is_area(self) -> bool:
        """Whether the first series is filled from zero."""
        return self.unit in LEADS

    @property
    def is_steady(self) -> bool:
        """Whether there are values that are no more those of a start."""
        return any(np.isfinite(series.values[self.steady :]).any() for series in self.series)


@dataclass(frozen=True)
class ChartAreas:
    """The areas of the chart: cells left of the plot, rows above and below."""

    left: int
    columns: int
    top: int
    rows: int
    has_axis: bool
    has_x_labels: bool


def chart_areas(view: CurvesView, width: int, height: int) -> ChartAreas:
    has_legend = height >= 3 and bool(view.series or view.note)
    has_axis, has_x_labels = height >= 5, height >= 6
    rows = max(height - has_legend - has_axis - has_x_labels, 0)
    return ChartAreas(
        left_margin(width), plot_columns(width), int(has_legend), rows, has_axis, has_x_labels
    )


def plot_columns(width: int) -> int:
    """How many cells wide the plot of a chart of this width is; two dot columns fit in each."""
    return max(width - left_margin(width), 0)


def left_margin(width: int) -> int:
    return _LEFT if width >= 26 else 0


def bounds(view: CurvesView, before: Bounds | None) -> Bounds:
    """The range of the vertical axis, given the range of the frame before.

    The values of the start are left out of it once there are others.
    """
    first = view.steady if view.is_steady else 0
    values = np.concatenate([np.zeros(0), *(series.values[first:] for series in view.series)])
    values = values[np.isfinite(values)]
    if not len(values):
        return before or _NO_DATA[view.unit]
    limits = _LIMITS[view.unit]
    if view.is_area:
        values = np.append(values, 0.0)
    low, high = np.clip((values.min(), values.max()), limits.low, limits.high).tolist()
    return settled(before, low, high, limits, _LEAST_SPAN[view.unit])


@dataclass(frozen=True)
class Zero:
    """Where zero is: below so many rows, of which each is worth a unit; `below` rows follow.

    Every so many rows there is a tick.
    """

    above: int
    below: int
    unit: float
    every: int = 1

    @property
    def bounds(self) -> Bounds:
        return Bounds(-self.below * self.unit, self.above * self.unit)


def zero_of(y: Bounds, rows: int) -> Zero:
    """Moves the range so that zero is the edge between two rows, and ticks are round values.

    >>> zero_of(Bounds(-2.0, 7.0), 6), zero_of(Bounds(-0.5, 0.5), 16).unit
    (Zero(above=5, below=1, unit=2.0, every=1), 0.075)
    """
    low, high = max(-y.low, 0.0), max(y.high, 0.0)
    if rows < 2:
        return Zero(rows, 0, max(high, low) or 1.0)
    every = -(-rows // _MOST_TICKS)
    least = 2 if rows >= _BOTH else 1
    above = min(max(round(rows * high / ((low + high) or 1.0)), least), rows - 1)
    unit = max(high / above, low / (rows - above)) or 1.0
    return Zero(above, rows - above, _round(every * unit) / every, every)


def _round(value: float) -> float:
    """The least round value that is not below a value.

    >>> _round(2.2), _round(0.31)
    (2.5, 0.4)
    """
    power = 10.0 ** math.floor(math.log10(value))
    found = (f * power for f in _ROUND if f * power >= value * 0.999999)
    return round(next(found, 10 * power), 10)


def render(
    view: CurvesView, width: int, height: int, glyphs: Glyphs = UNICODE, y: Bounds | None = None
) -> list[Row]:
    """The chart as rows; y is the range to keep, by default that of the data."""
    canvas = Canvas(width, height, glyphs)
    areas = chart_areas(view, canvas.width, canvas.height)
    y = y or bounds(view, None)
    if areas.rows and areas.columns:
        lines, bottom = view, areas.top + areas.rows
        if areas.left:
            canvas.put_down(_LEFT - 1, areas.top, bottom, glyphs.side, "axis")
        if view.is_area:
            zero = zero_of(y, areas.rows)
            y, lines = zero.bounds, replace(view, series=view.series[1:])
            _draw_area(canvas, view, areas, zero)
            if areas.left:
                _draw_y_axis_of_points(canvas, areas, zero)
        elif areas.left:
            _draw_y_axis(canvas, view, areas, y)
        _draw_crosshair(canvas, view, areas)
        if lines.series:
            _draw_curves(canvas, lines, areas, y)
            _draw_initials(canvas, lines, areas, y)
        _draw_x_axis(canvas, view, areas)
    if areas.top:
        _draw_legend(canvas, view)
    return canvas.rows()


def _draw_area(canvas: Canvas, view: CurvesView, areas: ChartAreas, zero: Zero) -> None:
    """The first series, filled from zero, and the line of zero."""
    if zero.above:
        sign = "_" if canvas.glyphs.ascii else canvas.glyphs.bars[1]
        line = sign * areas.columns
        canvas.put(areas.left, areas.top + zero.above - 1, line, "axis")
    for series in view.series[:1]:
        values = raster.fitted(series.values, raster.ACROSS * areas.columns, np.nan)
        cells = raster.filled(values, zero.unit, zero.above, zero.below)
        codes = cells.characters
        if canvas.glyphs.ascii:
            codes = raster.by_weight(codes, canvas.glyphs.area)
        canvas.put_cells(areas.left, areas.top, codes, cells.owners, ["good", "bad"])


def _draw_y_axis(canvas: Canvas, view: CurvesView, areas: ChartAreas, y: Bounds) -> None:
    most = max(areas.rows // _ROWS_A_TICK, min(areas.rows // 2, 4), 1)
    size = step(y.span, most)
    for value in ticks(y, most):
        row = areas.top + _row(value, y, areas.rows)
        canvas.put_right(_LEFT - 1, row, tick_text(value, size, view.unit), "muted")
        canvas.put(_LEFT - 1, row, canvas.glyphs.tick, "axis")


def _draw_y_axis_of_points(canvas: Canvas, areas: ChartAreas, zero: Zero) -> None:
    """The value of the lower edge of a row beside it; which side is better at the ends."""
    size = _decimals(zero.every * zero.unit)
    for place in range(-zero.below, zero.above):
        row = areas.top + zero.above - 1 - place
        if place % zero.every == 0:
            text = tick_text(place * zero.unit, size, "points")
            canvas.put_right(_LEFT - 1, row, text, "muted")
            canvas.put(_LEFT - 1, row, canvas.glyphs.tick, "axis")
    if zero.above > 1:
        canvas.put(0, areas.top, f"{_BETTER:>{_LEFT - 1}}", "good")
    if zero.below:
        canvas.put(0, areas.top + areas.rows - 1, f"{_WORSE:>{_LEFT - 1}}", "bad")


def _decimals(unit: float) -> float:
    """A step whose decimals show multiples of a unit.

    >>> _decimals(2.5), _decimals(2.0)
    (0.1, 1.0)
    """
    power = 10.0 ** math.floor(math.log10(unit))
    return power if math.isclose(unit / power, round(unit / power)) else power / 10


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


def _draw_legend(canvas: Canvas, view: CurvesView) -> None:
    """Each curve's kind, name and value, in one order; then the note, where there is room."""
    for is_short in (False, True):
        texts = [_legend_text(view, series, canvas.glyphs, is_short) for series in view.series]
        if len("".join(texts).rstrip()) <= canvas.width:
            break
    x = 0
    for i, (series, text) in enumerate(zip(view.series, texts, strict=True)):
        canvas.put(x, 0, text, _legend_role(series, view.is_area and not i))
        x += len(text)
    if x + len(view.note) <= canvas.width:
        canvas.put_right(canvas.width, 0, view.note, "strong")


def _legend_text(view: CurvesView, series: Series, glyphs: Glyphs, is_short: bool) -> str:
    is_area = view.is_area and series is view.series[0]
    sample = glyphs.area[-1] if is_area else _sample(series, glyphs)
    if is_short:
        return f"{series.name[:1]} {value_text(series.now, view.unit.strip('%'))} "
    return f"{sample} {series.name} {value_text(series.now, view.unit)}  "


def _legend_role(series: Series, is_area: bool) -> str:
    if is_area:
        return "bad" if series.now is not None and series.now < 0 else "good"
    return series.role


def value_text(value: float | None, unit: str) -> str:
    """A value with one decimal, log loss with three; with a sign for leads, with % for shares.

    >>> value_text(31.24, "%"), value_text(-0.01, "points"), value_text(None, "%")
    ('31.2%', '+0.0', '-')
    """
    if value is None or not np.isfinite(value):
        return "-"
    sign, decimals = "+z" if unit in LEADS else "", _DECIMALS.get(unit, 1)
    return f"{value:{sign}.{decimals}f}{'%' if unit == '%' else ''}"


def _row(value: float, y: Bounds, rows: int) -> int:
    """The cell row of a value: that of its dot."""
    share = min(max((y.high - value) / y.span, 0.0), 1.0)
    return round(share * (raster.DOWN * rows - 1)) // raster.DOWN
