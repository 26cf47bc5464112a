"""The distances of the nearest subroutines against the threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from macro_engine.core.format import short_threshold_text
from macro_tui.view.bars import bar
from macro_tui.view.canvas import Canvas
from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.rows import Row

_NUMBER, _DISTANCE = 6, 7
_MOST = 5
_TIMES = 3.0  # the threshold is the length of the bars
_WORDS = 10  # cells for `inside` or `outside`, and a mark
_MARK = 3  # cells for the mark of the active one
_WIDE = 28  # cells from which on there is room for those words


@dataclass(frozen=True)
class NearestView:
    """Numbers and distances of the nearest subroutines, and which one was active.

    A distance may be infinite, and NaN where it is not known. The first `inside` of them are inside
    the threshold: distances are kept in three digits, which do not tell on which side of it one
    lies that is nearly equal. `copy_of` is the subroutine that a newborn one was copied from, None
    for one that started with nothing. `of_step` is the earlier step whose distances these are,
    where those of the step itself are not kept; that of the active one is always of the step.
    """

    nearest: tuple[tuple[int, float], ...]
    inside: int
    threshold: float
    active: int | None
    is_birth: bool
    copy_of: int | None
    of_step: int | None = None


def words(view: NearestView) -> str:
    """What was decided, in a sentence."""
    limit = short_threshold_text(view.threshold)
    if view.active is None:
        return "no subroutine yet"
    if math.isinf(view.threshold):
        return "one subroutine learns every step: there is nothing to choose"
    if view.is_birth:
        origin = "" if view.copy_of is None else f" as a copy of #{view.copy_of}"
        return f"none inside {limit}: #{view.active} was started{origin}"
    if view.of_step is not None:
        return f"earlier: as of step {view.of_step:,}"
    if not view.nearest:
        return "its distances are not kept"
    if not view.inside:
        return f"#{view.active} is the nearest, outside {limit}"
    return f"#{view.active} is the nearest inside {limit}"


def render(view: NearestView, width: int, height: int, glyphs: Glyphs = UNICODE) -> list[Row]:
    """Bars on one scale, the threshold as a line across them, then the decision in words."""
    canvas = Canvas(width, height, glyphs)
    nearest = view.nearest[:_MOST]
    sentence = wrap(words(view), max(canvas.width, 1))
    must_say = view.is_birth or view.of_step is not None
    room = max(canvas.height - len(sentence) if must_say else canvas.height, 0)
    has_scale = room >= 3 and bool(nearest) and math.isfinite(view.threshold)
    top = int(has_scale)
    shown = nearest[: room - top]
    scale = _scale(view.threshold, shown)
    for place in range(len(shown)):
        _draw_distance(canvas, top + place, place, view, scale)
    _draw_threshold(canvas, top, top + len(shown), view.threshold, scale)
    for y, (_, distance) in enumerate(shown, top):
        if not math.isfinite(distance):
            unknown = "not known" if math.isnan(distance) else "infinite"
            start, length = _bars(canvas)
            if len(unknown) < length + _MARK or canvas.width < _WIDE:  # or words would touch
                canvas.put(start, y, f"{unknown} ", "muted")
    if must_say or top + len(shown) + len(sentence) <= canvas.height:
        for y, line in enumerate(sentence, top + len(shown)):
            canvas.put(0, y, line, "birth" if view.is_birth else "muted")
    return canvas.rows()


def _scale(threshold: float, shown: Sequence[tuple[int, float]]) -> float:
    """The distance at the right end of the bars; without a threshold the largest there is."""
    if math.isfinite(threshold) and threshold > 0:
        return _TIMES * threshold
    return max(filter(math.isfinite, (distance for _, distance in shown)), default=0.0) or 1.0


def _bars(canvas: Canvas) -> tuple[int, int]:
    """Where the bars begin, and how long they may be."""
    start = _NUMBER + _DISTANCE if canvas.width >= 20 else _NUMBER
    return start, max(canvas.width - start - (_WORDS if canvas.width >= _WIDE else 2), 0)


def _draw_distance(canvas: Canvas, y: int, place: int, view: NearestView, scale: float) -> None:
    number, distance = view.nearest[place]
    glyphs, is_active = canvas.glyphs, number == view.active
    role = "chosen" if is_active else "label"
    start, length = _bars(canvas)
    canvas.put_right(_NUMBER - 1, y, f"#{number}", role)
    if start > _NUMBER:
        canvas.put(_NUMBER, y, distance_text(distance, glyphs), role)
    if math.isfinite(distance):
        canvas.put(start, y, bar(distance / scale, length, glyphs), role if is_active else "muted")
    if is_active:
        canvas.put(start + length, y, glyphs.active, "chosen")
    if canvas.width >= _WIDE and not math.isnan(distance):
        is_earlier = view.of_step is not None and not is_active
        side = "inside" if place < view.inside else "outside"
        canvas.put(start + length + _MARK, y, "earlier" if is_earlier else side, role)


def distance_text(distance: float, glyphs: Glyphs = UNICODE) -> str:
    if math.isnan(distance):
        return "?"
    return f"{distance:.3f}" if math.isfinite(distance) else glyphs.infinite


def _draw_threshold(canvas: Canvas, top: int, bottom: int, threshold: float, scale: float) -> None:
    """The line across the bars, its value above them; an infinite threshold has none."""
    if not math.isfinite(threshold) or top == bottom:
        return
    start, length = _bars(canvas)
    x = start + int(threshold / scale * length)
    canvas.put_down(x, top, bottom, canvas.glyphs.upright, "threshold")
    text = f"{canvas.glyphs.upright} {short_threshold_text(threshold)}"
    canvas.put(min(x, canvas.width - len(text)), top - 1, text, "threshold")
