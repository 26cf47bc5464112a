"""Prediction and learning of the filters."""

from __future__ import annotations

import math

from macro_engine.blend.filters import MOST, START
from macro_engine.blend.kernels.compiling import part


@part
def filter_say(logs, weights, q):  # type: ignore[no-untyped-def]
    """The probabilities of the classes; of two, `logs` are those of the second."""
    classes, experts = logs.shape
    most = -math.inf
    for c in range(classes):
        score = 0.0
        for e in range(experts):
            score += weights[e] * logs[c, e]
        q[c] = score
        most = max(most, score)
    if classes == 1:  # the score of the first is that of the second with the other sign
        less = math.exp(-2.0 * abs(most))
        q[0 if most > 0.0 else 1] = less / (less + 1.0)
        q[1 if most > 0.0 else 0] = 1.0 / (less + 1.0)
        return
    total = 0.0
    for c in range(classes):
        q[c] = math.exp(q[c] - most)
        total += q[c]
    for c in range(classes):
        q[c] /= total


@part
def filter_learn(  # type: ignore[no-untyped-def]
    logs, label, q, noise, weights, covariance, mean, x, u
):
    """Learns a row, given the filter's answer to it; returns whether the filter restarted.

    A covariance is symmetric to the bit: its rows serve as columns.
    """
    classes, experts = logs.shape
    for a in range(experts):
        mean[a] = 0.0
        if covariance[a, a] < MOST:
            covariance[a, a] += noise
    if classes > 1:
        for c in range(classes):
            for a in range(experts):
                mean[a] += q[c] * logs[c, a]
    sound = True
    for c in range(classes):
        h = max(q[0] * q[1], 1e-6) if classes == 1 else q[c]
        if classes > 1 and h < 1e-3:
            continue
        for a in range(experts):
            x[a] = logs[0, a] + logs[0, a] if classes == 1 else logs[c, a] - mean[a]
        v = 0.0
        for a in range(experts):
            total = 0.0
            for b in range(experts):
                total += covariance[a, b] * x[b]
            u[a] = total
            v += x[a] * total
        sound = v >= 0.0 and math.isfinite(v)
        if not sound:
            break
        scale = 1.0 + h * v
        if classes == 1:
            gain = ((1.0 if label == 1 else 0.0) - q[1]) / scale
            for a in range(experts):
                weights[a] += u[a] * gain
        for a in range(experts):
            scaled = h / scale * u[a]
            for b in range(a + 1):
                value = covariance[a, b] - scaled * u[b]
                covariance[a, b] = value
                covariance[b, a] = value
    if classes > 1:
        for a in range(experts):
            move = 0.0
            for b in range(experts):
                move += covariance[b, a] * (logs[label, b] - mean[b])
            weights[a] += move
    for a in range(experts):
        sound = sound and math.isfinite(weights[a])
    if not sound:
        for a in range(experts):
            weights[a] = 1.0 / experts
            for b in range(experts):
                covariance[a, b] = START if a == b else 0.0
    return not sound
