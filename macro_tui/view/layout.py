"""The layout of the panels on a screen of any size."""

from __future__ import annotations

from typing import NamedTuple

# by the keys that they are called with
PANELS = {
    1: "errors",
    2: "decision",
    3: "timeline",
    4: "weights",
    5: "events",
    6: "subroutines",
    7: "pending",
    8: "rejected",
}
_LEAST_OF_TWO = 7  # lines that each of two panels needs in the place of one
_AROUND_MEMBERS = 3  # lines of the timeline: its title, births and times


class Box(NamedTuple):
    x: int
    y: int
    width: int
    height: int


def is_small(width: int, height: int) -> bool:
    """Whether there is less room than the first four panels need; height is that for panels."""
    return width < 80 or height < 20


def panel_boxes(
    width: int,
    height: int,
    expanded: str | None = None,
    has_pending: bool = False,
    members: int = 8,
) -> dict[str, Box]:
    """The panels that are shown, each with its place in the room that is left for panels.

    Where rows wait for labels, that panel takes the place of the weights, or half of it. The
    timeline has a line for each member as far as there is room, and none that stays blank.
    """
    if expanded is not None:
        return {expanded: Box(0, 0, width, height)}
    boxes = _boxes(width, height, members + _AROUND_MEMBERS)
    if not has_pending or "weights" not in boxes:
        return boxes
    x, y, wide, high = boxes["weights"]
    if width < 110 or high < 2 * _LEAST_OF_TWO:
        boxes["pending"] = boxes.pop("weights")
        return boxes
    upper = high - high // 2
    boxes["weights"], boxes["pending"] = (
        Box(x, y, wide, upper),
        Box(x, y + upper, wide, high - upper),
    )
    return boxes


def _boxes(width: int, height: int, timeline: int) -> dict[str, Box]:
    """By the lines that the timeline would fill."""
    if is_small(width, height):
        return _stacked(width, height)
    if width >= 140 and height >= 40:
        return _large(width, height, timeline)
    if width >= 110 and height >= 25:
        return _medium(width, height, timeline)
    return _small(width, height, timeline)


def _stacked(width: int, height: int) -> dict[str, Box]:
    """As many panels as there is room for, one below the other."""
    chart = height if height < 12 else height - 6 if height < 18 else height - 12
    shown = {"errors": Box(0, 0, width, chart)}
    if height >= 12:
        shown["decision"] = Box(0, chart, width, 6)
    if height >= 18:
        shown["weights"] = Box(0, chart + 6, width, 6)
    return shown


def _small(width: int, height: int, timeline: int) -> dict[str, Box]:
    """80x24: the four main panels."""
    left = width - 31 - max(width - 80, 0) // 3
    bottom = min(timeline, 5 + (height - 20) // 4)
    middle = 5 + (height - 20) // 3
    top = height - middle - bottom
    return {
        "errors": Box(0, 0, left, top),
        "weights": Box(left + 1, 0, width - left - 1, top),
        "decision": Box(0, top, width, middle),
        "timeline": Box(0, top + middle, width, bottom),
    }


def _medium(width: int, height: int, timeline: int) -> dict[str, Box]:
    """120x30: events too."""
    left = width * 2 // 3
    bottom, middle = min(timeline, 6 + (height - 25) // 3), 8 + (height - 25) // 4
    top = height - middle - bottom
    return {
        "errors": Box(0, 0, left, top),
        "weights": Box(left + 1, 0, width - left - 1, top),
        "decision": Box(0, top, left, middle),
        "events": Box(left + 1, top, width - left - 1, middle),
        "timeline": Box(0, top + middle, width, bottom),
    }


def _large(width: int, height: int, timeline: int) -> dict[str, Box]:
    """160x50: everything."""
    left = width * 2 // 3
    bottom = min(timeline, 11 + max(height - 46, 0) // 2)
    top = (height - bottom) * 20 // 35
    middle = height - top - bottom
    decision = 7
    return {
        "errors": Box(0, 0, left, top),
        "weights": Box(left + 1, 0, width - left - 1, top),
        "decision": Box(0, top, left, decision),
        "subroutines": Box(0, top + decision, left, middle - decision),
        "events": Box(left + 1, top, width - left - 1, middle),
        "timeline": Box(0, top + middle, width, bottom),
    }
