"""What happened, newest at the bottom."""

from __future__ import annotations

from macro_engine.core.escape import visible
from macro_engine.core.format import time_text
from macro_engine.run.view import Event
from macro_tui.view.event_log import before_moment
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.listing import window
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene

_ROLES = {
    "birth": "birth",
    "growth": "bad",
    "leader": "ftl",
    "pull": "strategy",
    "alarm": "bad",
    "bookmark": "threshold",
    "rejected": "bad",
    "late": "bad",
    "gap": "bad",
}
_WIDE = 60


def picked_place(scene: Scene) -> int | None:
    """The place of the picked event among those shown; of the last one before a past moment."""
    if (picked := scene.view.event) is not None:
        for place, (number, _) in enumerate(scene.events):
            if number == picked:
                return place
    if scene.is_now:
        return None
    earlier = before_moment(scene.events, scene.moment)
    return earlier - 1 if earlier else None


def event_rows(scene: Scene, width: int, height: int, glyphs: Glyphs) -> list[Row]:
    if not scene.events:
        none = "no event passes the filter" if scene.view.filter else "nothing happened yet"
        return [[(none, "muted")]]
    picked = picked_place(scene)
    shown = window(len(scene.events), height, picked)
    return [
        _row(scene.events[i][1], width, glyphs.viewed if i == picked else " ", i == picked)
        for i in shown
    ]


def _row(event: Event, width: int, mark: str, is_picked: bool) -> Row:
    when = f"{event.step:>7,}"
    if width >= _WIDE and event.time is not None:
        when += f" {time_text(event.time)}"
    role = _ROLES.get(event.kind, "label")
    kind = f"{event.kind} " if event.kind in ("alarm", "bookmark") else ""
    text = visible(event.text, 300)
    return [
        (mark, "threshold"),
        (f"{when} ", "strong" if is_picked else "muted"),
        (kind, role if role != "label" else "muted"),
        (text, "strong" if is_picked else "label"),
    ]


def about(scene: Scene) -> str:
    chosen = f", '{visible(scene.view.filter, 20)}' only" if scene.view.filter else ""
    return f"{len(scene.events):,}{chosen}"
