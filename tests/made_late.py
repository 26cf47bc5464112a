"""Ensembles whose labels come late, step by step: the plain definition of `Ensemble.run_late`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from macro_engine.algorithm.ensemble import OpenStep
from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.algorithm.to_steps import to_steps
from macro_engine.core.rows import Block, Rows
from macro_engine.core.steps import Steps
from macro_engine.core.totals import Totals
from macro_engine.strategies import Completion


def unlabelled(rows):
    columns, units = rows.columns, rows.units
    return Rows(rows.numbers, rows.slots, np.full(len(rows), -1), columns, rows.raw, units)


@dataclass
class ClosedStep:
    """A step of which no more rows come, with all that was said of it."""

    number: int
    first_row: int
    opened: Any
    result: FamilyResult
    forecasts: Any
    lines: Any
    answers: dict
    last: int

    @property
    def shown(self):
        """What each strategy showed when the step opened, one after the other."""
        return {name: answer.shown for name, answer in self.answers.items()}


@dataclass
class Played:
    """What step by step gives: the steps that are complete, and what strategies showed of each."""

    steps: Steps
    shown: list


def close_step(ensemble, rows, first_row):
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
    last = ensemble.no_change.last
    return ClosedStep(step, first_row, opened.family, result, forecasts, lines, answers, last)


def complete_step(ensemble, closed, labels, totals):
    """The labels of a closed step are known, or -1 where one never came."""
    rows = closed.forecasts.rows.labelled(labels)
    completion = Completion(closed.forecasts, labels)
    for strategy in ensemble.strategies:
        strategy.complete(completion, closed.answers[strategy.name])
    if ensemble.earned is not None and not ensemble.family.always_has_probabilities:
        ensemble.earned.learn(closed.lines[:, labels >= 0], rows.labels)
    ensemble.no_change.complete(rows.labels, closed.last)
    ensemble.family.complete(closed.opened, rows)
    forecasts = closed.forecasts
    block = Block(forecasts.rows, forecasts.starts, None, closed.first_row, closed.number)
    return to_steps(
        block, ensemble.names, closed.result, completion, closed.answers, totals, late=True
    )


def played(ensemble, block, before, labels):
    """All steps, taken one by one; `before[s]` are complete when step s opens."""
    waiting, done, shown = [], [], []

    def complete_next():
        totals = done[-1].after if done else Totals.nothing(ensemble.names)
        done.append(complete_step(ensemble, *waiting.pop(0), totals))

    for s in range(block.steps):
        while len(done) < before[s]:
            complete_next()
        span = slice(block.starts[s], block.starts[s + 1])
        closed = close_step(ensemble, unlabelled(block.step(s)), int(span.start))
        waiting.append((closed, labels[span]))
        shown.append(closed.shown)
    while waiting:
        complete_next()
    return Played(Steps.join(done), shown)
