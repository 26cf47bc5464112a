"""Closed steps that wait for labels, as a state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from macro_engine.algorithm.closed_steps import ClosedSteps
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.algorithm.family import with_marginal
from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.algorithm.learning_subroutines import LearningSubroutines
from macro_engine.core.declared import Array, Declared, Indices, Integer, Texts
from macro_engine.core.rows import SLOTS, Block, Columns, Rows
from macro_engine.core.state import State, boundaries, child, children
from macro_engine.strategies import Answer, Forecasts, Strategy

_ROWS = Declared(
    Array("numbers", np.float64, ("rows", "columns"), shared=True),
    Indices("slots", ("rows", "categories"), below=SLOTS),
    Array("raw", np.float64, ("rows", None), shared=True, optional=True),
    Array("units", np.float64, ("rows", None), shared=True, optional=True),
)
_BLOCK = Declared(
    Integer("first_row"),
    Integer("first_step"),
    Array("times", np.int64, ("rows",), shared=True, optional=True),
    Array("late", np.int64, ("steps",), shared=True, optional=True),
    Array("rejected", np.int64, ("steps",), shared=True, optional=True),
    Texts("keys", "rows", optional=True),
)
_LASTS = Declared(Array("lasts", np.int64, ("steps",), low=-1, below="classes", shared=True))
_NO_CHANGE = Declared(Indices("no_change", ("rows",), below="classes"))
_PROBABILITIES = Declared(
    Array("members", np.float64, ("members", "rows", "classes"), optional=True),
    Array("marginal", np.float64, ("rows", "classes"), optional=True),
    Array("no_change", np.float64, ("rows", "classes"), optional=True),
)
_ANSWER = Declared(
    Indices("predictions", ("rows",), below="classes"),
    Array("probabilities", np.float64, ("rows", "classes"), shared=True, optional=True),
)


def state_of(steps: ClosedSteps, ensemble: Ensemble) -> State:
    """What must be stored of them."""
    block, forecasts = steps.block, steps.forecasts
    return {
        **_BLOCK.state_of(block),
        "starts": block.starts,
        **_ROWS.state_of(block.rows),
        "called": steps.called.state(),
        **FamilyResult.remembers.state_of(steps.result),
        **_LASTS.state_of(steps),
        **_NO_CHANGE.state_of(forecasts),
        "probabilities": {
            "members": forecasts.member_probabilities,
            "marginal": forecasts.marginal_probabilities,
            "no_change": forecasts.no_change_probabilities,
        },
        "answers": [
            _state_of_answer(steps.answers[strategy.name], strategy)
            for strategy in ensemble.strategies
        ],
    }


def restored_steps(state: State, ensemble: Ensemble, columns: Columns) -> ClosedSteps:
    """What `state_of` gave; the rows have these columns."""
    block = _block(state, columns)
    members = ensemble.family.members
    lengths = {
        "rows": len(block.rows),
        "steps": block.steps,
        "classes": ensemble.classes,
        "members": len(members),
        "lines": len(with_marginal(members)),
    }
    family = FamilyResult.remembers.read(state, **lengths)
    family["nearest"] = family["nearest"].astype(np.int32)
    result = FamilyResult(probabilities=None, **family)
    probabilities = _PROBABILITIES.read(child(state, "probabilities"), **lengths)
    forecasts = Forecasts(
        block.rows,
        block.starts,
        block.first_step,
        result.members,
        result.marginal,
        **_NO_CHANGE.read(state, **lengths),
        member_probabilities=probabilities["members"],
        marginal_probabilities=probabilities["marginal"],
        no_change_probabilities=probabilities["no_change"],
    )
    stored = children(state, "answers", len(ensemble.strategies))
    answers = {
        strategy.name: _answer(answer, strategy, forecasts, lengths)
        for strategy, answer in zip(ensemble.strategies, stored, strict=True)
    }
    called = LearningSubroutines.restored(child(state, "called"), block.steps, lengths["lines"])
    return ClosedSteps(block, result, called, forecasts, answers, **_LASTS.read(state, **lengths))


def _block(state: State, columns: Columns) -> Block:
    lengths = {"columns": len(columns.numbers), "categories": len(columns.categories)}
    found = _ROWS.read(state, **lengths)
    n = len(found["numbers"])
    rows = Rows(found["numbers"], found["slots"], np.full(n, -1), columns).within_columns()
    starts = boundaries(state, "starts", n)
    return Block(
        rows=replace(rows, raw=found["raw"], units=found["units"]),
        starts=starts,
        **_BLOCK.read(state, rows=n, steps=len(starts) - 1),
    )


def _state_of_answer(answer: Answer, strategy: Strategy) -> State:
    return {
        **_ANSWER.state_of(answer),
        "shown": {name: np.asarray(shown) for name, shown in answer.shown.items()},
        "kept": None if answer.kept is None else strategy.kept_states(answer.kept),
    }


def _answer(
    state: State, strategy: Strategy, forecasts: Forecasts, lengths: dict[str, int]
) -> Answer:
    kept = None
    if state.get("kept") is not None:
        kept = strategy.kept_of(child(state, "kept"), forecasts)
    shown = {name: np.asarray(shown) for name, shown in child(state, "shown").items()}
    return Answer(**_ANSWER.read(state, **lengths), shown=shown, kept=kept)
