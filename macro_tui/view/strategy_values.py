"""The values that strategies show beside their answers: pulls, filters, and any number."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from macro_engine.core.escape import visible
from macro_engine.core.format import series_title, short_percent_text
from macro_engine.run.view import PART_NAMES, PULL, TURNING
from macro_tui.view.bars import bar, legend_of, shades
from macro_tui.view.canvas import Canvas
from macro_tui.view.cells import in_room
from macro_tui.view.curves import role_of
from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.raster import Floats, fitted
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene

_LABEL = 14  # cells for the name of a part
_PERCENT = 5
_LIMITS = (0.02, 0.15, 0.4, 0.7)
_LEAST_METER = 3
_ROLES = ("label", "muted")  # of a name, and of a heading


@dataclass(frozen=True)
class Pull:
    """The pulls of one strategy: names of parts and their shares; the shares over time, a row each.

    `turning` is how much its fast filter leads, from 0 to 1; None where it has none.
    """

    strategy: str
    parts: tuple[str, ...]
    shares: tuple[float, ...]
    turning: float | None
    over_time: Floats


@dataclass(frozen=True)
class StrategyValuesView:
    """The pulls of strategies, and other values that they name."""

    pulls: tuple[Pull, ...]
    values: tuple[tuple[str, str, float], ...]  # strategy, name, value
    cursor: int | None = None  # the column of the moment in view


def strip_columns(width: int) -> int:
    """How many columns of shares over time fit in a picture of this width."""
    return max(width - _LABEL - 2, 0)


def render(
    view: StrategyValuesView, width: int, height: int, glyphs: Glyphs = UNICODE
) -> list[Row]:
    canvas = Canvas(width, height, glyphs)
    y = 0
    for pull in view.pulls:
        y = _draw_pull(canvas, y, pull)
    y = _draw_values(canvas, y, view.values)
    for pull in view.pulls:
        if y + 2 + len(pull.parts) <= height:
            y = _draw_strip(canvas, y + 1, pull, view.cursor)
    return canvas.rows()


def _draw_pull(canvas: Canvas, y: int, pull: Pull) -> int:
    """The parts as bars, then the filter that leads; returns the row below."""
    end = canvas.width
    room = max(end - _LABEL - 2 - _PERCENT, 0)
    if canvas.height > len(pull.parts):
        canvas.put(1, y, f"what pulls {series_title(pull.strategy)}", "muted")
        canvas.put_right(end, y, "pull", "muted")
        y += 1
    for name, share in zip(pull.parts, pull.shares, strict=True):
        role = "strong" if share == max(pull.shares) > 0 else "label"
        canvas.put(1, y, name, role)
        canvas.put(_LABEL + 2, y, bar(share, room, canvas.glyphs), role_of(pull.strategy))
        canvas.put_right(end, y, short_percent_text(share), role)
        y += 1
    if pull.turning is not None and not math.isnan(pull.turning):
        _draw_meter(canvas, y, pull.turning)
        y += 1
    return y


def _draw_meter(canvas: Canvas, y: int, turning: float) -> None:
    """Which filter leads: the slow one in a steady stream, the fast one in one that turns."""
    steady, turns = "steady ", " turning"
    length = canvas.width - 2 - len(steady) - len(turns)
    if length < _LEAST_METER:
        canvas.put(1, y, "turning" if turning > 0.5 else "steady", "strong")
        return
    place = round(min(max(turning, 0.0), 1.0) * (length - 1))
    canvas.put(1, y, steady, "label" if turning > 0.5 else "strong")
    canvas.put(1 + len(steady), y, canvas.glyphs.horizontal * length, "axis")
    canvas.put(1 + len(steady) + place, y, canvas.glyphs.head, "strategy")
    canvas.put(1 + len(steady) + length, y, turns, "strong" if turning > 0.5 else "label")


def _draw_values(canvas: Canvas, y: int, values: tuple[tuple[str, str, float], ...]) -> int:
    """A table of names and values, as many as fit; returns the row below."""
    room, lines = canvas.height - y, _value_lines(values, canvas.width)
    shown = lines if len(lines) <= room else lines[: max(room - 1, 0)]
    for name, number in shown:
        canvas.put(1, y, in_room(name, canvas.width - 2 - len(number)), _ROLES[not number])
        canvas.put_right(canvas.width, y, number, "strong")
        y += 1
    left = sum(bool(number) for _, number in lines[len(shown) :])
    if left and room > 0:
        canvas.put(1, y, f"{canvas.glyphs.more} {left} more", "muted")
        y += 1
    return y


def _value_lines(values: tuple[tuple[str, str, float], ...], width: int) -> list[tuple[str, str]]:
    """Names and numbers; below the name of each strategy where that leaves no room beside them."""
    numbers = [_number_text(value) for _, _, value in values]
    lines = [
        (f"{series_title(strategy)} {name}", number)
        for (strategy, name, _), number in zip(values, numbers, strict=True)
    ]
    if all(len(name) + len(number) + 2 <= width for name, number in lines):
        return lines
    lines, before = [], ""
    for (strategy, name, _), number in zip(values, numbers, strict=True):
        if strategy != before:
            lines.append((f"what {series_title(strategy)} shows", ""))
        lines.append((name, number))
        before = strategy
    return lines


def _number_text(value: float) -> str:
    """A value in at most four digits.

    >>> _number_text(12345.678), _number_text(0.25), _number_text(float("nan"))
    ('1.235e+04', '0.25', '-')
    """
    return "-" if math.isnan(value) else f"{value:.4g}"


def _draw_strip(canvas: Canvas, y: int, pull: Pull, cursor: int | None) -> int:
    """The shares over time, one row a part; returns the row below."""
    columns = strip_columns(canvas.width)
    heading = f"what pulls {series_title(pull.strategy)} over time"
    canvas.put(1, y, heading, "muted")
    legend = legend_of(_LIMITS, canvas.glyphs)
    if canvas.width >= len(heading) + len(legend) + 3:
        canvas.put_right(canvas.width, y, legend, "muted")
    rows = fitted(pull.over_time, columns, 0.0)
    for name, row in zip(pull.parts, rows, strict=True):
        y += 1
        canvas.put(1, y, name, "label")
        canvas.put(_LABEL + 2, y, shades(row, _LIMITS, canvas.glyphs), role_of(pull.strategy))
        if cursor is not None and 0 <= cursor < columns:
            canvas.put(_LABEL + 2 + cursor, y, canvas.glyphs.upright, "strong")
    return y + 1


def strategy_values_view(scene: Scene, columns: int) -> StrategyValuesView:
    names, now = scene.history.names, scene.point.shown[:, 0]
    shown = scene.page_of(columns)
    known = shown.begins < scene.steps
    points = scene.history.at(np.minimum(shown.edges[1:][known], scene.steps)).shown
    pulls = []
    for strategy, lines in names.lines_of(PULL).items():
        turning = names.lines_of(TURNING).get(strategy)
        over_time = np.zeros((len(lines), columns))
        over_time[:, known] = _shares(points[lines])
        pulls.append(
            Pull(
                strategy,
                tuple(part_text(names.shown[i].part) for i in lines),
                tuple(_shares(now[lines]).tolist()),
                float(now[turning[0]]) if turning else None,
                over_time,
            )
        )
    drawn = {(pull.strategy, thing) for pull in pulls for thing in (PULL, TURNING)}
    values = tuple(
        (one.strategy, visible(f"{one.thing} {one.part}".strip(), 40), float(now[i]))
        for i in names.shown_apart
        if ((one := names.shown[i]).strategy, one.thing) not in drawn
    )
    return StrategyValuesView(
        tuple(pulls), values, None if scene.is_now else shown.column(scene.moment)
    )


def pull_of_macro(scene: Scene, strategy: str) -> float | None:
    """The share of MACRO in what pulls a strategy at the moment in view; None where unknown."""
    names = scene.history.names
    lines = names.lines_of(PULL).get(strategy, [])
    shares = _shares(scene.point.shown[lines, 0])
    for i, share in zip(lines, shares.tolist(), strict=True):
        if names.shown[i].part == "macro" and shares.sum() > 0:
            return float(share)
    return None


def about(scene: Scene) -> str:
    """Who pulls most, for the title."""
    names, now = scene.history.names, scene.point.shown[:, 0]
    said = []
    for strategy, lines in names.lines_of(PULL).items():
        shares = _shares(now[lines])
        if shares.sum() > 0:
            most = part_text(names.shown[lines[int(shares.argmax())]].part)
            said.append(f"{series_title(strategy)}: {most} most")
    return "; ".join([*said, "v: thresholds"])


def part_text(part: str) -> str:
    """A part as panels write it."""
    return PART_NAMES.get(part) or in_room(part, _LABEL)


def _shares(pulls: Floats) -> Floats:
    """Each pull's share in the sum over the parts; 0 where nothing pulls."""
    pulls = np.maximum(np.nan_to_num(pulls, posinf=0.0), 0.0)
    total = pulls.sum(axis=0)
    shares: Floats = pulls / np.where(total > 0, total, 1.0)
    return shares
