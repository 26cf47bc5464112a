"""An estimate of the time spent on distances on the compiled path, from sampled steps."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from macro_engine.algorithm.kernels import arrays
from macro_engine.algorithm.kernels.features import features_distances
from macro_engine.algorithm.kernels.frames import frames_distances
from macro_engine.algorithm.kernels.histories import SIDE_BY_SIDE
from macro_engine.algorithm.kernels.labels import labels_distances
from macro_engine.algorithm.kernels.smallest import SMALL
from macro_engine.algorithm.macro import threshold_at
from macro_engine.core.rows import Floats, Ints

_RUNS_A_SAMPLE = 16  # blocks between two looks
_SAMPLED_STEPS = 16


class DistanceCost:
    """Adds up about how many seconds went into distances."""

    def __init__(self, distance: str) -> None:
        self.distance = distance
        self.seconds = 0.0
        self.a_step = self.a_birth = 0.0
        self.runs = self.sampled_references = 0

    def add(
        self,
        steps: int,
        births: int,
        step: int,
        stretch: arrays.Stretch,
        settings: arrays.KernelSettings,
        references: arrays.References,
    ) -> None:
        """Count steps that have been run, so many of them with births; `step` is the next one."""
        count = int(references.used.sum())
        if count > 1.25 * self.sampled_references or self.runs % _RUNS_A_SAMPLE == 0:
            self.sampled_references = count
            self._sample(step, stretch, settings, references)
        self.runs += 1
        self.seconds += steps * self.a_step + births * self.a_birth

    def _sample(
        self,
        step: int,
        stretch: arrays.Stretch,
        settings: arrays.KernelSettings,
        kept: arrays.References,
    ) -> None:
        """Time the distances of some of the steps, and those at a birth.

        At a birth the closest reference is asked for, so that none is left at a lower bound.
        """
        limits = np.array([threshold_at(step, t, settings.power) for t in settings.thresholds])
        self.a_step = self.a_birth = 0.0
        for h in range(len(settings.histories)):
            of_history = arrays.References._make(values[h] for values in kept)
            bounded = limits[of_history.largest]
            self.a_step += _seconds(self.distance, h, stretch, settings, of_history, bounded)
            if self.distance == "features":
                unlimited = np.full(len(bounded), np.inf)
                self.a_birth += _seconds(self.distance, h, stretch, settings, of_history, unlimited)


def _seconds(
    distance: str,
    h: int,
    stretch: arrays.Stretch,
    settings: arrays.KernelSettings,
    kept: arrays.References,
    reach: Floats,
) -> float:
    """The mean time for the distances of a step, less what the calls themselves take."""
    starts, history, count = stretch.starts, max(int(settings.histories[h]), 0), int(kept.used)
    steps = np.unique(np.linspace(1, len(starts) - 1, _SAMPLED_STEPS).astype(int)).tolist()
    spans = [(int(starts[max(t - history, 0)]), int(starts[t])) for t in steps]
    widest = max(1024, int(np.diff(kept.starts[: count + 1], axis=0).max()))
    longest = max(b - a for a, b in spans)
    squares = np.zeros((kept.starts.shape[1], longest, widest))  # touched before it is timed
    sample = [
        _distances_of(
            distance,
            stretch.numbers[a:b, : kept.columns.shape[1]],
            stretch.labels[a:b],
            history,
            settings,
            kept,
            reach,
            squares,
        )
        for a, b in spans
    ]
    marks = []
    for references in (0, 0, count):  # once to warm up
        marks.append(perf_counter())
        for compute in sample:
            compute(references)
    marks.append(perf_counter())
    return max(0.0, (marks[3] - marks[2]) - (marks[2] - marks[1])) / len(sample)


def _distances_of(
    distance: str,
    numbers: Floats,
    labels: Ints,
    history: int,
    settings: arrays.KernelSettings,
    kept: arrays.References,
    reach: Floats,
    squares: Floats,
) -> Callable[[int], None]:
    """A function that computes a history's distances to the first so many references."""
    classes, out = kept.starts.shape[1], np.empty(len(kept.empty))
    if distance == "labels":
        shares = np.full(classes, 1 / classes)
        return lambda n: labels_distances(shares, n, kept.shares, out)
    if distance == "frames":
        newest = np.ascontiguousarray(numbers[::-1][:history])
        length = len(newest)
        sums = np.empty(SIDE_BY_SIDE)
        return lambda n: frames_distances(newest, length, n, kept.frames, kept.lengths, sums, out)
    rows = numbers[np.argsort(labels, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=classes))])
    least = np.zeros(squares.shape[2])
    smallest = np.empty(max(squares[0].size, SMALL))
    counted = np.empty(len(out), np.int64)
    return lambda n: features_distances(
        rows, starts, kept.columns, kept.starts, settings.divisor, settings.lacking, settings.skip,
        reach, squares, least, smallest, counted, out[:n],
    )  # fmt: skip
