"""NumPy versions of the slowest parts of the kernels, for runs whose kernels are not compiled.

They give the same bits: every sum runs in the same order, which `cumsum` keeps and `sum` does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from macro_engine.algorithm.kernels import (
    features,
    frames,
    labels,
    logistic,
    nearest_mean,
    smallest,
    steps,
)
from macro_engine.algorithm.kernels.arrays import PresentHistory, Subroutines
from macro_engine.core.rows import Bools, Counts, Floats, Ints
from macro_engine.core.steps import NEAREST


def _labels_distances(shares: Floats, n: int, references: Floats, out: Floats) -> None:
    difference = shares[:, None] - references[:, :n]
    out[:n] = np.cumsum(difference * difference, axis=0)[-1]


def _square_distances(
    now: Floats,
    n0: int,
    n1: int,
    columns: Floats,
    c: int,
    first: int,
    last: int,
    out: Floats,
    least: Floats,
) -> None:
    squares = np.zeros((n1 - n0, last - first))
    for column in range(now.shape[1]):
        difference = now[n0:n1, column, None] - columns[c, column, first:last]
        squares += difference * difference
    out[: n1 - n0, : last - first] = squares
    least[: last - first] = squares.min(axis=0, initial=math.inf)


def _mean_of_smallest(
    squares: Floats,
    n: int,
    j0: int,
    j1: int,
    divisor: float,
    buffer: Floats,  # noqa: ARG001
) -> float:
    k = max(n, j1 - j0)
    roots = np.sqrt(np.sort(squares[:n, j0:j1], axis=None)[:k]) / divisor
    return float(np.cumsum(roots)[-1]) / k


def _frames_distances(
    now: Floats,
    length: int,
    n: int,
    references: Floats,
    lengths: Ints,
    squares: Floats,  # noqa: ARG001
    out: Floats,
) -> None:
    total = np.zeros(n)
    for i in range(length):
        difference = now[i][:, None] - references[i, :, :n]
        roots = np.sqrt(np.cumsum(difference * difference, axis=0)[-1])
        total += np.where(i < lengths[:n], roots, 0.0)
    count = np.minimum(length, lengths[:n])
    out[:n] = np.where(count > 0, total / np.maximum(count, 1), 0.0)


def _find_nearest(k: int, h: int, subroutines: Subroutines, present: PresentHistory) -> None:
    distances = present.distances[h, subroutines.reference[k, : subroutines.used[k]]]
    order = np.argsort(distances, kind="stable")[:NEAREST]
    present.nearest[:], present.nearest_distances[:] = -1, math.nan
    present.nearest[: len(order)] = order
    present.nearest_distances[: len(order)] = distances[order]


def _all_have_one_close(
    h: int, settings: Any, subroutines: Subroutines, present: PresentHistory
) -> bool:
    return all(
        (present.distances[h, subroutines.reference[k, :n]] <= present.limits[k]).any()
        for k, n in enumerate(subroutines.used.tolist())
        if settings.history_of[k] == h
    )


def _select_close(
    k: int, h: int, subroutines: Subroutines, present: PresentHistory, learning: int
) -> int:
    n = subroutines.used[k]
    close = present.distances[h, subroutines.reference[k, :n]] <= present.limits[k]
    places = subroutines.place[k, :n][close]
    subroutines.updates[k, :n] += close
    present.learning[learning : learning + len(places)] = places
    return learning + len(places)


def _dense(numbers: Floats, ones: Ints, i: int, width: int) -> Floats:
    x = np.zeros(width)
    x[: numbers.shape[1]] = numbers[i]
    x[ones[i]] = 1.0
    return x


def _mean_predict(
    means: Floats,
    counts: Ints,
    place: int,
    numbers: Floats,
    ones: Ints,
    begin: int,
    end: int,
    totals: Floats,
    predictions: Counts,
    k: int,
    shift: int,
) -> None:
    seen: Bools = counts[place] > 0
    mine = means[place].reshape(-1, len(seen))
    for i in range(begin, end):
        difference = _dense(numbers, ones, i, len(mine))[:, None] - mine
        totals[:] = np.where(seen, np.cumsum(difference * difference, axis=0)[-1], math.inf)
        predictions[k, i - shift] = totals.argmin()


def _mean_learn(
    means: Floats,
    counts: Ints,
    place: int,
    labels: Ints,
    numbers: Floats,
    ones: Ints,
    begin: int,
    end: int,
) -> None:
    mine = means[place].reshape(-1, counts.shape[1])
    for i in range(begin, end):
        label = labels[i]
        counts[place, label] += 1
        mean = mine[:, label]
        mean += (_dense(numbers, ones, i, len(mine)) - mean) / counts[place, label]


def _prefetch_weights(weights: Floats, ones: Ints, i: int, models: int) -> None:
    """Nothing is known of caches here."""


TWINS: dict[Any, Callable[..., Any]] = {
    labels.labels_distances: _labels_distances,
    features.square_distances: _square_distances,
    features.all_have_one_close: _all_have_one_close,
    smallest.mean_of_smallest: _mean_of_smallest,
    frames.frames_distances: _frames_distances,
    steps.find_nearest: _find_nearest,
    steps.select_close: _select_close,
    logistic.prefetch_weights: _prefetch_weights,
    nearest_mean.mean_predict: _mean_predict,
    nearest_mean.mean_learn: _mean_learn,
}
