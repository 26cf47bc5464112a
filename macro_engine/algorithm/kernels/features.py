"""The kernels' part for the features distance."""

from __future__ import annotations

import math

from macro_engine.algorithm.kernels.histories import compare_empty, count_classes, oldest_row
from macro_engine.algorithm.kernels.smallest import mean_of_smallest
from macro_engine.core.compiling import borrowing, inlined
from macro_engine.core.steps import NEAREST


@inlined
def square_distances(now, n0, n1, columns, c, first, last, out, least):  # type: ignore[no-untyped-def]
    """Squared l2 between rows n0 to n1 and the kept rows first to last of class c.

    `least` gets the smallest one for each of the kept rows.
    """
    count = last - first
    kept = columns[c]
    for j in range(count):
        least[j] = math.inf
    for i in range(n0, n1):
        line = out[i - n0]
        for j in range(count):
            line[j] = 0.0
        for column in range(now.shape[1]):
            x = now[i, column]
            values = kept[column, first:last]
            for j in range(count):
                difference = x - values[j]
                line[j] += difference * difference
        for j in range(count):
            least[j] = line[j] if line[j] < least[j] else least[j]


@inlined
def fit_together(group, stop, ref_starts, room):  # type: ignore[no-untyped-def]
    """Whether there is room for the rows of some references, class by class."""
    for c in range(ref_starts.shape[1]):
        if ref_starts[stop, c] - ref_starts[group, c] > room:
            return False
    return True


@borrowing
def features_distances(  # type: ignore[no-untyped-def]
    now, now_starts, columns, ref_starts, divisor, lacking, skip, reach, squares,
    least, buffer, counted, out,
):  # fmt: skip
    """The distance to every reference; a lower bound may stand for any beyond its reach.

    Where it does, `counted` is 0. The kept rows of a class stand side by side for all references,
    column by column, so that one pass over them gives all squared differences. The smallest of them
    bounds the mean of the smallest from below, and most references are found to be too far by the
    sum of that over all classes.
    """
    classes, n_references = len(now_starts) - 1, len(out)
    for r in range(n_references):
        out[r] = 0.0
        missing = 0
        for c in range(classes):
            has = ref_starts[r + 1, c] > ref_starts[r, c]
            missing += (now_starts[c + 1] > now_starts[c]) != has
        counted[r] = classes - missing * skip
        if missing * lacking > reach[r] * classes:
            out[r] = missing * lacking
            counted[r] = 0
    group = 0
    while group < n_references:
        # as many references as the buffers hold
        stop = group + 1
        while stop < n_references and fit_together(group, stop + 1, ref_starts, len(least)):
            stop += 1
        for c in range(classes):
            n0, n1 = now_starts[c], now_starts[c + 1]
            start = ref_starts[group, c]
            if n1 > n0:
                last = ref_starts[stop, c]
                square_distances(now, n0, n1, columns, c, start, last, squares[c], least)
            for r in range(group, stop):
                if counted[r] == 0:
                    continue
                j0, j1 = ref_starts[r, c] - start, ref_starts[r + 1, c] - start
                if n1 > n0 and j1 > j0:
                    smallest = least[j0]
                    for j in range(j0 + 1, j1):
                        smallest = min(smallest, least[j])
                    out[r] += math.sqrt(smallest) / divisor
                elif n1 > n0 or j1 > j0:
                    out[r] += lacking
        for r in range(group, stop):
            if counted[r] == 0:
                continue
            if skip == 0 and out[r] > reach[r] * classes:
                counted[r] = 0
                continue
            out[r] = 0.0
            for c in range(classes):
                n = now_starts[c + 1] - now_starts[c]
                j0 = ref_starts[r, c] - ref_starts[group, c]
                j1 = ref_starts[r + 1, c] - ref_starts[group, c]
                if n > 0 and j1 > j0:
                    out[r] += mean_of_smallest(squares[c], n, j0, j1, divisor, buffer)
                elif n > 0 or j1 > j0:
                    out[r] += lacking
        group = stop
    for r in range(n_references):
        if counted[r] > 0:
            out[r] /= counted[r]
        elif skip:  # no bound is used then: no class is left that both have
            out[r] = math.inf
            counted[r] = 1
        else:
            out[r] /= classes


