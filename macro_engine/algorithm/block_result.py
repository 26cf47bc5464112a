"""Predictions of members, strategies and baselines for a block of steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.core.names import Names
from macro_engine.core.rows import Counts, Floats, Ints


@dataclass(frozen=True, eq=False)
class BlockResult:
    """What everyone said in a block.

    Attributes
    ----------
    names
        The series are baselines and strategies; after them the members predict.
    predictions
        Class indices, predictors by rows.
    probabilities
        Series by rows by classes; NaN for a strategy that has none. None in a
        run that computes none.
    wrong
        Predictors by steps: labelled rows that each got wrong.
    losses
        The share of labelled rows that each member got wrong, steps by members.
    shown
        What each strategy shows, by name, each by steps.
    """

    names: Names
    family: FamilyResult
    predictions: Counts
    probabilities: NDArray[np.float32] | None
    wrong: Ints
    losses: Floats
    shown: Mapping[str, Mapping[str, NDArray[Any]]]

    @staticmethod
    def join(parts: Sequence[BlockResult]) -> BlockResult:
        """Outcomes of steps that follow each other, as one."""
        first = parts[0]
        if len(parts) == 1:
            return first
        probabilities = [part.probabilities for part in parts if part.probabilities is not None]
        return BlockResult(
            first.names,
            FamilyResult.join([part.family for part in parts]),
            np.concatenate([part.predictions for part in parts], axis=1),
            np.concatenate(probabilities, axis=1) if probabilities else None,
            np.concatenate([part.wrong for part in parts], axis=1),
            np.concatenate([part.losses for part in parts]),
            {
                strategy: {
                    name: np.concatenate([part.shown[strategy][name] for part in parts])
                    for name in shown
                }
                for strategy, shown in first.shown.items()
            },
        )

    def of(self, name: str) -> Counts:
        """What one of the series predicted."""
        predicted: Counts = self.predictions[self.names.place(name)]
        return predicted


@dataclass(frozen=True, eq=False)
class OpenPredictions:
    """What everyone says of rows of an open step: as in `BlockResult`, without labels.

    Attributes
    ----------
    member, active
        As `Steps.shown_members`, and the number of its active subroutine.
    """

    names: Names
    predictions: Counts
    probabilities: NDArray[np.float32] | None
    member: int
    active: int

    def of(self, name: str) -> Counts:
        """What one of the series predicts."""
        predicted: Counts = self.predictions[self.names.place(name)]
        return predicted
