"""The details of one subroutine: its history, what it learned, when it was used."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.core.escape import visible
from macro_engine.core.format import count_text, time_text
from macro_engine.run.view import MEANS, Birth, Parameters
from macro_tui.view.bars import bar, sparks
from macro_tui.view.cells import in_room
from macro_tui.view.comparison import lead_text
from macro_tui.view.decision import YOUNG
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene
from macro_tui.view.subroutines import lines, use_strips

_STRIP = 64
_LARGEST = 16
_BAR = 20


def details(scene: Scene, number: int, known: Parameters | None, glyphs: Glyphs) -> list[Row]:
    return [
        *_life(scene, number),
        [],
        *_use(scene, number, glyphs),
        [],
        *_parameters(scene, known, glyphs),
    ]


def _life(scene: Scene, number: int) -> list[Row]:
    line = next(line for line in lines(scene) if line.number == number)
    value = scene.history.members[scene.member]
    birth = scene.history.births[scene.member][number - 1]
    rows: list[Row] = [
        [(f"subroutine #{number} at threshold {value}", "strong")],
        [(_birth(scene, birth), "label")],
        [(f"active in {count_text(line.uses, 'step')}, {line.share:.1%} of all", "label")],
    ]
    if line.error is not None and line.baseline is not None:
        role = "good" if line.error <= line.baseline else "bad"
        errors = f"error {line.error:.1f}%, baseline {line.baseline:.1f}% on the same rows"
        rows.append([(errors, role)])
        rows.append([(lead_text(line.error, line.baseline), role)])
        earned = f"its steps earned {line.points:+z.2f} points of the lead"
        rows.append([(earned, "good" if line.points >= 0 else "bad")])
    if situation := scene.history.situation_at_birth(scene.member, number):
        rows.append([(f"its situation, before it was born: {situation}", "label")])
    if scene.updates is not None and number <= len(scene.updates):
        steps = int(scene.updates[number - 1])
        young = "young: " if steps < YOUNG else ""
        rows.append([(f"{young}learned in {count_text(steps, 'step')} until now", "label")])
    return rows


def _birth(scene: Scene, birth: Birth) -> str:
    if birth.step is None or birth.step < scene.history.first:
        return f"born before step {scene.history.first:,}, the first that is kept"
    time = scene.history.moment(birth.step).time
    when = "" if time is None else f" ({time_text(time)})"
    return f"born at step {birth.step:,}{when}, {_origin(birth)}"


def _origin(birth: Birth) -> str:
    if not birth.parent:
        return "with nothing learned"
    far = "infinitely far" if math.isinf(birth.distance) else f"{birth.distance:.3f} away"
    return f"a copy of #{birth.parent}, {far}"


def _use(scene: Scene, number: int, glyphs: Glyphs) -> list[Row]:
    shown = scene.page_of(_STRIP)
    strip = sparks(use_strips(scene, [number], _STRIP)[0], glyphs)
    labels = scene.labels(shown)
    axis = ""
    for column, text in labels:
        if len(axis) <= column <= _STRIP - len(text):  # those that would meet are left out
            axis = f"{axis:<{column}}{text} "
    return [
        [("when it was used", "muted")],
        [(strip.ljust(_STRIP), "chosen")],
        [(glyphs.horizontal * _STRIP, "axis")],
        [(axis, "muted")],
    ]


def _parameters(scene: Scene, known: Parameters | None, glyphs: Glyphs) -> list[Row]:
    """The largest numbers by column, as of the newest step whatever is looked at."""
    if known is None:
        return [[("what it learned cannot be shown for this kind of subroutine", "muted")]]
    classes = scene.history.titles
    rows: list[Row] = []
    for model, values in enumerate(np.atleast_2d(known.values)):
        name = classes[model if len(known.values) > 1 else -1]
        what = "mean" if known.kind == MEANS else "weights towards"
        rows.append([(f"{what} '{visible(name, 20)}', as of the newest step", "muted")])
        rows += _largest(known, values, glyphs)
        if len(known.intercepts) > model:
            rows.append([(f"  {'intercept':<24} {known.intercepts[model]:+8.3f}", "label")])
    return rows


def _largest(known: Parameters, values: np.ndarray, glyphs: Glyphs) -> list[Row]:
    order = np.argsort(-np.abs(values), kind="stable")[:_LARGEST].tolist()
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    return [
        [
            (f"  {in_room(known.columns[i], 24):<24} {values[i]:+8.3f} ", "label"),
            (bar(abs(values[i]) / largest, _BAR, glyphs), "good" if values[i] >= 0 else "bad"),
        ]
        for i in order
    ]
