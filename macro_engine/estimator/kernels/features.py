"""Lower bounds of the distance `features`, and the references that need the exact distance."""

from __future__ import annotations

import math

from macro_engine.core.compiling import borrowing
from macro_engine.estimator.kernels.parts import (
    DISTANCE,
    HISTORY,
    LINE,
    LINE_NUMBER,
    LINES,
    REFERENCE,
    SUBROUTINE,
    THRESHOLD,
    USED,
    cube_of,
    table_of,
)

_SAFE = 1.0 - 1e-9  # of a bound, for what its own sums are rounded by


@borrowing
def features_bounds(  # type: ignore[no-untyped-def]
    now, norms, now_starts, columns, ref_norms, ref_starts, numbers, dots, sums, counts, least, out
):  # fmt: skip
    """A lower bound of the distance to every reference, where no class is skipped.

    With s the sum of n roots below tau, the k smallest add up to s + (k - n) tau at least: if n < k
    the others are no smaller, else the largest are no larger. So nothing is sorted. Squares come
    from products of what is not 0, and are lowered by more than these are rounded by. `numbers` are
    what a class counts that one side lacks, and tau.
    """
    lacking, tau = numbers[0], numbers[1]
    classes, n_references, width = len(now_starts) - 1, len(out), now.shape[1]
    slack = 1e-15 * (width + 16)
    for r in range(n_references):
        out[r] = 0.0
    for c in range(classes):
        n0, n1, total = now_starts[c], now_starts[c + 1], ref_starts[n_references, c]
        for r in range(n_references):
            sums[r], counts[r], least[r] = 0.0, 0, math.inf
        for i in range(n0, n1):
            for j in range(total):
                dots[j] = 0.0
            for column in range(width):
                x = now[i, column]
                if x != 0.0:
                    values = columns[c, column, :total]
                    for j in range(total):
                        dots[j] += x * values[j]
            for j in range(total):
                both = norms[i] + ref_norms[c, j]
                dots[j] = both - 2.0 * dots[j] - slack * both
            for r in range(n_references):
                for j in range(ref_starts[r, c], ref_starts[r + 1, c]):
                    square = max(dots[j], 0.0)
                    least[r] = min(least[r], square)
                    if square < tau * tau:
                        sums[r] += math.sqrt(square)
                        counts[r] += 1
        for r in range(n_references):
            rows = ref_starts[r + 1, c] - ref_starts[r, c]
            k = max(n1 - n0, rows)
            if n1 > n0 and rows > 0:
                out[r] += max((sums[r] + (k - counts[r]) * tau) / k, math.sqrt(least[r]))
            elif k > 0:
                out[r] += lacking
    for r in range(n_references):
        out[r] *= _SAFE / classes


@borrowing
def in_doubt(ints, floats, h, is_exact):  # type: ignore[no-untyped-def]
    """A reference that may be the closest or close, and has only a bound; -1 if there is none."""
    lines, numbers = table_of(ints, ints, LINE), table_of(floats, ints, LINE_NUMBER)
    subroutines, distances = cube_of(ints, ints, SUBROUTINE), table_of(floats, ints, DISTANCE)
    for k in range(ints[LINES]):
        if lines[k, HISTORY] != h:
            continue
        threshold, closest, shortest = numbers[k, THRESHOLD], -1, math.inf
        for j in range(lines[k, USED]):
            r = subroutines[k, j, REFERENCE]
            if distances[h, r] <= threshold and not is_exact[r]:
                return r
            if distances[h, r] < shortest or j == 0:
                closest, shortest = r, distances[h, r]
        if closest >= 0 and not is_exact[closest]:
            return closest
    return -1
