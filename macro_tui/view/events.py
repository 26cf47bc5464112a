"""The contents of the events panel."""

from __future__ import annotations

import re
from textwrap import wrap

from macro_engine.core.escape import visible
from macro_engine.core.format import time_text
from macro_engine.run.view import Event
from macro_tui.view.event_log import BIRTH, NOTE, TROUBLE, before_moment, severity
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.listing import visible_range
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene

_ROLES = {TROUBLE: "bad", BIRTH: "birth", NOTE: "muted"}
_OWN_ROLES = {"leader": "ftl", "pull": "strategy", "bookmark": "threshold"}
_WORDS = {TROUBLE: "trouble", BIRTH: "a birth", NOTE: "a note"}
_WIDE = 60
_ON_THE_WALL = re.compile(r"^\d{4}-\d\d-\d\d (\d\d:\d\d):\d\d ")
_ROOM = 72  # cells of the text on a screen of its own
_LONGEST = 4_000


def picked_place(scene: Scene) -> int | None:
    """The place of the picked event in the list; of the last one before a past moment."""
    picked = scene.view.event
    if picked is None and not scene.is_now:
        earlier = before_moment(scene.events, scene.moment)
        picked = scene.events[earlier - 1][0] if earlier else None
    return next((i for i, (number, _) in enumerate(scene.listed) if number == picked), None)


def events_shown(scene: Scene, height: int) -> range:
    """The places in the list that there is room for."""
    picked = picked_place(scene)
    if picked is None and scene.listed is scene.ranked:
        picked = 0  # what matters most stands at the top
    return visible_range(len(scene.listed), height, picked)


def event_rows(scene: Scene, width: int, height: int, glyphs: Glyphs) -> list[Row]:
    """Returns a row for each event; on the whole screen long texts wrap."""
    if not scene.listed:
        none = "no event matches the filter" if scene.view.filter else "nothing happened yet"
        return [[(none, "muted")]]
    picked = picked_place(scene)
    return [
        _row(scene.listed[i][1], width, glyphs, i == picked) for i in events_shown(scene, height)
    ]


def _row(event: Event, width: int, glyphs: Glyphs, is_picked: bool) -> Row:
    when = f"{event.step:>7,}"
    if width >= _WIDE and event.time is not None:
        when += f" {time_text(event.time)}"
    level = severity(event)
    role = _OWN_ROLES.get(event.kind, _ROLES[level])
    sign = {TROUBLE: "!", BIRTH: glyphs.one_birth}.get(level, " ")
    text = event.text
    if width < _WIDE and event.kind == "source":  # what happened needs the room more than the day
        text = _ON_THE_WALL.sub(r"\1 ", text)
    kind = f"{event.kind} " if event.kind in ("alarm", "bookmark") else ""
    return [
        (glyphs.viewed if is_picked else " ", "threshold"),
        (sign, role),
        (f"{when} ", "strong" if is_picked else "muted"),
        (kind, role),
        (visible(text, 300), "strong" if is_picked else "label"),
    ]


def whole_event(event: Event) -> list[Row]:
    """All of an event, for a screen of its own."""
    level = severity(event)
    when = "" if event.time is None else f", {time_text(event.time)} in the stream"
    rows: list[Row] = [
        [(f"{_WORDS[level]}, {event.kind}", _ROLES[level] if level != NOTE else "strong")],
        [(f"step {event.step:,}{when}", "label")],
        [],
    ]
    lines = wrap(visible(event.text, _LONGEST), _ROOM) or [""]
    return rows + [[(line, "strong")] for line in lines]


def about(scene: Scene) -> str:
    chosen = f", '{visible(scene.view.filter, 20)}' only" if scene.view.filter else ""
    trouble = sum(severity(event) == TROUBLE for _, event in scene.events)
    loud = f", {trouble:,} trouble" if trouble else ""
    return f"{len(scene.events):,}{loud}{chosen}; {scene.view.event_order} (o)"
