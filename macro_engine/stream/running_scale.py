"""The scale of columns without bounds, by running mean and deviation.

Learner, distance and tiles see the same z. A step is scaled by the closed steps before it, so that
the scale stands behind the division into steps, where blocks are made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from macro_engine.core.declared import Array, Declared
from macro_engine.core.rows import Bools, Floats, Ints
from macro_engine.core.state import DamagedError, State

CLIP = 4.0  # deviations beyond which z is cut off
LIMIT = 8.0  # deviations beyond which a value enters the statistics as if it lay there
MEMORY = 5000  # rows, from which on older ones fade
TINY = 1e-12  # a deviation below this part of the mean is none
HUGE = 1e150  # a number beyond it counts as missing: its square might not be finite
MANY, LEAST = 100, 10  # one value in so many is cut off, and so many in all: that is said
SLOPE = 1.7  # of the curve that brings z to [0, 1]


class RunningScale:
    """Scales rows of raw numbers, in which NaN or infinity is a missing value.

    Parameters
    ----------
    bounded
        By column, whether it has known bounds: then it lies in [0, 1] already, is left as it is,
        and has no statistics.
    """

    remembers = Declared(
        Array("counts", np.int64, ("columns",), low=0, below=MEMORY + 1),
        Array("means", np.float64, ("columns",)),
        Array("variances", np.float64, ("columns",)),
        Array("values", np.int64, ("columns",), low=0),
        Array("clipped", np.int64, ("columns",), low=0),
        Array("often_clipped", np.bool_, ("columns",)),
    )

    def __init__(self, bounded: Sequence[bool] | Bools) -> None:
        self.bounded: Bools = np.array(bounded, np.bool_)
        columns = len(self.bounded)
        self.counts = np.zeros(columns, np.int64)
        self.means = np.zeros(columns)
        self.variances = np.zeros(columns)
        self.values = np.zeros(columns, np.int64)  # that were scaled in closed steps
        self.clipped = np.zeros(columns, np.int64)  # how many of them were cut off
        self.often_clipped = np.zeros(columns, np.bool_)  # when some step closed

    def scale(self, numbers: Floats) -> Floats:
        """The z of rows of the step that is open, by the closed steps."""
        z = np.empty(numbers.shape)
        for i, row in enumerate(numbers.tolist()):
            for j, x in enumerate(row):
                z[i, j] = min(max(self._deviations(j, x), -CLIP), CLIP)
        return z

    def close(self, numbers: Floats) -> None:
        """Adds the rows of a step to the statistics."""
        for row in numbers.tolist():
            for j, x in enumerate(row):
                if self.bounded[j] or is_missing(x):
                    continue
                self.values[j] += 1
                self.clipped[j] += abs(self._deviations(j, x)) > CLIP
        for row in numbers.tolist():
            for j, x in enumerate(row):
                if not (self.bounded[j] or is_missing(x)):
                    self._add(j, x)
        self.often_clipped |= are_many(self.clipped, self.values)

    def run(self, numbers: Floats, starts: Ints) -> Floats:
        """The z of a block of whole steps, each of which is closed before the next one."""
        z = np.empty(numbers.shape)
        for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            z[a:b] = self.scale(numbers[a:b])
            self.close(numbers[a:b])
        return z

    def units(self, z: Floats) -> Floats:
        """What the tiles see of scaled rows: all columns in [0, 1]."""
        u = np.empty(z.shape)
        for i, row in enumerate(z.tolist()):
            for j, value in enumerate(row):
                u[i, j] = value if self.bounded[j] else 1.0 / (1.0 + math.exp(-SLOPE * value))
        return u

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State) -> None:
        """Go on from a state; the scale must be new."""
        self.remembers.restore(self, state, columns=len(self.bounded))
        if not (np.isfinite(self.means) & (self.variances >= 0.0)).all():
            raise DamagedError("in its state the scale is invalid")

    def _deviations(self, j: int, x: float) -> float:
        """How far a value lies from the mean of its column; 0 where it is missing."""
        if is_missing(x):
            return 0.0
        if self.bounded[j]:
            return x
        mean, deviation = float(self.means[j]), math.sqrt(self.variances[j])
        if deviation == 0.0 or deviation <= TINY * abs(mean):
            return 0.0
        return (x - mean) / deviation

    def _add(self, j: int, x: float) -> None:
        mean, variance = float(self.means[j]), float(self.variances[j])
        deviation = math.sqrt(variance)
        if deviation > 0.0:
            x = min(max(x, mean - LIMIT * deviation), mean + LIMIT * deviation)
        self.counts[j] = min(int(self.counts[j]) + 1, MEMORY)
        a = 1.0 / float(self.counts[j])
        difference = x - mean
        self.means[j] = mean + a * difference
        self.variances[j] = (1.0 - a) * (variance + a * difference * difference)


def is_missing(x: float) -> bool:
    return not abs(x) <= HUGE


def are_many(clipped: Any, values: Any) -> Any:
    """Whether more than 1 % of the values are cut off, and not the first few alone."""
    return (clipped >= LEAST) & (clipped * MANY > values)
