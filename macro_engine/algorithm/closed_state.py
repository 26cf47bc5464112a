"""Closed steps that wait for labels, as a state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from macro_engine.algorithm.closed_steps import ClosedSteps
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.algorithm.family import with_marginal
from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.algorithm.learning_subroutines import LearningSubroutines
from macro_engine.core.rows import Block, Columns, Floats, Ints, Rows
from macro_engine.core.smallest_type import smallest_unsigned
from macro_engine.core.state import State, array, boundaries, child, children, indices, texts, whole
from macro_engine.core.steps import NEAREST
from macro_engine.strategies import Answer, Forecasts

_LARGEST = 1 << 62


def state_of(steps: ClosedSteps, ensemble: Ensemble) -> State:
    """What must be stored of them."""
    block, result, forecasts = steps.block, steps.result, steps.forecasts
    rows, strategies = block.rows, ensemble.strategies
    return {
        "first_row": block.first_row,
        "first_step": block.first_step,
        "starts": block.starts,
        "times": block.times,
        "late": block.late,
        "rejected": block.rejected,
        "keys": None if block.keys is None else list(block.keys),
        "numbers": rows.numbers,
        "slots": smallest_unsigned(rows.slots),
        "raw": rows.raw,
        "units": rows.units,
        "called": steps.called.state(),
        "predictions": smallest_unsigned(result.predictions),
        "active": smallest_unsigned(result.active),
        "born": result.born,
        "distance": result.distance,
        "close": smallest_unsigned(result.close),
        "subroutines": smallest_unsigned(result.subroutines),
        "nearest": smallest_unsigned(result.nearest),
        "nearest_distances": result.nearest_distances,
        "lasts": steps.lasts,
        "no_change": smallest_unsigned(forecasts.no_change),
        "probabilities": {
            "members": forecasts.member_probabilities,
            "marginal": forecasts.marginal_probabilities,
            "no_change": forecasts.no_change_probabilities,
        },
        "answers": [
            {
                "predictions": smallest_unsigned(answer.predictions),
                "probabilities": answer.probabilities,
                "shown": {name: np.asarray(shown) for name, shown in answer.shown.items()},
                "kept": None if answer.kept is None else strategy.kept_states(answer.kept),
            }
            for strategy, answer in zip(strategies, steps.answers.values(), strict=True)
        ],
    }


def restored_steps(state: State, ensemble: Ensemble, columns: Columns) -> ClosedSteps:
    """What `state_of` gave; the rows have these columns."""
    block = _block(state, columns)
    n, steps, classes = len(block.rows), block.steps, ensemble.classes
    k, lines = len(ensemble.family.members), len(with_marginal(ensemble.family.members))
    by_step = (k, steps)
    result = FamilyResult(
        indices(state, "predictions", (lines, n), classes),
        None,
        indices(state, "active", by_step, _LARGEST),
        array(state, "born", np.bool_, by_step),
        array(state, "distance", np.float64, by_step),
        indices(state, "close", by_step, _LARGEST),
        indices(state, "subroutines", by_step, _LARGEST),
        indices(state, "nearest", (*by_step, NEAREST), 1 << 31).astype(np.int32),
        array(state, "nearest_distances", np.float32, (*by_step, NEAREST)),
    )
    found = child(state, "probabilities")
    forecasts = Forecasts(
        block.rows, block.starts, block.first_step, result.predictions[:k], result.predictions[-1],
        indices(state, "no_change", (n,), classes),
        _floats(found, "members", (k, n, classes)),
        _floats(found, "marginal", (n, classes)),
        _floats(found, "no_change", (n, classes)),
    )  # fmt: skip
    answers = {}
    stored = children(state, "answers", len(ensemble.strategies))
    for strategy, answer in zip(ensemble.strategies, stored, strict=True):
        kept = None
        if answer.get("kept") is not None:
            kept = strategy.kept_of(child(answer, "kept"), forecasts)
        answers[strategy.name] = Answer(
            indices(answer, "predictions", (n,), classes),
            _floats(answer, "probabilities", (n, classes)),
            {name: np.asarray(shown) for name, shown in child(answer, "shown").items()},
            kept,
        )
    called = LearningSubroutines.restored(child(state, "called"), steps, lines)
    lasts = array(state, "lasts", np.int64, (steps,))
    return ClosedSteps(block, result, called, forecasts, answers, np.clip(lasts, -1, classes - 1))


def _block(state: State, columns: Columns) -> Block:
    numbers = array(state, "numbers", np.float64, (None, len(columns.numbers)))
    n = len(numbers)
    slots = indices(state, "slots", (n, len(columns.categories)), 1 << 16)
    rows = Rows(numbers, slots, np.full(n, -1), columns).within_columns()
    starts = boundaries(state, "starts", n)
    return Block(
        replace(
            rows, raw=_floats(state, "raw", (n, None)), units=_floats(state, "units", (n, None))
        ),
        starts,
        None if state.get("times") is None else array(state, "times", np.int64, (n,)),
        whole(state, "first_row"),
        whole(state, "first_step"),
        _counts(state, "late", len(starts) - 1),
        _counts(state, "rejected", len(starts) - 1),
        None if state.get("keys") is None else texts(state, "keys"),
    )


def _floats(state: State, name: str, shape: tuple[int | None, ...]) -> Floats | None:
    return None if state.get(name) is None else array(state, name, np.float64, shape)


def _counts(state: State, name: str, steps: int) -> Ints | None:
    return None if state.get(name) is None else array(state, name, np.int64, (steps,))
