"""Prediction and learning of the experts that do not use tiles."""

from __future__ import annotations

from macro_engine.blend.class_shares import DECAY
from macro_engine.blend.kernels.arithmetic import sigmoid
from macro_engine.blend.kernels.compiling import part


@part
def shares_say(counts, out):  # type: ignore[no-untyped-def]
    total = 0.0
    for c in range(len(counts)):
        total += counts[c]
    for c in range(len(counts)):
        out[c] = counts[c] / total


@part
def shares_learn(counts, label):  # type: ignore[no-untyped-def]
    least = 1e-3 / len(counts)
    for c in range(len(counts)):
        counts[c] = max(counts[c] * DECAY, least)
    counts[label] += 1.0


@part
def linear_say(numbers, codes, bias, weights, by_code, out):  # type: ignore[no-untyped-def]
    """Predicts a row with each model of the linear expert."""
    for m in range(len(bias)):
        z = bias[m]
        for a in range(len(numbers)):
            z += weights[m, a] * numbers[a]
        for a in range(len(codes)):
            z += by_code[a, codes[a], m]
        out[m] = sigmoid(z)


@part
def linear_learn(  # type: ignore[no-untyped-def]
    numbers, codes, label, rate, said, bias, weights, by_code
):
    models = len(said)
    for m in range(models):
        step = rate * (said[m] - (1.0 if label == (1 if models == 1 else m) else 0.0))
        bias[m] -= step
        for a in range(len(numbers)):
            weights[m, a] -= step * numbers[a]
        for a in range(len(codes)):
            by_code[a, codes[a], m] -= step


@part
def by_class(said, out):  # type: ignore[no-untyped-def]
    """The probabilities of the classes, given what each model says."""
    if len(said) == 1:
        out[0] = 1.0 - said[0]
        out[1] = said[0]
        return
    total = 0.0
    for m in range(len(said)):
        total += said[m]
    for m in range(len(said)):
        out[m] = said[m] / total
