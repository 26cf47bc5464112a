"""Arithmetic that the experts share.

Sums are written out: they run from left to right, and the builtin `sum` does so only up to Python
3.11. Exponentials and logarithms are those of `math`: NumPy's may differ in the last bit.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence


def sigmoid(z: float) -> float:
    """1 / (1 + exp(-z)), never 0 or 1.

    >>> sigmoid(0.0), sigmoid(-100.0)
    (0.5, 6e-16)
    """
    if not z >= -35.0:  # nor is it a number where huge columns cancel each other
        return 6e-16
    if z > 35.0:
        return 1.0 - 6e-16
    return 1.0 / (1.0 + math.exp(-z))


def total(values: Sequence[float]) -> float:
    result = 0.0
    for value in values:
        result += value
    return result


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    result = 0.0
    for a, b in zip(left, right, strict=True):
        result += a * b
    return result


def normalised(values: Sequence[float]) -> list[float]:
    whole = total(values)
    return [value / whole for value in values]


def by_class(margins: Sequence[float]) -> list[float]:
    """The probability of each class, given the margin of the second of two, or of each."""
    if len(margins) == 1:
        p = sigmoid(margins[0])
        return [1.0 - p, p]
    return normalised([sigmoid(z) for z in margins])


def targets(label: int, models: int) -> list[float]:
    """Returns the target of each logistic model for a row with this label."""
    if models == 1:
        return [float(label == 1)]
    return [float(label == m) for m in range(models)]


def softmax(scores: Sequence[float]) -> list[float]:
    most = max(scores)
    return normalised([math.exp(score - most) for score in scores])


def centred_logs(p: Sequence[float]) -> list[float]:
    """log p(c) less its mean over the classes; nothing counts as less likely than 1e-4."""
    if len(p) == 2:
        half = 0.5 * math.log(max(p[1], 1e-4) / max(p[0], 1e-4))
        return [-half, half]
    logs = [math.log(max(value, 1e-4)) for value in p]
    mean = total(logs) / len(logs)
    return [value - mean for value in logs]


def single(value: float) -> float:
    """The nearest float32, as a float."""
    return array("f", [value])[0]
