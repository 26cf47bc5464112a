"""The stack: what the filters say and learn."""

from __future__ import annotations

import math

from macro_engine.blend.filters import MOST, START
from macro_engine.blend.kernels.compiling import inlined


@inlined
def filter_say(f, r, logs, weights, q):  # type: ignore[no-untyped-def]
    """The probabilities of the classes."""
    experts = weights.shape[1]
    if len(q) == 2:  # the score of the first class is that of the second with the other sign
        score = 0.0
        for e in range(experts):
            score += weights[f, e] * logs[r, 0, e]
        less = math.exp(-2.0 * abs(score))
        total = less + 1.0
        q[0] = less / total if score > 0.0 else 1.0 / total
        q[1] = 1.0 / total if score > 0.0 else less / total
    else:
        most = -math.inf
        for c in range(len(q)):
            score = 0.0
            for e in range(experts):
                score += weights[f, e] * logs[r, c, e]
            q[c] = score
            most = max(most, score)
        total = 0.0
        for c in range(len(q)):
            q[c] = math.exp(q[c] - most)
            total += q[c]
        for c in range(len(q)):
            q[c] /= total


@inlined
def filter_learn(f, r, label, logs, parts, noise, q, x, u, mean):  # type: ignore[no-untyped-def]
    """Learn a row, given what the filter says of it now."""
    experts = parts.filters.shape[1]
    for a in range(experts):
        if parts.covariances[f, a, a] < MOST:
            parts.covariances[f, a, a] += noise
    if len(q) == 2:
        for a in range(experts):
            x[a] = logs[r, 0, a] + logs[r, 0, a]
        v = spread(f, parts.covariances, x, u)
        sound = v >= 0.0 and math.isfinite(v)
        if sound:
            h = max(q[0] * q[1], 1e-6)
            scale = 1.0 + h * v
            gain = ((1.0 if label == 1 else 0.0) - q[1]) / scale
            for a in range(experts):
                parts.filters[f, a] += u[a] * gain
            reduce_covariance(f, h / scale, u, parts.covariances)
    else:
        sound = learn_many(f, r, label, logs, parts, q, x, u, mean)
    for a in range(experts):
        if not math.isfinite(parts.filters[f, a]):
            sound = False
    if not sound:
        parts.restarts[f] += 1
        for a in range(experts):
            parts.filters[f, a] = 1.0 / experts
            for b in range(experts):
                parts.covariances[f, a, b] = START if a == b else 0.0


@inlined
def learn_many(f, r, label, logs, parts, q, x, u, mean):  # type: ignore[no-untyped-def]
    """For more than two classes; returns whether all variances were sound."""
    experts = parts.filters.shape[1]
    sound = True
    for a in range(experts):
        mean[a] = 0.0
    for c in range(len(q)):
        for a in range(experts):
            mean[a] += q[c] * logs[r, c, a]
    for c in range(len(q)):
        if q[c] < 1e-3 or not sound:
            continue
        for a in range(experts):
            x[a] = logs[r, c, a] - mean[a]
        v = spread(f, parts.covariances, x, u)
        sound = v >= 0.0 and math.isfinite(v)
        if sound:
            reduce_covariance(f, q[c] / (1.0 + q[c] * v), u, parts.covariances)
    for a in range(experts):
        x[a] = logs[r, label, a] - mean[a]
    spread(f, parts.covariances, x, u)
    for a in range(experts):
        parts.filters[f, a] += u[a]
    return sound


@inlined
def spread(f, covariances, x, u):  # type: ignore[no-untyped-def]
    """u = R x, and x'u; R is symmetric to the bit, so that its rows serve as columns."""
    experts = len(x)
    for a in range(experts):
        u[a] = 0.0
    for b in range(experts):
        for a in range(experts):
            u[a] += covariances[f, b, a] * x[b]
    v = 0.0
    for a in range(experts):
        v += x[a] * u[a]
    return v


@inlined
def reduce_covariance(f, factor, u, covariances):  # type: ignore[no-untyped-def]
    """R -= factor u u', computed below the diagonal and mirrored."""
    for a in range(len(u)):
        scaled = factor * u[a]
        for b in range(a + 1):
            value = covariances[f, a, b] - scaled * u[b]
            covariances[f, a, b] = value
            covariances[f, b, a] = value
