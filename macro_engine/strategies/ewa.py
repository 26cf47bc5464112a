"""Exponentially weighted average: the members vote, with weights by their summed losses."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.core.names import WEIGHTS
from macro_engine.core.rows import Counts, Floats, Ints
from macro_engine.strategies.answer import Answer
from macro_engine.strategies.base import LateSteps
from macro_engine.strategies.by_losses import ByLosses
from macro_engine.strategies.forecasts import Completion, Forecasts


class ExponentialWeights(ByLosses):
    """Weights exp(-eta (L_k - min L)), normalised, with eta = sqrt(8 ln K / (t + 1)).

    It predicts the class with the greatest summed weight, the first one on ties. Its probabilities
    are the sum of w_k p_k, whose largest may be another class.
    """

    name = "ewa"
    title = "exponentially weighted average"
    shows = (WEIGHTS,)

    @staticmethod
    def weights_by_losses(losses: Floats, moments: Ints) -> Floats:
        """As `weights`, members by moments, up to rounding."""
        eta = np.sqrt(8.0 * math.log(len(losses)) / (moments + 1))
        weights = np.exp(-eta * (losses - losses.min(axis=0)))
        normalised: Floats = weights / weights.sum(axis=0)
        return normalised

    def weights(self, step: int) -> list[float]:
        """The weights in force at a step."""
        eta = math.sqrt(8.0 * math.log(len(self.losses)) / (step + 1))
        best = min(self.losses)
        weights = [math.exp(-eta * (loss - best)) for loss in self.losses]
        total = 0.0
        for weight in weights:  # not sum(), which compensates rounding from Python 3.12 on
            total += weight
        return [weight / total for weight in weights]

    def answer(self, forecasts: Forecasts) -> Answer:
        weights = np.array([self.weights(forecasts.first_step)])
        by_row = np.repeat(weights, forecasts.lengths, axis=0)
        votes = vote(by_row, forecasts.members, self.setup.classes)
        return Answer(votes, _mixture(by_row, forecasts), {WEIGHTS: weights})

    def run_compiled(self, completion: Completion) -> Answer:
        return self._answer(self._totals(completion)[:-1], completion.forecasts)

    def run_late_compiled(self, late: LateSteps) -> Answer | None:
        totals = self._totals(late.completion)
        return self._answer(totals[late.before[:-1]], late.opening) if late.opening.steps else None

    def _totals(self, completion: Completion) -> Floats:
        """Take in steps; returns the summed losses before each, and at the end after all."""
        # each step adds to the sum of those before it, as it does by itself
        totals = np.cumsum(np.concatenate([[self.losses], completion.losses]), axis=0)
        self.losses = totals[-1].tolist()
        return totals

    def _answer(self, weights: Floats, forecasts: Forecasts) -> Answer:
        """By compiled loops, given the summed losses before each step, which become its weights."""
        from macro_engine.strategies.kernels import weighted_vote, weights_of_losses

        weights_of_losses(weights, forecasts.first_step, 8.0 * math.log(len(self.losses)))
        votes, scores = np.empty(len(forecasts.rows), np.int64), np.empty(self.setup.classes)
        weighted_vote(weights, forecasts.members, forecasts.starts, scores, votes)
        probabilities = None
        if forecasts.member_probabilities is not None:
            probabilities = _mixture(np.repeat(weights, forecasts.lengths, axis=0), forecasts)
        return Answer(votes, probabilities, {WEIGHTS: weights})


def vote(weights: Floats, predictions: Counts, classes: int) -> Ints:
    """The class with the greatest summed weight for each row, the first one on ties.

    Parameters
    ----------
    weights
        Rows by members.
    predictions
        Members by rows.
    """
    rows = np.arange(predictions.shape[1])
    scores = np.zeros((len(rows), classes))
    for k, said in enumerate(predictions):
        scores[rows, said] += weights[:, k]
    best: Ints = scores.argmax(axis=1)
    return best


def _mixture(weights: Floats, forecasts: Forecasts) -> Floats | None:
    """The sum of w_k p_k, in the order of members; weights are rows by members."""
    if forecasts.member_probabilities is None:
        return None
    total = np.zeros(forecasts.member_probabilities.shape[1:])
    for k, probabilities in enumerate(forecasts.member_probabilities):
        total += weights[:, k, None] * probabilities
    return total
