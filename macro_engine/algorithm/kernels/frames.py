"""The kernels' part for the frames distance."""

from __future__ import annotations

import math

from macro_engine.algorithm.kernels.histories import SIDE_BY_SIDE, compare_empty
from macro_engine.core.compiling import borrowing, inlined


@borrowing
def frames_distances(now, length, n_references, references, lengths, squares, out):  # type: ignore[no-untyped-def]
    """The mean l2 between rows at the same position, for every reference.

    References stand side by side for each position and column, some hundred at a time: their sums
    run in the given order, each on its own.
    """
    for start in range(0, n_references, SIDE_BY_SIDE):
        count = min(SIDE_BY_SIDE, n_references - start)
        total = out[start : start + count]
        for r in range(count):
            total[r] = 0.0
        for i in range(length):
            for r in range(count):
                squares[r] = 0.0
            for c in range(now.shape[1]):
                x = now[i, c]
                values = references[i, c, start : start + count]
                for r in range(count):
                    difference = x - values[r]
                    squares[r] += difference * difference
            for r in range(count):
                if i < lengths[start + r]:
                    total[r] += math.sqrt(squares[r])
        for r in range(count):
            n = min(length, lengths[start + r])
            total[r] = total[r] / n if n > 0 else 0.0


@inlined
def has_room_for_reference(h, t, stretch, settings, references):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Whether there is room for the rows of one more reference: there always is."""
    return True


@inlined
def describe_history(h, t, stretch, settings, present):  # type: ignore[no-untyped-def]
    """Describe a history before step t; returns how many rows it has."""
    begin = stretch.starts[t]
    rows = min(settings.histories[h], begin - stretch.starts[0])
    for i in range(rows):
        for c in range(present.frames.shape[1]):
            present.frames[i, c] = stretch.numbers[begin - 1 - i, c]
    return rows


@inlined
def measure_distances(h, rows, settings, references, subroutines, present):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """The distance of a history to every reference of its own."""
    n, out = references.used[h], present.distances[h]
    frames_distances(
        present.frames, rows, n, references.frames[h], references.lengths[h], present.least, out,
    )  # fmt: skip
    compare_empty(rows == 0, n, references.empty[h], present.counted[h], out)


@inlined
def measure_nearest(k, h, settings, references, subroutines, present):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Whether one of the nearest was not measured to the end before: all were."""
    return False


@inlined
def keep_reference(h, r, rows, settings, references, present):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Keep the present history as reference r."""
    references.lengths[h, r] = rows
    for i in range(rows):
        for column in range(present.frames.shape[1]):
            references.frames[h, i, column, r] = present.frames[i, column]
