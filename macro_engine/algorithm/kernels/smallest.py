"""The mean of the smallest of many values."""

from __future__ import annotations

import math

from macro_engine.core.compiling import inlined

SMALL = 48  # up to so many smallest values, keeping them sorted beats sorting all


@inlined
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


@inlined
def select_smallest(values, k):  # type: ignore[no-untyped-def]
    """Moves the k smallest values to the front, in any order (quickselect)."""
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


@inlined
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