@inlined
def by_class(numbers, labels, start, stop, counts, starts, out):  # type: ignore[no-untyped-def]
    """The rows from `start` to `stop` in `out`, class after class, and where each class starts.

    `counts` are the numbers of rows of each class, and 0 afterwards.
    """
    starts[0] = 0
    for c in range(len(counts)):
        starts[c + 1] = starts[c] + counts[c]
    for i in range(start, stop):
        c = labels[i]
        counts[c] -= 1
        for column in range(out.shape[1]):
            out[starts[c] + counts[c], column] = numbers[i, column]


@inlined
def has_room_for_reference(h, t, stretch, settings, references):  # type: ignore[no-untyped-def]
    """Whether there is room for the rows of one more reference, the history before step t."""
    rows = stretch.starts[t] - oldest_row(h, t, stretch, settings)
    n = references.used[h]
    for c in range(references.starts.shape[2]):
        if references.starts[h, n, c] + rows > references.columns.shape[3]:
            return False
    return True


@inlined
def describe_history(h, t, stretch, settings, present):  # type: ignore[no-untyped-def]
    """Describe a history before step t; returns how many rows it has."""
    rows = count_classes(h, t, stretch, settings, present)
    by_class(
        stretch.numbers, stretch.labels, stretch.starts[t] - rows, stretch.starts[t],
        present.counts, present.starts, present.rows,
    )  # fmt: skip
    return rows


@inlined
def measure_distances(h, rows, settings, references, subroutines, present):  # type: ignore[no-untyped-def]
    """The distance of a history to every reference of its own, or a lower bound."""
    n, out = references.used[h], present.distances[h]
    empty, counted = references.empty[h], present.counted[h]
    for r in range(n):
        # some room for rounding; the baseline takes its only reference however far it is
        present.reach[r] = present.limits[references.largest[h, r]] * 1.000001
    for bounded in (True, False):
        features_distances(
            present.rows, present.starts, references.columns[h], references.starts[h],
            settings.divisor, settings.lacking, settings.skip, present.reach, present.squares,
            present.least, present.smallest, counted, out[:n],
        )  # fmt: skip
        compare_empty(rows == 0, n, empty, counted, out)
        if not bounded or all_have_one_close(h, settings, subroutines, present):
            break
        # the closest one will be asked for, however far it is
        for r in range(n):
            present.reach[r] = math.inf


@inlined
def all_have_one_close(h, settings, subroutines, present):  # type: ignore[no-untyped-def]
    distances = present.distances[h]
    for k in range(len(present.limits)):
        if settings.history_of[k] != h:
            continue
        found = False
        for j in range(subroutines.used[k]):
            if distances[subroutines.reference[k, j]] <= present.limits[k]:
                found = True
                break
        if not found:
            return False
    return True


@inlined
def measure_nearest(k, h, settings, references, subroutines, present):  # type: ignore[no-untyped-def]
    """Compute those of the nearest distances that are lower bounds; whether there were any."""
    found = False
    for i in range(NEAREST):
        if present.nearest[i] < 0:
            break
        r = subroutines.reference[k, present.nearest[i]]
        if present.counted[h, r] == 0:
            found = True
            present.reach[r] = math.inf
            features_distances(
                present.rows, present.starts, references.columns[h],
                references.starts[h, r : r + 2], settings.divisor, settings.lacking, settings.skip,
                present.reach[r : r + 1], present.squares, present.least, present.smallest,
                present.counted[h, r : r + 1], present.distances[h, r : r + 1],
            )  # fmt: skip
    return found


@inlined
def keep_reference(h, r, rows, settings, references, present):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Keep the present history as reference r."""
    for c in range(len(present.starts) - 1):
        now, kept = present.starts[c], references.starts[h, r, c]
        count = present.starts[c + 1] - now
        for column in range(present.rows.shape[1]):
            for i in range(count):
                references.columns[h, c, column, kept + i] = present.rows[now + i, column]
        references.starts[h, r + 1, c] = kept + count
