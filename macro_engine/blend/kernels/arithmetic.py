"""Arithmetic that the experts share."""

from __future__ import annotations

import math

from macro_engine.blend.fixed_share import ALPHA
from macro_engine.blend.kernels.compiling import part


@part
def sigmoid(z):  # type: ignore[no-untyped-def]
    if z > 35.0:
        return 1.0 - 6e-16
    if z >= -35.0:
        return 1.0 / (1.0 + math.exp(-z))
    return 6e-16


@part
def take_logs(p, logs):  # type: ignore[no-untyped-def]
    """The centred logarithms of the experts' probabilities; of two classes only the second."""
    experts, classes = p.shape
    for e in range(experts):
        if classes == 2:
            logs[0, e] = 0.5 * math.log(max(p[e, 1], 1e-4) / max(p[e, 0], 1e-4))
            continue
        total = 0.0
        for c in range(classes):
            logs[c, e] = math.log(max(p[e, c], 1e-4))
            total += logs[c, e]
        for c in range(classes):
            logs[c, e] -= total / classes


@part
def update_shares(losses, rows, prior, weights):  # type: ignore[no-untyped-def]
    """Weights after a step, given the summed log-likelihood of each forecaster."""
    most = -math.inf
    for k in range(len(weights)):
        losses[k] = losses[k] / rows + math.log(weights[k])
        most = max(most, losses[k])
    total = 0.0
    for k in range(len(weights)):
        losses[k] = math.exp(losses[k] - most)
        total += losses[k]
    for k in range(len(weights)):
        weights[k] = (1.0 - ALPHA) * (losses[k] / total) + ALPHA * prior[k]
