"""The contents of the timeline: active subroutines over time, and births."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from macro_tui.view.axis_labels import Labels, put_births, put_x_labels
from macro_tui.view.canvas import Canvas
from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.listing import visible_range
from macro_tui.view.raster import fitted
from macro_tui.view.roles import NAMED, named_role
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene

LABEL = 5  # cells for the name of a member, at least
_CLEARLY = 0.5  # the share of a column's steps from which on it is not faint


@dataclass(frozen=True)
class TimelineView:
    """The run in cell columns, see `timeline_columns`; one row of the arrays for a member.

    Attributes
    ----------
    named
        For each member its most used subroutines, which have signs of their own.
    active, shares
        The subroutine that was active in most steps of a column, 0 before there was one, and in
        what share of them.
    births
        New subroutines of the member in view.
    head, view
        The columns up to which the run has come, and that is looked at.
    """

    members: tuple[str, ...]
    viewed: int
    named: tuple[tuple[int, ...], ...]
    active: NDArray[np.int64]
    shares: NDArray[np.float64]
    births: NDArray[np.int64]
    head: int
    view: int
    x_labels: Labels


def label_width(members: Sequence[str]) -> int:
    """Cells for the names of members."""
    return max(LABEL, *map(len, members), 0)


def timeline_columns(width: int, label: int = LABEL) -> int:
    """How many columns of the run fit in a picture of this width."""
    return max(width - left_margin(width, label), 0)


def left_margin(width: int, label: int = LABEL) -> int:
    """Room for a marker, a name and a blank, where there is any."""
    return label + 2 if width >= label + 25 else 0


def render(view: TimelineView, width: int, height: int, glyphs: Glyphs = UNICODE) -> list[Row]:
    """As many members as fit around the one in view; then a lane of births, and labels."""
    canvas = Canvas(width, height, glyphs)
    left = left_margin(canvas.width, label_width(view.members))
    columns = max(canvas.width - left, 0)
    if not view.members or not columns:
        return canvas.rows()
    has_labels = canvas.height >= 3
    shown = visible_range(len(view.members), canvas.height - 1 - has_labels, view.viewed)
    for y, index in enumerate(shown):
        _draw_member(canvas, y, left, view, index)
    lane = len(shown)
    if left:
        canvas.put(0, lane, "births", "muted")
    _draw_ruler(canvas, lane, left, view)
    put_births(canvas, left, lane, fitted(view.births, columns, 0))
    if has_labels:
        put_x_labels(canvas, left, columns, lane + 1, view.x_labels)
    return canvas.rows()


def _draw_member(canvas: Canvas, y: int, left: int, view: TimelineView, index: int) -> None:
    columns = max(canvas.width - left, 0)
    if left:
        is_viewed = index == view.viewed
        canvas.put(0, y, canvas.glyphs.viewed if is_viewed else " ", "threshold")
        canvas.put(1, y, view.members[index], "strong" if is_viewed else "label")
    active = fitted(view.active[index], columns, 0)
    places = places_among(active, view.named[index])
    is_clear = fitted(view.shares[index], columns, 0.0) >= _CLEARLY
    cuts = np.flatnonzero(np.diff(2 * places + is_clear)) + 1
    for start, end in pairwise([0, *cuts.tolist(), columns]):
        if active[start]:
            place = int(places[start])
            sign = sign_of(place, canvas.glyphs) * (end - start)
            canvas.put(left + start, y, sign, named_role(place, bool(is_clear[start])))
    if view.view != view.head and 0 <= view.view < columns:
        canvas.put(left + view.view, y, canvas.glyphs.side, "strong")


def places_among(active: NDArray[np.int64], named: Sequence[int]) -> NDArray[np.int64]:
    """The place of each number among the named ones; `NAMED` for any other, -1 for 0.

    >>> places_among(np.array([0, 4, 9, 7]), [4, 7])
    array([-1,  0,  5,  1])
    """
    places = np.full(len(active), NAMED)
    for place, number in enumerate(named):
        places[active == number] = place
    places[active == 0] = -1
    return places


def sign_of(place: int, glyphs: Glyphs) -> str:
    """Returns the sign of the subroutine at an index; the last one is for all others."""
    return glyphs.fills[place] if place < NAMED else glyphs.other


def _draw_ruler(canvas: Canvas, y: int, left: int, view: TimelineView) -> None:
    """Solid up to the head, with the head and the view on it."""
    glyphs, columns = canvas.glyphs, max(canvas.width - left, 0)
    head = min(max(view.head, 0), columns - 1)
    canvas.put(left, y, glyphs.horizontal * head + glyphs.beyond * (columns - head), "axis")
    canvas.put(left + head, y, glyphs.head, "strong")
    if view.view != view.head and 0 <= view.view < columns:
        canvas.put(left + view.view, y, glyphs.view, "strong")


def timeline_view(scene: Scene, columns: int) -> TimelineView:
    """The run in columns."""
    history = scene.history
    shown = scene.page_of_activity(columns)
    active, shares = history.most_active(shown.edges, scene.steps)
    points = history.at(np.minimum(shown.edges, scene.steps))
    named = tuple(tuple(history.most_used(k, NAMED)) for k in range(len(history.members)))
    return TimelineView(
        history.short_members,
        scene.member,
        named,
        active,
        shares,
        np.diff(points.subroutines[scene.member]),
        shown.column(scene.steps),
        shown.column(scene.moment),
        scene.labels(shown),
    )


def heading(scene: Scene) -> str:
    return f"MACRO: who was active, at {scene.history.short_members[scene.member]}"


def legend(view: TimelineView, glyphs: Glyphs) -> Row:
    """The signs of the member in view, a span each."""
    named = view.named[view.viewed]
    row = [
        (f" {sign_of(place, glyphs)} #{number}", named_role(place, True))
        for place, number in enumerate(named)
    ]
    is_other = places_among(view.active[view.viewed], named) == NAMED
    return [*row, (f" {glyphs.other} other", "muted")] if is_other.any() else row
