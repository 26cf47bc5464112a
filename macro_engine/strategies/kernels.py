"""The strategies that choose among members, a block of steps at a time."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.core.compiling import compiled


@compiled
def count_wrong(predictions, labels, starts, wrong):  # type: ignore[no-untyped-def]
    """How many of each step's rows each line of predictions got wrong, lines by steps."""
    for k in range(len(predictions)):
        for s in range(len(starts) - 1):
            count = 0
            for i in range(starts[s], starts[s + 1]):
                count += predictions[k, i] != labels[i]
            wrong[k, s] = count


@compiled
def weighted_vote(weights, predictions, starts, classes):  # type: ignore[no-untyped-def]
    """The class with the greatest summed weight for each row, the first one on ties."""
    votes = np.empty(predictions.shape[1], np.int64)
    if classes == 2:  # two sums that stay in registers
        for s in range(len(starts) - 1):
            for i in range(starts[s], starts[s + 1]):
                first = second = 0.0
                for k in range(len(predictions)):
                    first += weights[s, k] if predictions[k, i] == 0 else 0.0
                    second += 0.0 if predictions[k, i] == 0 else weights[s, k]
                votes[i] = second > first
        return votes
    scores = np.empty(classes)
    for s in range(len(starts) - 1):
        for i in range(starts[s], starts[s + 1]):
            for c in range(classes):
                scores[c] = 0.0
            for k in range(len(predictions)):
                scores[predictions[k, i]] += weights[s, k]
            best = 0
            for c in range(1, classes):
                if scores[c] > scores[best]:
                    best = c
            votes[i] = best
    return votes


@compiled
def take_leaders(leaders, predictions, starts):  # type: ignore[no-untyped-def]
    """For each row what its step's leader predicted."""
    taken = np.empty(predictions.shape[1], predictions.dtype)
    for s in range(len(starts) - 1):
        for i in range(starts[s], starts[s + 1]):
            taken[i] = predictions[leaders[s], i]
    return taken


@compiled
def follow_the_leader(losses, totals, leader):  # type: ignore[no-untyped-def]
    """The leader at each step; closes the steps. Returns leaders, then the next one at the end."""
    steps, k = losses.shape
    leaders = np.empty(steps + 1, np.int64)
    for s in range(steps):
        leaders[s] = leader
        for i in range(k):
            totals[i] += losses[s, i]
        best = totals[leader]
        for i in range(k):
            best = min(best, totals[i])
        if best < totals[leader]:
            for i in range(k):
                if totals[i] == best:
                    leader = i
    leaders[steps] = leader
    return leaders


@compiled
def exponential_weights(losses, totals, steps_before, eight_log_k):  # type: ignore[no-untyped-def]
    """The weights at each step; closes the steps."""
    steps, k = losses.shape
    weights = np.empty((steps, k))
    for s in range(steps):
        eta = math.sqrt(eight_log_k / (steps_before + s + 1))
        best = totals[0]
        for i in range(k):
            best = min(best, totals[i])
        total = 0.0
        for i in range(k):
            weights[s, i] = math.exp(-eta * (totals[i] - best))
            total += weights[s, i]
        for i in range(k):
            weights[s, i] /= total
            totals[i] += losses[s, i]
    return weights
