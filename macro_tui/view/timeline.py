"""The whole run: which subroutine was active when, and when new ones were born."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.format import count_text
from macro_tui.view.bars import sparks
from macro_tui.view.canvas import Canvas
from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.marks import Labels, put_births, put_x_labels
from macro_tui.view.raster import fitted
from macro_tui.view.roles import subroutine_role
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene

LABEL = 5  # cells for the name of a member, at least


@dataclass(frozen=True)
class TimelineView:
    """The run in cell columns, see `timeline_columns`; one row of the arrays for a member."""

    members: tuple[str, ...]
    viewed: int  # which member
    active: NDArray[np.int64]  # the subroutine's number, 0 before there was one
    births: NDArray[np.int64]
    head: int  # the column up to which the engine has come
    view: int  # the column that is looked at
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
    """A row for every member, or for the one in view and the births of all; then a ruler."""
    canvas = Canvas(width, height, glyphs)
    left = left_margin(canvas.width, label_width(view.members))
    columns = max(canvas.width - left, 0)
    if not view.members or not columns:
        return canvas.rows()
    births = fitted(view.births, columns, 0)
    shown = _shown(view, canvas.height)
    for y, index in enumerate(shown):
        _draw_member(canvas, y, left, view, index, births[index])
    ruler = len(shown)
    if len(shown) < len(view.members) and canvas.height >= 4:
        _draw_births(canvas, ruler, left, births.sum(axis=0))
        ruler += 1
    _draw_ruler(canvas, ruler, left, view)
    if not shown:
        put_births(canvas, left, ruler, births[view.viewed])
    put_x_labels(canvas, left, columns, ruler + 1, view.x_labels)
    return canvas.rows()


def _shown(view: TimelineView, height: int) -> list[int]:
    """The members that get a row of their own."""
    if height >= len(view.members) + 2:
        return list(range(len(view.members)))
    return [view.viewed] if height >= 2 else []


def _draw_member(
    canvas: Canvas, y: int, left: int, view: TimelineView, index: int, births: NDArray[np.int64]
) -> None:
    columns = len(births)
    if left:
        is_viewed = index == view.viewed
        canvas.put(0, y, canvas.glyphs.viewed if is_viewed else " ", "threshold")
        canvas.put(1, y, view.members[index], "strong" if is_viewed else "label")
    for start, end, number in runs(fitted(view.active[index], columns, 0)):
        role = subroutine_role(number)
        fill = canvas.glyphs.fills[number % len(canvas.glyphs.fills)]
        canvas.put(left + start, y, fill * (end - start), role)
        label, begin = f"#{number}", start + int(births[start] > 0)
        free = int(np.argmax(np.append(births[begin:end], 1) > 0))
        if len(label) < free:
            canvas.put(left + begin, y, label, role)
    put_births(canvas, left, y, births)
    if view.view != view.head and 0 <= view.view < columns:
        canvas.put(left + view.view, y, canvas.glyphs.side, "strong")


def runs(numbers: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Stretches of the same number other than 0: first column, column behind the last, number.

    >>> list(runs(np.array([0, 4, 4, 7])))
    [(1, 3, 4), (3, 4, 7)]
    """
    cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    for start, end in pairwise(cuts):
        if start < end and numbers[start]:
            yield start, end, int(numbers[start])


def _draw_births(canvas: Canvas, y: int, left: int, births: NDArray[np.int64]) -> None:
    """How many were born in each column for all members together."""
    if left:
        canvas.put(0, y, "births", "muted")
    canvas.put(left, y, sparks(births, canvas.glyphs), "birth")


def _draw_ruler(canvas: Canvas, y: int, left: int, view: TimelineView) -> None:
    """Solid up to the head, with the head and the view on it."""
    glyphs, columns = canvas.glyphs, max(canvas.width - left, 0)
    head = min(max(view.head, 0), columns - 1)
    canvas.put(left, y, glyphs.horizontal * head + glyphs.beyond * (columns - head), "axis")
    canvas.put(left + head, y, glyphs.head, "good")
    if view.view != view.head and 0 <= view.view < columns:
        canvas.put(left + view.view, y, glyphs.view, "strong")


def timeline_view(scene: Scene, columns: int) -> TimelineView:
    """The run in columns."""
    history = scene.history
    shown = scene.page_of(columns)
    points = history.at(np.minimum(shown.edges, scene.steps))
    active = np.where(shown.begins < scene.steps, points.active[:, 1:], 0)
    return TimelineView(
        history.short_members,
        scene.member,
        active,
        np.diff(points.subroutines, axis=1),
        shown.column(scene.steps),
        shown.column(scene.moment),
        scene.labels(shown),
    )


def about(scene: Scene) -> str:
    count = int(scene.point.subroutines[scene.member, 0])
    value = scene.history.short_members[scene.member]
    return f"who was active when, and births; {count_text(count, 'subroutine')} at {value}"
