"""Distances between the present history and every reference."""

from __future__ import annotations

import math

from macro_engine.core.compiling import compiled, part_of_step

SMALL = 48  # up to so many smallest values, keeping them sorted beats sorting all
SIDE_BY_SIDE = 512  # references whose distances are summed together


@part_of_step
def labels_distances(shares, n_references, references, out):  # type: ignore[no-untyped-def]
    for r in range(n_references):
        total = 0.0
        for c in range(len(shares)):
            difference = shares[c] - references[r, c]
            total += difference * difference
        out[r] = total


@compiled
def sort_in_place(values):  # type: ignore[no-untyped-def]
    """Heapsort; NumPy's own sort takes seconds to compile."""
    n = len(values)
    for size in range(2 * n - 1, 0, -1):
        # first make a heap of all values, then take the largest from it again and again
        root, end = (size - n, n) if size >= n else (0, size)
        if size < n:
            values[0], values[size] = values[size], values[0]
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and values[child + 1] > values[child]:
                child += 1
            if values[root] >= values[child]:
                break
            values[root], values[child] = values[child], values[root]
            root = child


@compiled
def select_smallest(values, k):  # type: ignore[no-untyped-def]
    """Quickselect: afterwards the k smallest stand in front, in any order."""
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        a, b, c = values[low], values[middle], values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return


@compiled
def mean_of_smallest(squares, n, j0, j1, divisor, buffer):  # type: ignore[no-untyped-def]
    """The mean of the max(n, j1 - j0) smallest roots in the first n lines, columns j0 to j1.

    `buffer` has room for all of them.
    """
    k = max(n, j1 - j0)
    if k == 1:
        return math.sqrt(squares[0, j0]) / divisor
    if k <= SMALL:
        filled = 0
        for i in range(n):
            for j in range(j0, j1):
                square = squares[i, j]
                if filled == k:
                    if square >= buffer[k - 1]:
                        continue
                    place = k - 1
                else:
                    place = filled
                    filled += 1
                while place > 0 and buffer[place - 1] > square:
                    buffer[place] = buffer[place - 1]
                    place -= 1
                buffer[place] = square
        smallest = buffer
    else:
        smallest = buffer[: n * (j1 - j0)]
        for i in range(n):
            for j in range(j0, j1):
                smallest[i * (j1 - j0) + j - j0] = squares[i, j]
        select_smallest(smallest, k)
        sort_in_place(smallest[:k])
    total = 0.0
    for i in range(k):
        total += math.sqrt(smallest[i]) / divisor
    return total / k


@compiled
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


@compiled
def features_distances(  # type: ignore[no-untyped-def]
    now, now_starts, n_references, columns, ref_starts, divisor, lacking, skip, reach, squares,
    least, buffer, counted, out,
):  # fmt: skip
    """The distance to every reference; a lower bound may stand for any beyond its reach.

    Where it does, `counted` is 0. Class by class: the kept rows of a class stand side by side for
    all references, column by column, so that one pass over them gives all squared differences. The
    smallest of them bounds the mean of the smallest from below, and most references are found to be
    too far by that.
    """
    classes = len(now_starts) - 1
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
    for c in range(classes):
        n0, n1 = now_starts[c], now_starts[c + 1]
        group = 0
        while group < n_references:
            # as many references as the buffer holds
            start = ref_starts[group, c]
            stop = group + 1
            while stop < n_references and ref_starts[stop + 1, c] - start <= len(least):
                stop += 1
            if n1 > n0:
                last = ref_starts[stop, c]
                square_distances(now, n0, n1, columns, c, start, last, squares[c], least)
            for r in range(group, stop):
                if counted[r] == 0:
                    continue
                j0, j1 = ref_starts[r, c] - start, ref_starts[r + 1, c] - start
                if n1 > n0 and j1 > j0:
                    if skip == 0:
                        smallest = math.inf
                        for j in range(j0, j1):
                            smallest = min(smallest, least[j])
                        bound = out[r] + math.sqrt(smallest) / divisor
                        if bound > reach[r] * classes:
                            out[r] = bound
                            counted[r] = 0
                            continue
                    out[r] += mean_of_smallest(squares[c], n1 - n0, j0, j1, divisor, buffer)
                elif n1 > n0 or j1 > j0:
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


@part_of_step
def features_distance(  # type: ignore[no-untyped-def]
    now, now_starts, n_references, r, columns, ref_starts, divisor, lacking, squares, least, buffer
):
    """The distance to one reference, where no class is skipped.

    It follows `features_distances`, and takes the squared differences found there where all of them
    had room.
    """
    classes = len(now_starts) - 1
    total = 0.0
    for c in range(classes):
        n0, n1 = now_starts[c], now_starts[c + 1]
        first, last = ref_starts[r, c], ref_starts[r + 1, c]
        if n1 > n0 and last > first:
            start = ref_starts[0, c]
            if ref_starts[n_references, c] - start > len(least):
                start = first
                square_distances(now, n0, n1, columns, c, first, last, squares[c], least)
            j0, j1 = first - start, last - start
            total += mean_of_smallest(squares[c], n1 - n0, j0, j1, divisor, buffer)
        elif n1 > n0 or last > first:
            total += lacking
    return total / classes


@compiled
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


@part_of_step
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
        for column in range(numbers.shape[1]):
            out[starts[c] + counts[c], column] = numbers[i, column]


@part_of_step
def compare_empty(now_empty, n_references, ref_empty, counted, distances):  # type: ignore[no-untyped-def]
    """Two empty histories are at distance 0, an empty one and another infinitely far apart."""
    for r in range(n_references):
        if now_empty or ref_empty[r]:
            distances[r] = 0.0 if now_empty and ref_empty[r] else math.inf
            counted[r] = 1
