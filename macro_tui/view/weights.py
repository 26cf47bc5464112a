"""The contents of the weights panel: members, weights, leader, errors and subroutines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from macro_engine.core.format import series_title, short_percent_text
from macro_tui.view.bars import bar, legend_of, shades
from macro_tui.view.canvas import Canvas
from macro_tui.view.curves import role_of
from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.raster import Floats, fitted
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene, leader
from macro_tui.view.timeline import LABEL, label_width

_WEIGHT = 5  # " 100%"
_LEADER = 4
_LONGEST_LEADER = 6  # characters of a heading
_ERROR, _COUNT = 7, 6
_LEAST_BAR = 6  # where there is room for the number of subroutines too
_SHORTEST_BAR = 3
_LEAST_STRIP = 3  # members whose weights are worth a picture over time
_LIMITS = (0.02, 0.15, 0.4, 0.7)


@dataclass(frozen=True)
class MemberRow:
    """One member: its share of the weight, its error in % and its number of subroutines."""

    name: str
    weight: float
    error: float | None
    subroutines: int


@dataclass(frozen=True)
class WeightsView:
    """All members; `over_time` holds their weights, a row each, a value a cell column.

    `leader` is None where there is none, `over_time` where no strategy shows weights. `leading` and
    `weighing` are the strategies that show them.
    """

    members: tuple[MemberRow, ...]
    leader: int | None
    viewed: int
    over_time: Floats | None  # see `strip_columns`
    leading: str
    weighing: str
    cursor: int | None = None  # the column of the moment in view

    @property
    def left(self) -> int:
        """Cells for a marker, a name and a blank."""
        return label_width([member.name for member in self.members]) + 2

    @property
    def leader_title(self) -> str:
        """The strategy that follows the leader; of a longer name what the mark means."""
        title = series_title(self.leading)
        return title if len(title) <= _LONGEST_LEADER else "leads"


@dataclass(frozen=True)
class ColumnWidths:
    """The widths of names, bars and the mark of the leader, and which columns there is room for."""

    left: int
    bar: int
    leader: int
    has_error: bool
    has_count: bool


def column_widths(width: int, left: int = LABEL + 2, leader: int = _LEADER) -> ColumnWidths:
    free = width - left - _WEIGHT - leader
    has_error = free - _ERROR >= _SHORTEST_BAR
    has_count = has_error and free - _ERROR - _COUNT >= _LEAST_BAR
    bar = max(free - _ERROR * has_error - _COUNT * has_count, 0)
    return ColumnWidths(left, bar, leader, has_error, has_count)


def strip_columns(width: int, label: int = LABEL) -> int:
    """How many columns of weights over time fit in a picture of this width."""
    return max(width - label - 2, 0)


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
    count = len(view.members)
    if not count or not height:
        return canvas.rows()
    widths = column_widths(width, view.left, max(len(view.leader_title) + 1, _LEADER))
    top = int(_has_heading(count, height))
    if top:
        _draw_heading(canvas, view, widths)
    leader = view.viewed if view.leader is None else view.leader
    shown = window(count, height - top, view.viewed, leader)
    for y, index in enumerate(shown, top):
        _draw_member(canvas, y, view, index, widths)
    _draw_what_is_left_out(canvas, view, shown, top)
    room = height - top - count - 2  # below a blank line and the strip's heading
    if view.over_time is not None and room >= min(count, _LEAST_STRIP):
        strip = window(count, room, view.viewed, leader)
        _draw_strip(canvas, view, view.over_time, top + count + 1, strip)
    return canvas.rows()


def _has_heading(count: int, height: int) -> bool:
    return height > min(count, 3)


def member_at(scene: Scene, y: int, height: int) -> int | None:
    """The member in a line of the picture."""
    count = len(scene.history.members)
    top = int(_has_heading(count, height))
    led = leader(scene.point) if scene.history.names.leading else scene.member
    shown = window(count, height - top, scene.member, led)
    return shown[y - top] if top <= y < top + len(shown) else None


def _draw_heading(canvas: Canvas, view: WeightsView, widths: ColumnWidths) -> None:
    end = widths.left + widths.bar + _WEIGHT
    room, title = widths.bar + _WEIGHT, series_title(view.weighing)
    both = f"{title} weight"
    weight = both if room >= len(both) + 4 else title if room > len(title) + 1 else "weight"
    canvas.put(1, 0, "threshold", "muted")
    if view.over_time is not None:
        canvas.put_right(end, 0, f" {weight}", "muted")
    if view.leader is not None:
        canvas.put_right(end + widths.leader, 0, view.leader_title, "muted")
    if widths.has_error:
        canvas.put_right(end + widths.leader + _ERROR, 0, "error", "muted")
    if widths.has_count:
        canvas.put_right(canvas.width, 0, "subs", "muted")


def _draw_member(
    canvas: Canvas, y: int, view: WeightsView, index: int, widths: ColumnWidths
) -> None:
    glyphs, member = canvas.glyphs, view.members[index]
    is_viewed, is_leader = index == view.viewed, index == view.leader
    text = "strong" if is_viewed else "label"
    canvas.put(0, y, glyphs.viewed if is_viewed else " ", "threshold")
    canvas.put(1, y, member.name, text)
    end = widths.left + widths.bar + _WEIGHT
    if view.over_time is not None:
        canvas.put(widths.left, y, bar(member.weight, widths.bar, glyphs), role_of(view.weighing))
        canvas.put_right(end, y, short_percent_text(member.weight), text)
    if is_leader:
        canvas.put_right(end + widths.leader - 1, y, glyphs.leader, role_of(view.leading))
    if widths.has_error:
        error = "-" if member.error is None else f"{member.error:.1f}%"
        canvas.put_right(end + widths.leader + _ERROR, y, error, text)
    if widths.has_count:
        canvas.put_right(canvas.width, y, f"{member.subroutines:,}", text)


def _draw_what_is_left_out(canvas: Canvas, view: WeightsView, shown: range, top: int) -> None:
    """Says how many members are above and below in the rows at the edge of the window."""
    above, below = range(shown.start + 1), range(shown.stop - 1, len(view.members))
    for hidden, y, edge in ((above, top, above[-1]), (below, top + len(shown) - 1, below[0])):
        if len(hidden) > 1 and len(shown) >= 3 and edge not in (view.viewed, view.leader):
            where = "above" if hidden is above else "below"
            text = f" {canvas.glyphs.more} {len(hidden)} {where}"
            if view.leader is not None and view.leader in hidden:
                text += f", {view.leader_title} {view.members[view.leader].name}"
            canvas.put(0, y, text.ljust(canvas.width), "muted")


def _draw_strip(
    canvas: Canvas, view: WeightsView, over_time: Floats, top: int, shown: range
) -> None:
    """The weights over time, one row a member."""
    glyphs, left = canvas.glyphs, view.left
    columns = max(canvas.width - left, 0)
    legend = legend_of(_LIMITS, glyphs)
    heading = f"{series_title(view.weighing)} weights over time"
    canvas.put(1, top, heading, "muted")
    if canvas.width >= len(heading) + len(legend) + 3:
        canvas.put_right(canvas.width, top, legend, "muted")
    weights = fitted(over_time, columns, 0.0)
    for y, index in enumerate(shown, top + 1):
        canvas.put(1, y, view.members[index].name, "label")
        canvas.put(left, y, shades(weights[index], _LIMITS, glyphs), role_of(view.weighing))
        if view.cursor is not None and 0 <= view.cursor < columns:
            canvas.put(left + view.cursor, y, glyphs.upright, "strong")


def weights_view(scene: Scene, columns: int) -> WeightsView:
    history = scene.history
    weights = history.weights(np.array([scene.moment]))
    subroutines = scene.point.subroutines[:, 0]
    members = tuple(
        MemberRow(
            name,
            0.0 if weights is None else float(weights[k, 0]),
            float(scene.errors[history.index_of_member(k)]),
            int(subroutines[k]),
        )
        for k, name in enumerate(history.short_members)
    )
    shown = scene.page_of(columns)
    known = shown.begins < scene.steps
    over_time = None
    found = history.weights(np.minimum(shown.edges[1:][known], scene.steps))
    if found is not None:
        over_time = np.zeros((len(members), columns))
        over_time[:, known] = found
    cursor = None if scene.is_now else shown.column(scene.moment)
    leading, weighing = history.names.leading, history.names.weighing
    led = leader(scene.point) if leading else None
    return WeightsView(members, led, scene.member, over_time, leading, weighing, cursor)


def about(scene: Scene) -> str:
    more = "; v: what strategies show" if scene.history.names.shown_apart else ""
    return f"{scene.history.short_members[scene.member]} in view{more}"
