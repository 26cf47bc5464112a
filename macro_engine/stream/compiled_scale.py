"""The compiled running scale, a block at a time, with the same bits as its definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from macro_engine.core.compiling import compiler
from macro_engine.core.rows import Floats, Ints
from macro_engine.stream.running_scale import (
    CLIP,
    HUGE,
    LEAST,
    LIMIT,
    MANY,
    MEMORY,
    SLOPE,
    TINY,
    RunningScale,
)

compiled: Any = compiler(error_model="numpy")


class CompiledScale(RunningScale):
    """A running scale whose loops are compiled."""

    def scale(self, numbers: Floats) -> Floats:
        z = np.empty(numbers.shape)
        scale_rows(numbers, self.bounded, self.means, self.variances, z)
        return z

    def close(self, numbers: Floats) -> None:
        self.run(numbers, np.array([0, len(numbers)]))

    def run(self, numbers: Floats, starts: Ints) -> Floats:
        z = np.empty(numbers.shape)
        scale_steps(
            numbers, starts, self.bounded, self.counts, self.means, self.variances, self.values,
            self.clipped, self.often_clipped, z,
        )  # fmt: skip
        return z

    def units(self, z: Floats) -> Floats:
        u = np.empty(z.shape)
        units_of(z, self.bounded, u)
        return u


@compiled
def scale_rows(numbers, bounded, means, variances, z):  # type: ignore[no-untyped-def]
    for j in range(numbers.shape[1]):
        mean, deviation = means[j], math.sqrt(variances[j])
        varies = not (deviation == 0.0 or deviation <= TINY * abs(mean))
        for i in range(numbers.shape[0]):
            x = numbers[i, j]
            value = 0.0
            if abs(x) <= HUGE:
                if bounded[j]:
                    value = x
                elif varies:
                    value = (x - mean) / deviation
            z[i, j] = min(max(value, -CLIP), CLIP)


@compiled
def scale_steps(  # type: ignore[no-untyped-def]
    numbers, starts, bounded, counts, means, variances, values, clipped, often_clipped, z
):
    columns = numbers.shape[1]
    # kept from row to row: a root and a division for each value are what takes the time
    deviations, rates = np.sqrt(variances), 1.0 / np.maximum(counts, 1)
    for s in range(len(starts) - 1):
        for i in range(starts[s], starts[s + 1]):
            for j in range(columns):
                x, deviation = numbers[i, j], deviations[j]
                value = 0.0
                if abs(x) <= HUGE:
                    if bounded[j]:
                        value = x
                    else:
                        values[j] += 1
                        if not (deviation == 0.0 or deviation <= TINY * abs(means[j])):
                            value = (x - means[j]) / deviation
                            clipped[j] += abs(value) > CLIP
                z[i, j] = min(max(value, -CLIP), CLIP)
        for i in range(starts[s], starts[s + 1]):
            for j in range(columns):
                x, mean, deviation = numbers[i, j], means[j], deviations[j]
                if bounded[j] or not abs(x) <= HUGE:
                    continue
                if deviation > 0.0:
                    x = min(max(x, mean - LIMIT * deviation), mean + LIMIT * deviation)
                if counts[j] < MEMORY:
                    counts[j] += 1
                    rates[j] = 1.0 / float(counts[j])
                a, difference = rates[j], x - mean
                means[j] = mean + a * difference
                variances[j] = (1.0 - a) * (variances[j] + a * difference * difference)
                deviations[j] = math.sqrt(variances[j])
        for j in range(columns):
            if clipped[j] >= LEAST and clipped[j] * MANY > values[j]:
                often_clipped[j] = True


@compiled
def units_of(z, bounded, u):  # type: ignore[no-untyped-def]
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            u[i, j] = z[i, j] if bounded[j] else 1.0 / (1.0 + math.exp(-SLOPE * z[i, j]))
