"""Ensembles whose labels come late, step by step: the plain definition of `Ensemble.run_late`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from macro_engine.algorithm.ensemble import OpenStep
from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.core.rows import Rows
from macro_engine.strategies import Completion


def unlabelled(rows):
    columns, units = rows.columns, rows.units
    return Rows(rows.numbers, rows.slots, np.full(len(rows), -1), columns, rows.raw, units)


@dataclass
class ClosedStep:
    """A step of which no more rows come, with all that was said of it."""

    opened: Any
    result: FamilyResult
    forecasts: Any
    lines: Any
    answers: dict
    last: int


def close_step(ensemble, rows):
    """Open a step, predict its rows as they come, and close it."""
    family = ensemble.family
    step = family.step
    opened = OpenStep(ensemble, family.open(), step)
    for i in range(len(rows)):
        opened.predict(rows.cut(i, i + 1))
    forecasts, lines = opened.forecasts(rows)
    answers = ensemble.answers(forecasts)
    for strategy in ensemble.strategies:
        strategy.close(forecasts, answers[strategy.name])
    result = FamilyResult.empty(len(family.members), len(lines), 1, 0)
    family._write_down(0, opened.family, result)
    result.predictions = lines
    return ClosedStep(opened.family, result, forecasts, lines, answers, ensemble.no_change.last)


def complete_step(ensemble, closed, labels):
    """The labels of a closed step are known, or -1 where one never came."""
    rows = closed.forecasts.rows.labelled(labels)
    completion = Completion(closed.forecasts, labels)
    for strategy in ensemble.strategies:
        strategy.complete(completion, closed.answers[strategy.name])
    if ensemble.earned is not None and not ensemble.family.always_has_probabilities:
        ensemble.earned.learn(closed.lines[:, labels >= 0], rows.labels)
    ensemble.no_change.complete(rows.labels, closed.last)
    ensemble.family.complete(closed.opened, rows)
    wrong = ensemble._count_wrong(closed.forecasts.members, labels, closed.forecasts.starts)
    return ensemble._block_result(closed.result, completion, closed.answers, wrong)


def played(ensemble, block, before, labels):
    """The outcomes of all steps, one each; `before[s]` are complete when step s opens."""
    waiting, outcomes = [], []
    for s in range(block.steps):
        while len(outcomes) < before[s]:
            outcomes.append(complete_step(ensemble, *waiting.pop(0)))
        span = slice(block.starts[s], block.starts[s + 1])
        waiting.append((close_step(ensemble, unlabelled(block.step(s))), labels[span]))
    return outcomes + [complete_step(ensemble, *step) for step in waiting]
