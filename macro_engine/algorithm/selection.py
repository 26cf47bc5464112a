"""Choosing among thresholds online: a weight for each, and the weighted vote of their predictions.

The loss of a threshold at a step is the share of the step's rows that it got wrong.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from macro_engine.rows import Floats, Ints
from macro_engine.state import State, array, whole


class Selector(ABC):
    """Weights over K thresholds that depend on the losses in closed steps alone."""

    def __init__(self, thresholds: int) -> None:
        self.losses = [0.0] * thresholds
        self.steps = 0

    @abstractmethod
    def weights(self) -> list[float]:
        """The weights in force for the step now open; not negative, with sum 1."""

    def update(self, losses: list[float]) -> None:
        """Close a step in which each threshold had the given loss."""
        self.losses = [total + loss for total, loss in zip(self.losses, losses, strict=True)]
        self.steps += 1

    def state(self) -> State:
        return {"losses": np.array(self.losses), "steps": self.steps}

    def restore(self, state: State) -> None:
        self.losses = array(state, "losses", np.float64, (len(self.losses),)).tolist()
        self.steps = whole(state, "steps")

    def run(self, losses: Floats) -> Floats:
        """The weights in force at each step of a block, steps by thresholds, then close them."""
        weights = np.empty(losses.shape)
        for s, step in enumerate(losses.tolist()):
            weights[s] = self.weights()
            self.update(step)
        return weights


class FollowTheLeader(Selector):
    """All weight on the threshold with the least cumulative loss.

    The leader stays on ties. When it is beaten, the largest threshold among the best takes over;
    at the start the largest leads.
    """

    def __init__(self, thresholds: int) -> None:
        super().__init__(thresholds)
        self.leader = thresholds - 1

    def weights(self) -> list[float]:
        weights = [0.0] * len(self.losses)
        weights[self.leader] = 1.0
        return weights

    def update(self, losses: list[float]) -> None:
        super().update(losses)
        best = min(self.losses)
        if best < self.losses[self.leader]:
            self.leader = max(k for k, loss in enumerate(self.losses) if loss == best)

    def state(self) -> State:
        return super().state() | {"leader": self.leader}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.leader = whole(state, "leader", 0, len(self.losses) - 1)


class ExponentialWeights(Selector):
    """Weights exp(-eta (L_k - min L)), normalised, with eta = sqrt(8 ln K / (t + 1))."""

    def weights(self) -> list[float]:
        eta = math.sqrt(8.0 * math.log(len(self.losses)) / (self.steps + 1))
        best = min(self.losses)
        weights = [math.exp(-eta * (loss - best)) for loss in self.losses]
        total = 0.0
        for weight in weights:  # not sum(), which compensates rounding from Python 3.12 on
            total += weight
        return [weight / total for weight in weights]


def vote(weights: Floats, predictions: Ints, classes: int) -> Ints:
    """The class with the greatest summed weight for each row, the first one on ties.

    Parameters
    ----------
    weights
        Rows by thresholds.
    predictions
        Thresholds by rows.
    """
    rows = np.arange(predictions.shape[1])
    scores = np.zeros((len(rows), classes))
    for k, said in enumerate(predictions):
        scores[rows, said] += weights[:, k]
    best: Ints = scores.argmax(axis=1)
    return best
