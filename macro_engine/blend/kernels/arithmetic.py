"""Arithmetic that the experts share."""

from __future__ import annotations

import math

from macro_engine.blend.kernels.compiling import inlined


@inlined
def sigmoid(z):  # type: ignore[no-untyped-def]
    p = 6e-16
    if z > 35.0:
        p = 1.0 - 6e-16
    elif z >= -35.0:
        p = 1.0 / (1.0 + math.exp(-z))
    return p


@inlined
def take_logs(r, p, logs):  # type: ignore[no-untyped-def]
    """The centred logarithms of the experts' probabilities; of two classes only the second."""
    experts, classes = p.shape
    if classes == 2:
        for e in range(experts):
            logs[r, 0, e] = 0.5 * math.log(max(p[e, 1], 1e-4) / max(p[e, 0], 1e-4))
    else:
        for e in range(experts):
            total = 0.0
            for c in range(classes):
                value = math.log(max(p[e, c], 1e-4))
                logs[r, c, e] = value
                total += value
            total /= classes
            for c in range(classes):
                logs[r, c, e] -= total


@inlined
def update_shares(losses, rows, prior, alpha, weights):  # type: ignore[no-untyped-def]
    """Weights after a step, given the summed log-likelihood of each forecaster."""
    n = len(weights)
    most = -math.inf
    for k in range(n):
        score = losses[k] / rows + math.log(weights[k])
        losses[k] = score
        most = max(most, score)
    total = 0.0
    for k in range(n):
        value = math.exp(losses[k] - most)
        losses[k] = value
        total += value
    for k in range(n):
        weights[k] = (1.0 - alpha) * (losses[k] / total) + alpha * prior[k]
