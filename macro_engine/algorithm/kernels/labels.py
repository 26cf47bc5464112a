"""The kernels' part for the labels distance."""

from __future__ import annotations

from macro_engine.algorithm.kernels.histories import (
    SIDE_BY_SIDE,
    compare_empty,
    count_classes,
)
from macro_engine.core.compiling import borrowing, inlined


@borrowing
def labels_distances(shares, n_references, references, out):  # type: ignore[no-untyped-def]
    """The squared l2 between shares, for every reference, some hundred at a time."""
    for start in range(0, n_references, SIDE_BY_SIDE):
        count = min(SIDE_BY_SIDE, n_references - start)
        total = out[start : start + count]
        for r in range(count):
            total[r] = 0.0
        for c in range(len(shares)):
            share = shares[c]
            values = references[c, start : start + count]
            for r in range(count):
                difference = share - values[r]
                total[r] += difference * difference


@inlined
def has_room_for_reference(h, t, stretch, settings, references):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Whether there is room for the rows of one more reference: none are kept."""
    return True


@inlined
def describe_history(h, t, stretch, settings, present):  # type: ignore[no-untyped-def]
    """Describe a history before step t; returns how many rows it has."""
    rows = count_classes(h, t, stretch, settings, present)
    for c in range(len(present.counts)):
        present.shares[c] = present.counts[c] / rows if rows > 0 else 0.0
    return rows


@inlined
def measure_distances(h, rows, settings, references, subroutines, present):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """The distance of a history to every reference of its own."""
    n, out = references.used[h], present.distances[h]
    labels_distances(present.shares, n, references.shares[h], out)
    compare_empty(rows == 0, n, references.empty[h], present.counted[h], out)


@inlined
def measure_nearest(k, h, settings, references, subroutines, present):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Whether one of the nearest was not measured to the end before: all were."""
    return False


@inlined
def keep_reference(h, r, rows, settings, references, present):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Keep the present history as reference r."""
    for c in range(len(present.shares)):
        references.shares[h, c, r] = present.shares[c]
