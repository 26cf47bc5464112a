"""The contents of the decision panel: the active subroutine, and why it was chosen."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.core.format import count_text, short_threshold_text, time_text
from macro_engine.run.view import Situation, situation_text
from macro_tui.view.nearest import NearestView
from macro_tui.view.rows import Row, fitting
from macro_tui.view.scene import Scene

_CLASSES_SHOWN = 4
YOUNG = 30  # steps: who has learned fewer is called young


def nearest_view(scene: Scene) -> NearestView:
    """The distances by which the last step before the moment in view was decided."""
    step, k = scene.step, scene.member
    active, limit = int(step.active[k]), scene.history.limit(k, step.step)
    is_birth, listed = bool(step.born[k]), int(step.list_steps[k])
    pairs = [
        (int(number), abs(float(distance)))
        for number, distance in zip(step.nearest[k], step.distances[k], strict=True)
        if number > 0 and math.isfinite(limit)
    ]
    of_step = None
    if listed != step.step and math.isfinite(limit):
        others = [pair for pair in pairs if pair[0] != active]
        pairs = [(active, float(step.distance[k])), *others]
        of_step = listed if others else None
    parent = scene.history.births[k][active - 1].parent if is_birth else 0
    close = 0 if is_birth else int(step.close[k])
    return NearestView(tuple(pairs), close, limit, active, is_birth, parent or None, of_step)


def facts(scene: Scene, width: int) -> list[Row]:
    """Facts on the active subroutine and the situation, the most important first."""
    k, number = scene.member, int(scene.step.active[scene.member])
    rows = [
        _choice(scene, k, number),
        _situation(scene, k, number),
        _standing(scene, number),
        _life(scene, k, number),
        _elsewhere(scene),
    ]
    return [
        fitting(row, width, least=2) if not i else fitting(row, width) for i, row in enumerate(rows)
    ]


def _choice(scene: Scene, k: int, number: int) -> Row:
    threshold = scene.history.limit(k, scene.step.step)
    limit = short_threshold_text(threshold)
    if math.isinf(threshold):
        return [(f"#{number} ", "chosen"), ("is active, as always: inf is the baseline", "label")]
    if scene.step.born[k]:
        birth = scene.history.births[k][number - 1]
        origin = f", a copy of #{birth.parent}" if birth.parent else ""
        return [(f"#{number} ", "birth"), (f"is new: none was inside {limit}{origin}", "label")]
    close = int(scene.step.close[k])
    if not close:
        return [
            (f"#{number} ", "chosen"),
            (f"is the nearest, outside {limit}; no more are born", "label"),
        ]
    which = f"the only one inside {limit}" if close == 1 else f"nearest of {close} inside {limit}"
    return [(f"#{number} ", "chosen"), (f"is active: {which}", "label")]


def _situation(scene: Scene, k: int, number: int) -> Row:
    """What its situation was when it was born, and what is now."""
    row: Row = []
    if at_birth := scene.history.situation_at_birth(k, number):
        row.append((f"its situation: {at_birth}", "label"))
    now = scene.history.situation(scene.moment - 1, k)
    if not now.rows:
        return row or [("nothing was seen before it", "muted")]
    row.append((f"{'; now' if row else 'now'} {_labels(now, scene.history.titles)}", "label"))
    return [*row, (f" of {count_text(now.rows, 'row')}", "muted")]


def _standing(scene: Scene, number: int) -> Row:
    usage = scene.usage
    rows = int(usage.rows[number])
    if not rows:
        return [("no rows predicted yet", "muted")]
    own = 100 * int(usage.wrong[number]) / rows
    baseline = 100 * int(usage.marginal_wrong[number]) / rows
    better = own <= baseline
    points = float(usage.points(scene.macro)[number])
    return [
        (f"error {own:.1f}%", "good" if better else "bad"),
        (f", baseline {baseline:.1f}%", "muted"),
        (f"; earned {points:+z.2f} points", "good" if points >= 0 else "bad"),
        (" on the same rows", "muted"),
    ]


def _life(scene: Scene, k: int, number: int) -> Row:
    usage = scene.usage
    uses = int(usage.uses[number])
    born = scene.history.births[k][number - 1].step
    share = uses / max(scene.moment - usage.begin, 1)
    when = f"counted from {usage.begin:,}" if born is None else f"born at {born:,}"
    used = f"used in {uses:,} ({share:.0%})"
    if not scene.is_now or scene.updates is None or number > len(scene.updates):
        return [(f"{used}, {when}", "muted")]
    learned = int(scene.updates[number - 1])
    words = f"learned in {count_text(learned, 'step')}"
    if learned < YOUNG:
        return [(f"young: {words}", "birth"), (f", {used}", "muted"), (f", {when}", "muted")]
    return [(words, "label"), (f", {used}", "muted"), (f", {when}", "muted")]


def _labels(situation: Situation, titles: tuple[str, ...]) -> str:
    """The most frequent labels with their shares; of a rule what it asks for."""
    order = np.argsort(-situation.labels, kind="stable")[:_CLASSES_SHOWN].tolist()
    shares = [(c, int(situation.labels[c]) / situation.rows) for c in order]
    return situation_text(shares, titles)


def _elsewhere(scene: Scene) -> Row:
    """The active subroutines of the other members."""
    others = [
        f"#{number} at {name}"
        for k, (name, number) in enumerate(
            zip(scene.history.members, scene.step.active.tolist(), strict=True)
        )
        if k != scene.member
    ]
    return [("other thresholds chose ", "muted"), *_listed(others, "muted")] if others else []


def _listed(texts: list[str], role: str) -> Row:
    """A span each, so that the last ones can be left out."""
    return [(f", {text}" if i else text, role) for i, text in enumerate(texts)]


def about(scene: Scene) -> str:
    when = "" if scene.step.time is None else f", {time_text(scene.step.time)}"
    rows = count_text(scene.step.rows, "row")
    dropped = ", the first that is kept" if 0 < scene.history.first == scene.step.step else ""
    return f"step {scene.step.step:,}{when}, {rows}{dropped}"
