"""Kernels of the strategies that choose among members, for a block of steps."""

from __future__ import annotations

import math

from macro_engine.core.compiling import borrowing


@borrowing
def weighted_vote(weights, predictions, starts, scores, votes):  # type: ignore[no-untyped-def]
    """Set the class with the greatest summed weight for each row, the first one on ties."""
    if len(scores) == 2:  # two sums that stay in registers
        for s in range(len(starts) - 1):
            for i in range(starts[s], starts[s + 1]):
                first = second = 0.0
                for k in range(len(predictions)):
                    first += weights[s, k] if predictions[k, i] == 0 else 0.0
                    second += 0.0 if predictions[k, i] == 0 else weights[s, k]
                votes[i] = second > first
        return
    for s in range(len(starts) - 1):
        for i in range(starts[s], starts[s + 1]):
            for c in range(len(scores)):
                scores[c] = 0.0
            for k in range(len(predictions)):
                scores[predictions[k, i]] += weights[s, k]
            best = 0
            for c in range(1, len(scores)):
                if scores[c] > scores[best]:
                    best = c
            votes[i] = best


@borrowing
def follow_the_leader(losses, totals, leaders):  # type: ignore[no-untyped-def]
    """Set the leaders after the first one: of each step, then the next one; closes the steps."""
    steps, k = losses.shape
    leader = leaders[0]
    for s in range(steps):
        for i in range(k):
            totals[i] += losses[s, i]
        best = totals[leader]
        for i in range(k):
            best = min(best, totals[i])
        if best < totals[leader]:
            for i in range(k):
                if totals[i] == best:
                    leader = i
        leaders[s + 1] = leader


@borrowing
def weights_of_losses(weights, first_step, eight_log_k):  # type: ignore[no-untyped-def]
    """Turn the summed losses before each step, steps by members, into the weights at it."""
    steps, k = weights.shape
    for s in range(steps):
        eta = math.sqrt(eight_log_k / (first_step + s + 1))
        best = weights[s, 0]
        for i in range(k):
            best = min(best, weights[s, i])
        total = 0.0
        for i in range(k):
            weights[s, i] = math.exp(-eta * (weights[s, i] - best))
            total += weights[s, i]
        for i in range(k):
            weights[s, i] /= total
