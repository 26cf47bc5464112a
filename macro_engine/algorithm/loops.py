"""The loops of a family: compiled, or interpreted until they are compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from macro_engine.algorithm.kernels.late import RUN_LATE
from macro_engine.algorithm.kernels.logistic import (
    learning_rates,
    logistic_predict,
)
from macro_engine.algorithm.kernels.nearest_mean import mean_predict
from macro_engine.algorithm.kernels.steps import RUN_STEPS
from macro_engine.algorithm.plain_parts import TWINS
from macro_engine.core.compiling import interpreted


@dataclass(frozen=True)
class Loops:
    """The kernels of a family; compiled and plain ones give the same bits."""

    run_steps: Any
    run_late: Any
    learning_rates: Any
    logistic_predict: Any
    mean_predict: Any
    are_compiled: bool


def compiled_loops(distance: str, learner: str) -> Loops:
    """Returns kernels that are compiled, or loaded from the cache, at their first call."""
    return Loops(
        RUN_STEPS[distance, learner],
        RUN_LATE[distance, learner],
        learning_rates,
        logistic_predict,
        mean_predict,
        are_compiled=True,
    )


def plain_loops(distance: str, learner: str) -> Loops:
    """Returns the same kernels, interpreted."""
    return Loops(
        interpreted(RUN_STEPS[distance, learner], TWINS),
        interpreted(RUN_LATE[distance, learner], TWINS),
        interpreted(learning_rates, TWINS),
        interpreted(logistic_predict, TWINS),
        interpreted(mean_predict, TWINS),
        are_compiled=False,
    )
