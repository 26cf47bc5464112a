"""The additional contents of an expanded panel."""

from __future__ import annotations

import numpy as np

from macro_engine.core.format import count_text, series_title
from macro_tui.view import events, subroutines
from macro_tui.view.cells import in_room
from macro_tui.view.curves import role_of
from macro_tui.view.roles import NAMED, named_role
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene
from macro_tui.view.viewport import WINDOWS

_NAME, _CELL = 12, 11
_SHORT_NAME, _SHORT_CELL = 10, 9  # where words follow


def errors_by_window(scene: Scene) -> list[Row]:
    """Below the chart: the error of every series over windows and since the start."""
    history, moment = scene.history, np.array([scene.moment])
    shown = [(series_title(name), role_of(name), name) for name in history.strategies]
    shown += [("baseline", "marginal", "marginal"), ("no-change", "no_change", "no_change")]
    headings = [f"last {window:,}" for window in WINDOWS] + ["all steps"]
    values = [100 * history.errors(moment, window)[:, 0] for window in (*WINDOWS, None)]
    rows: list[Row] = [[(_line("error, steps", headings), "muted")]]
    for title, role, name in shown:
        line = history.index(name)
        rows.append([(_line(title, [_percent(found[line]) for found in values]), role)])
    return rows


def choices_of_members(scene: Scene) -> list[Row]:
    """Below the decision: what every threshold chose, how far that was, and what it was like."""
    history, step = scene.history, scene.step
    headings = ["chose", "distance", "inside", "of"]
    rows: list[Row] = [[(_short_line("threshold", headings), "muted")]]
    for k, name in enumerate(history.short_members):
        number, distance = int(step.active[k]), float(step.distance[k])
        far = "new" if step.born[k] else f"{distance:.3f}" if np.isfinite(distance) else "-"
        cells = [f"#{number}", far, f"{int(step.close[k]):,}", f"{int(step.subroutines[k]):,}"]
        role = "strong" if k == scene.member else "label"
        situation = history.situation_at_birth(k, number)
        rows.append([(_short_line(name, cells), role), (f"  {situation}", "muted")])
    return rows


def named_in_words(scene: Scene) -> list[Row]:
    """Below the timeline: a description of the named subroutines."""
    usage, k = scene.usage, scene.member
    points = usage.points(scene.macro)
    named = [n for n in scene.history.most_used(k, NAMED) if n < len(usage.uses)]
    headings = ["steps", "of all", "of lead", "born at"]
    rows: list[Row] = [[], [(_short_line("", headings), "muted")]]
    for place, number in enumerate(named):
        uses = int(usage.uses[number])
        share = uses / max(scene.moment - usage.begin, 1)
        born = scene.history.births[k][number - 1].step
        since = "dropped" if born is None else f"{born:,}"
        cells = [f"{uses:,}", f"{share:.1%}", f"{float(points[number]):+z.2f}", since]
        situation = scene.history.situation_at_birth(k, number)
        role = named_role(place, True)
        rows.append([(_short_line(f"#{number}", cells), role), (f"  {situation}", "muted")])
    return rows


def subroutine_in_words(scene: Scene) -> list[Row]:
    """Below the table: what the picked subroutine is, in words."""
    number = subroutines.picked_number(scene)
    birth = scene.history.births[scene.member][number - 1]
    origin = f"a copy of #{birth.parent}" if birth.parent else "with nothing learned"
    when = "before the first step that is kept" if birth.step is None else f"at {birth.step:,}"
    situation = scene.history.situation_at_birth(scene.member, number) or "not known any more"
    learned = ""
    if scene.updates is not None and number <= len(scene.updates):
        learned = f"; learned in {count_text(int(scene.updates[number - 1]), 'step')} until now"
    return [
        [],
        [(f" #{number} ", "strong"), (f"born {when}, {origin}{learned}", "label")],
        [(f" its situation then: {situation}", "label")],
    ]


def event_in_words(scene: Scene) -> list[Row]:
    """Below the list: the whole text of the picked event, or of the first."""
    if not scene.listed:
        return []
    place = events.picked_place(scene)
    if place is None:
        place = 0 if scene.listed is scene.ranked else len(scene.listed) - 1
    return [[], *events.whole_event(scene.listed[place][1])]


def _line(title: str, cells: list[str], name: int = _NAME, width: int = _CELL) -> str:
    return f" {in_room(title, name):<{name}}" + "".join(f"{cell:>{width}}" for cell in cells)


def _short_line(title: str, cells: list[str]) -> str:
    return _line(title, cells, _SHORT_NAME, _SHORT_CELL)


def _percent(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.1f}%"
