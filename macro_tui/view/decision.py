"""The active subroutine, and why it is the one."""

from __future__ import annotations

import numpy as np

from macro_engine.core.escape import visible
from macro_engine.core.format import count_text, short_threshold_text, time_text
from macro_engine.run.view import Situation
from macro_tui.view.nearest import NearestView
from macro_tui.view.rows import Row, fitting
from macro_tui.view.scene import Scene

_CLASSES_SHOWN = 4


def nearest_view(scene: Scene) -> NearestView:
    """The distances by which the last step before the moment in view was decided."""
    step, k = scene.step, scene.member
    pairs = tuple(
        (int(number), abs(float(distance)))
        for number, distance in zip(step.nearest[k], step.distances[k], strict=True)
        if number > 0
    )
    is_birth = bool(step.born[k])
    parent = scene.history.births[k][int(step.active[k]) - 1].parent if is_birth else 0
    listed = int(step.list_steps[k])
    limit = scene.history.limit(k, max(listed, 0))
    of_step = listed if 0 <= listed < step.step else None
    return NearestView(pairs, limit, int(step.active[k]), is_birth, parent or None, of_step)


def facts(scene: Scene, width: int) -> list[Row]:
    """Facts on the active subroutine and the situation, the most important first."""
    k, number = scene.member, int(scene.step.active[scene.member])
    rows = [
        _choice(scene, k, number),
        _standing(scene, k, number),
        _situation(scene),
        _life(scene, k, number),
        _elsewhere(scene),
    ]
    return [fitting(row, width) for row in rows]


def _choice(scene: Scene, k: int, number: int) -> Row:
    limit = short_threshold_text(scene.history.limit(k, scene.step.step))
    if scene.step.born[k]:
        birth = scene.history.births[k][number - 1]
        origin = f", a copy of #{birth.parent}" if birth.parent else ""
        return [(f"#{number} ", "birth"), (f"is new: none was within {limit}{origin}", "label")]
    close = int(scene.step.close[k])
    if not close:
        return [
            (f"#{number} ", "chosen"),
            (f"is the nearest, beyond {limit}; no more are born", "label"),
        ]
    which = f"the only one within {limit}" if close == 1 else f"nearest of {close} within {limit}"
    return [(f"#{number} ", "chosen"), (f"is active: {which}", "label")]


def _standing(scene: Scene, k: int, number: int) -> Row:
    usage = scene.history.usage(k, scene.moment)
    rows = int(usage.rows[number])
    if not rows:
        return [("no rows predicted yet", "muted")]
    own = 100 * int(usage.wrong[number]) / rows
    baseline = 100 * int(usage.marginal_wrong[number]) / rows
    better = own <= baseline
    return [
        (f"error {own:.1f}%", "good" if better else "bad"),
        (f", baseline {baseline:.1f}%", "muted"),
        (" on the same rows", "muted"),
    ]


def _life(scene: Scene, k: int, number: int) -> Row:
    usage = scene.history.usage(k, scene.moment)
    uses = int(usage.uses[number])
    born = scene.history.births[k][number - 1].step
    share = uses / max(scene.moment - usage.begin, 1)
    used = f", used {count_text(uses, 'step')} ({share:.0%})"
    when = f"counted from {usage.begin:,}" if born is None else f"born at {born:,}"
    row: Row = [(when, "muted"), (used, "muted")]
    if scene.is_now and scene.updates is not None and number <= len(scene.updates):
        row.append((f", learned {int(scene.updates[number - 1]):,}", "muted"))
    return row


def _situation(scene: Scene) -> Row:
    situation = scene.history.situation(scene.moment - 1, scene.member)
    if not situation.rows:
        return [("nothing was seen before it", "muted")]
    row: Row = [(f"{count_text(situation.rows, 'row')} before: ", "muted")]
    return row + _listed(label_shares(situation, scene.history.classes), "label")


def label_shares(situation: Situation, classes: tuple[str, ...]) -> list[str]:
    """The most frequent labels with their shares."""
    order = np.argsort(-situation.labels, kind="stable")[:_CLASSES_SHOWN].tolist()
    return [
        f"'{visible(classes[c], 12)}' {situation.labels[c] / situation.rows:.0%}" for c in order
    ]


def _elsewhere(scene: Scene) -> Row:
    """The active subroutines of the other members."""
    others = [
        f"#{number} at {name}"
        for k, (name, number) in enumerate(
            zip(scene.history.members, scene.step.active.tolist(), strict=True)
        )
        if k != scene.member
    ]
    return [("elsewhere ", "muted"), *_listed(others, "muted")] if others else []


def _listed(texts: list[str], role: str) -> Row:
    """A span each, so that the last ones can be left out."""
    return [(f", {text}" if i else text, role) for i, text in enumerate(texts)]


def about(scene: Scene) -> str:
    when = "" if scene.step.time is None else f", {time_text(scene.step.time)}"
    rows = count_text(scene.step.rows, "row")
    dropped = ", the first that is kept" if 0 < scene.history.first == scene.step.step else ""
    return f"step {scene.step.step:,}{when}, {rows}{dropped}"
