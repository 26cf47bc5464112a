"""Small streams for the blend, with members and a marginal that someone might have computed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from macro_engine.blend.shape import BlendShape, Evidence


class Made(NamedTuple):
    shape: BlendShape
    evidence: Evidence
    labels: np.ndarray
    starts: np.ndarray

    def cut(self, start: int, stop: int):
        """Evidence, labels and starts of some steps."""
        a, b = int(self.starts[start]), int(self.starts[stop])
        return self.evidence.cut(a, b), self.labels[a:b], self.starts[start : stop + 1] - a


def made(classes=2, numbers=3, categories=1, members=2, rows=60, step=4, seed=0) -> Made:
    """Labels depend on the first column and on the last label."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(rows, numbers)).clip(-4, 4)
    codes = np.minimum(rng.geometric(0.3, (rows, categories)), np.arange(rows)[:, None] + 1) - 1
    score = (z[:, 0] if numbers else np.zeros(rows)) + np.repeat(rng.normal(size=rows), 5)[:rows]
    labels = np.clip(np.digitize(score, np.linspace(-1.5, 1.5, classes - 1)), 0, classes - 1)

    def forecasts(*shape):
        raw = rng.random((*shape, classes)) + 0.05
        return raw / raw.sum(axis=-1, keepdims=True)

    evidence = Evidence(
        z, 1 / (1 + np.exp(-1.7 * z)), codes,
        forecasts(rows), forecasts(rows), forecasts(members, rows),
    )  # fmt: skip
    starts = np.unique(np.append(np.arange(0, rows, step), rows))
    return Made(BlendShape.of(classes, numbers, categories, members), evidence, labels, starts)


SHAPES = {
    "two classes": {},
    "one row a step": {"step": 1},
    "five classes": {"classes": 5, "rows": 40},
    "five classes, one row a step": {"classes": 5, "rows": 30, "step": 1},
    "no columns": {"numbers": 0, "categories": 0},
    "one column": {"numbers": 1, "categories": 0},
    "categories only": {"numbers": 0, "categories": 2},
    "no members": {"members": 0},
    "forty classes": {"classes": 40, "rows": 12},
}


def same(left, right) -> bool:
    """Whether two states are equal to the bit."""
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, np.ndarray):
        return (
            left.dtype == right.dtype and left.shape == right.shape and bool((left == right).all())
        )
    return left == right


def patterned(classes: int, rows: int = 90):
    """Raw numbers, codes, labels and starts that need no random numbers."""
    i = np.arange(rows)
    numbers = np.stack([(i * 37 % 23) / 7 - 1, 100.0 + i * 11 % 17, np.sqrt(i)], axis=1)
    codes = np.stack([i * i % 5 % 3, i // 20], axis=1)
    labels = (i * 37 % 23 + 3 * (i // 9)) // 7 % classes
    starts = np.unique(np.append(i[i * 5 % 3 != 1], rows))
    return numbers, codes, labels, starts
