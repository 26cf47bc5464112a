"""The settings of both paths of the estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from macro_engine.core.members import Member
from macro_engine.subroutines.learning_rate import SQRT, LearningRate


@dataclass(frozen=True)
class PathSettings:
    """The same for `CompiledPath` and `GeneralPath`.

    Attributes
    ----------
    members
        The grid, in its order.
    distance, strategy
        By name.
    every
        Rows that make a step.
    power, most
        As for `Macro`.
    empty_class
        For the distance `features`.
    is_scaled
        Whether learners and the distance see numbers by their running mean and deviation.
    learning_rate
        The step of the estimator's own learner.
    """

    members: Sequence[Member]
    distance: str
    strategy: str
    every: int
    power: float
    most: int | None
    empty_class: str
    is_scaled: bool = False
    learning_rate: LearningRate = SQRT
