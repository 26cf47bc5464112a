"""What a stretch of steps gave, column by column, in the form in which it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macro_engine.algorithm.contest import STRATEGIES, Outcome
from macro_engine.rows import Block, Bools, Counts, Floats, Ints, counts_type

Narrow: TypeAlias = NDArray[np.float16] | NDArray[np.float32]

_MOST_NARROW = 60_000.0  # of a distance that is kept in two bytes


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over all steps before some moment.

    Attributes
    ----------
    wrong
        Rows that each series got wrong: the strategies, then the thresholds.
    losses
        The summed losses of each threshold, by which FTL and EWA choose.
    """

    rows: int
    wrong: Ints
    losses: Floats

    @staticmethod
    def nothing(thresholds: int) -> Totals:
        return Totals(0, np.zeros(len(STRATEGIES) + thresholds, np.int64), np.zeros(thresholds))


@dataclass(frozen=True, eq=False)
class Results:
    """Steps in succession.

    Attributes
    ----------
    before
        The totals before the first of the steps.
    lengths
        Rows of each step.
    leaders
        The index of the threshold that FTL followed.
    late, rejected
        By steps, as in `Block`.
    wrong
        Series by steps: rows that each got wrong.
    active, subroutines, born, close, distance
        Thresholds by steps, as in `FamilyResult`.
    nearest, distances
        Thresholds by steps by 5, as in `FamilyResult`; about 3 digits of the distances.
    times
        By rows, in microseconds since 1970; None where the stream has none.
    labels, predictions
        Class indices: by rows, and series by rows.
    """

    first_step: int
    first_row: int
    before: Totals
    lengths: Counts
    leaders: Counts
    late: Counts
    rejected: Counts
    wrong: Counts
    active: Counts
    subroutines: Counts
    born: Bools
    close: Counts
    distance: Floats
    nearest: Counts
    distances: Narrow
    times: Ints | None
    labels: Counts
    predictions: Counts

    @staticmethod
    def of(block: Block, outcome: Outcome, before: Totals) -> Results:
        family, nobody = outcome.family, np.zeros(block.steps, np.uint8)
        return Results(
            first_step=block.first_step,
            first_row=block.first_row,
            before=before,
            lengths=small(np.diff(block.starts)),
            leaders=small(outcome.leaders),
            late=nobody if block.late is None else small(block.late),
            rejected=nobody if block.rejected is None else small(block.rejected),
            wrong=small(outcome.wrong),
            active=small(family.active),
            subroutines=small(family.subroutines),
            born=family.born,
            close=small(family.close),
            distance=family.distance,
            nearest=small(family.nearest),
            distances=narrow(family.nearest_distances),
            times=block.times,
            labels=small(block.rows.labels),
            predictions=outcome.predictions,
        )

    @property
    def steps(self) -> int:
        return len(self.lengths)

    @property
    def stop(self) -> int:
        """The number of the step after the last one."""
        return self.first_step + self.steps

    @property
    def rows(self) -> int:
        return len(self.labels)

    @property
    def nbytes(self) -> int:
        """About what the arrays take; the small ones are left out."""
        times = 0 if self.times is None else self.times.nbytes
        held = (self.distance, self.nearest, self.distances, self.predictions)
        return times + sum(array.nbytes for array in held)

    @property
    def starts(self) -> Ints:
        """Where each step begins among the rows, and at the end the number of rows."""
        return np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])

    @property
    def first_times(self) -> Ints | None:
        """The time of each step's first row."""
        return None if self.times is None else self.times[self.starts[:-1]]

    @property
    def losses_after(self) -> Floats:
        """The summed losses after each step, thresholds by steps, added one after the other."""
        losses = self.wrong[len(STRATEGIES) :] / self.lengths
        summed = np.cumsum(np.concatenate([self.before.losses[:, None], losses], 1), axis=1)
        return summed[:, 1:]

    @property
    def after(self) -> Totals:
        """The totals after the last of the steps."""
        return self.totals(self.stop)

    def totals(self, step: int) -> Totals:
        """The totals before a step."""
        n = step - self.first_step
        return Totals(
            self.before.rows + int(self.lengths[:n].sum(dtype=np.int64)),
            self.before.wrong + self.wrong[:, :n].sum(axis=1, dtype=np.int64),
            self.losses_after[:, n - 1] if n else self.before.losses,
        )

    @staticmethod
    def join(parts: Sequence[Results]) -> Results:
        """Parts that follow each other, as one."""
        first = parts[0]
        if len(parts) == 1:
            return first
        columns: dict[str, Any] = {}
        for name, axis in _AXES.items():
            arrays = [getattr(part, name) for part in parts]
            columns[name] = None if arrays[0] is None else np.concatenate(arrays, axis=axis)
        return Results(first.first_step, first.first_row, first.before, **columns)

    @staticmethod
    def between(start: int, stop: int, parts: Sequence[Results]) -> Results:
        """The steps from one number up to another, which are in parts that follow each other."""
        return Results.join(
            [part.cut(max(start, part.first_step), min(stop, part.stop)) for part in parts]
        )

    def cut(self, start: int, stop: int) -> Results:
        """The steps from one number up to another, both counted from the stream's beginning."""
        if (start, stop) == (self.first_step, self.stop):
            return self
        a, b = start - self.first_step, stop - self.first_step
        starts = self.starts
        rows = slice(int(starts[a]), int(starts[b]))
        columns: dict[str, Any] = {}
        for name, axis in _AXES.items():
            value = getattr(self, name)
            span = rows if name in _BY_ROWS else slice(a, b)
            columns[name] = None if value is None else value[(slice(None),) * axis + (span,)]
        return Results(start, self.first_row + rows.start, self.totals(start), **columns)


# the axis along which steps or rows follow each other
_AXES = {
    "lengths": 0,
    "leaders": 0,
    "late": 0,
    "rejected": 0,
    "wrong": 1,
    "active": 1,
    "subroutines": 1,
    "born": 1,
    "close": 1,
    "distance": 1,
    "nearest": 1,
    "distances": 1,
    "times": 0,
    "labels": 0,
    "predictions": 1,
}
_BY_ROWS = ("times", "labels", "predictions")


def small(values: NDArray[Any]) -> Counts:
    """Whole numbers from 0 on, in the smallest type that holds them."""
    if values.dtype == np.uint8:
        return values
    return values.astype(counts_type(int(values.max(initial=0))), copy=False)


def narrow(distances: NDArray[np.float32]) -> Narrow:
    """In two bytes each, unless one of them is too large for that.

    NumPy's own cast takes one number after the other, which is a good part of what results cost.
    """
    largest = np.fmax.reduce(np.abs(distances), axis=None, initial=0.0)
    if np.isinf(largest):
        largest = np.abs(distances[np.isfinite(distances)]).max(initial=0.0)
    if largest >= _MOST_NARROW:
        return distances
    bits = (distances * np.float32(2.0**-112)).view(np.uint32)  # with the exponents of float16
    signs = bits >> 16 & 0x8000
    bits += 0x1000  # to the nearest
    bits >>= 13
    bits &= 0x7FFF
    bits |= signs
    return bits.astype(np.uint16).view(np.float16)


__all__ = ["STRATEGIES", "Narrow", "Results", "Totals", "narrow", "small"]
