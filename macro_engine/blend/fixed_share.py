"""Fixed-share weights of several forecasters, on log loss."""

from __future__ import annotations

import math
from collections.abc import Sequence

from macro_engine.blend.probability import normalised

ALPHA = 0.001  # the share of the prior that is mixed in at each step


class FixedShare:
    """Weights multiplied by the likelihood of each step, per row, and mixed with the prior.

    Over T steps the mean log loss a step is at most that of any forecaster plus
    (ln(1/prior) + T ln(1/.999)) / T.
    """

    def __init__(self, prior: Sequence[float]) -> None:
        self.prior = list(prior)
        self.weights = list(prior)

    def learn(self, likelihoods: Sequence[Sequence[float]]) -> None:
        """Learns a step, given the probability of each label by each forecaster, by rows."""
        totals = [0.0] * len(self.weights)
        for row in likelihoods:
            for k, p in enumerate(row):
                totals[k] += math.log(max(p, 1e-6))
        scores = [
            log_likelihood / len(likelihoods) + math.log(weight)
            for log_likelihood, weight in zip(totals, self.weights, strict=True)
        ]
        most = max(scores)
        shares = normalised([math.exp(score - most) for score in scores])
        self.weights = [
            (1.0 - ALPHA) * share + ALPHA * prior
            for share, prior in zip(shares, self.prior, strict=True)
        ]


def blend_prior(experts: int) -> list[float]:
    """Returns the prior of the experts, then of the slow and of the fast filter."""
    return [0.25 / experts] * experts + [0.375, 0.375]
