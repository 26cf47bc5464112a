"""What a family decided for a step that has opened, until its labels are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.core.rows import Counts, Ints
from macro_engine.core.state import State, array, indices
from macro_engine.core.steps import NEAREST

_LARGEST = 1 << 62


@dataclass(frozen=True, eq=False)
class ChosenStep:
    """The choices of all members for one step.

    Attributes
    ----------
    result
        Of the one step, without its rows.
    members, numbers
        J: who learns the step. The member, of which the last may be the marginal baseline, and the
        subroutine, from 0; in the order in which they learn.
    """

    result: FamilyResult
    members: Ints
    numbers: Ints

    def result_with(self, predictions: Counts) -> FamilyResult:
        """The result of the step, given what members and marginal baseline said of its rows."""
        result = self.result
        return FamilyResult(
            predictions, None, result.active, result.born, result.distance, result.close,
            result.subroutines, result.nearest, result.nearest_distances,
        )  # fmt: skip

    def state(self) -> State:
        result = self.result
        return {
            "members": self.members,
            "numbers": self.numbers,
            "active": result.active,
            "born": result.born,
            "distance": result.distance,
            "close": result.close,
            "subroutines": result.subroutines,
            "nearest": result.nearest.astype(np.int64),
            "nearest_distances": result.nearest_distances.astype(np.float64),
        }

    @staticmethod
    def restored(state: State, members: int, lines: int) -> ChosenStep:
        k = (members, 1)
        who = indices(state, "members", (None,), lines)
        return ChosenStep(
            FamilyResult(
                np.empty((lines, 0), np.int64),
                None,
                indices(state, "active", k, _LARGEST),
                array(state, "born", np.bool_, k),
                array(state, "distance", np.float64, k),
                indices(state, "close", k, _LARGEST),
                indices(state, "subroutines", k, _LARGEST),
                indices(state, "nearest", (*k, NEAREST), 1 << 31).astype(np.int32),
                array(state, "nearest_distances", np.float64, (*k, NEAREST)).astype(np.float32),
            ),
            who,
            indices(state, "numbers", (len(who),), _LARGEST),
        )
