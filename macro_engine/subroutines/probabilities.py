"""Normalises the probabilities of models that each know one class."""

from __future__ import annotations

import numpy as np

from macro_engine.core.rows import Floats


def of_classes(positive: Floats) -> Floats:
    """Rows by classes, given rows by models.

    One model gives the probability of the second of two classes. With one a class each gets its
    share of the sum; where no model gives its class a chance, all get the same.

    >>> of_classes(np.array([[0.25]])).tolist()
    [[0.75, 0.25]]
    >>> of_classes(np.array([[0.5, 0.25, 0.25], [0.0, 0.0, 0.0]])).round(2).tolist()
    [[0.5, 0.25, 0.25], [0.33, 0.33, 0.33]]
    """
    models = positive.shape[1]
    if models == 1:
        return np.concatenate([1.0 - positive, positive], axis=1)
    total = np.zeros(len(positive))
    for c in range(models):  # one after the other; sum would reorder the additions
        total += positive[:, c]
    no_chance = total == 0.0
    shares: Floats = positive / np.where(no_chance, 1.0, total)[:, None]
    shares[no_chance] = 1.0 / models
    return shares


def sigmoid(margins: Floats) -> Floats:
    """1 / (1 + exp(-z)); 0 and 1 beyond 30, as River has it."""
    inner: Floats = 1.0 / (1.0 + np.exp(-np.clip(margins, -30.0, 30.0)))
    return np.where(margins < -30.0, 0.0, np.where(margins > 30.0, 1.0, inner))
