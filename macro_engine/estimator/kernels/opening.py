"""Opens a step: compares histories and finds the closest subroutines."""

from __future__ import annotations

import math

from macro_engine.core.compiling import borrowing, inlined
from macro_engine.estimator.kernels.parts import (
    ANSWERS,
    BLEND,
    CLASSES,
    CLOSEST,
    COMPARES,
    DISTANCE,
    EIGHT_LOG_K,
    EMPTY,
    ENTRIES,
    FTL,
    HISTORIES,
    HISTORY,
    LABELS,
    LEADER,
    LENGTH,
    LIMIT,
    LINE,
    LINE_NUMBER,
    LINES,
    LOSS,
    NUMBER,
    NUMBERS,
    OPEN_ROW,
    PLACE,
    POWER,
    REFERENCE,
    REFERENCES,
    RING,
    ROWS,
    SHARE,
    STEP,
    STRATEGY,
    SUBROUTINE,
    THRESHOLD,
    USED,
    VOTE,
    WINDOW,
    cube_of,
    line_of,
    table_of,
)


@inlined
def compare_labels(ints, floats):  # type: ignore[no-untyped-def]
    """The distances between shares of labels, for the step that opens."""
    shares, distances = cube_of(floats, ints, SHARE), table_of(floats, ints, DISTANCE)
    window, empty = table_of(ints, ints, WINDOW), table_of(ints, ints, EMPTY)
    references = table_of(ints, ints, REFERENCES)
    classes = ints[CLASSES]
    for h in range(ints[HISTORIES]):
        n = 0
        for c in range(classes):
            n += window[h, c]
        for r in range(references[h, NUMBER]):
            if n == 0 or empty[h, r]:
                distances[h, r] = 0.0 if n == 0 and empty[h, r] else math.inf
                continue
            total = 0.0
            for c in range(classes):
                difference = window[h, c] / n - shares[h, r, c]
                total += difference * difference
            distances[h, r] = total


@borrowing
def choose(ints, floats):  # type: ignore[no-untyped-def]
    """Find the closest subroutine of each line, its limit and weight, for the step that opens."""
    lines, numbers = table_of(ints, ints, LINE), table_of(floats, ints, LINE_NUMBER)
    subroutines, distances = cube_of(ints, ints, SUBROUTINE), table_of(floats, ints, DISTANCE)
    count, power = ints[LINES], line_of(floats, ints, NUMBERS)[POWER]
    factor = 1.0 if power == 0.0 else math.pow(ints[STEP] + 1, -power)
    for k in range(count):
        threshold = numbers[k, THRESHOLD]
        numbers[k, LIMIT] = threshold if math.isinf(threshold) else threshold * factor
        lines[k, CLOSEST] = lines[k, ANSWERS] = -1
        least, of_history = math.inf, distances[lines[k, HISTORY]]
        for j in range(lines[k, USED]):
            distance = of_history[subroutines[k, j, REFERENCE]]
            if distance < least or j == 0:
                least = distance
                lines[k, CLOSEST], lines[k, ANSWERS] = j, subroutines[k, j, PLACE]
    if ints[STRATEGY] == BLEND:
        return
    if ints[STRATEGY] == FTL:
        for k in range(count):
            numbers[k, VOTE] = 1.0 if k == ints[LEADER] else 0.0
        return
    eta = math.sqrt(line_of(floats, ints, NUMBERS)[EIGHT_LOG_K] / (ints[STEP] + 1))
    best = numbers[0, LOSS]
    for k in range(count):
        best = min(best, numbers[k, LOSS])
    total = 0.0
    for k in range(count):
        numbers[k, VOTE] = math.exp(-eta * (numbers[k, LOSS] - best))
        total += numbers[k, VOTE]
    for k in range(count):
        numbers[k, VOTE] /= total


@inlined
def freeze_labels(ints, floats, h, r):  # type: ignore[no-untyped-def]
    """Keep the shares of labels before the step as a reference."""
    shares, window = cube_of(floats, ints, SHARE), table_of(ints, ints, WINDOW)
    n = 0
    for c in range(ints[CLASSES]):
        n += window[h, c]
    table_of(ints, ints, EMPTY)[h, r] = n == 0
    for c in range(ints[CLASSES]):
        shares[h, r, c] = window[h, c] / n if n > 0 else 0.0


@inlined
def move_windows(ints):  # type: ignore[no-untyped-def]
    """Count the labels of the step into every history, and those that leave one out of it."""
    ring, window = table_of(ints, ints, RING), table_of(ints, ints, WINDOW)
    rows, references = table_of(ints, ints, OPEN_ROW), table_of(ints, ints, REFERENCES)
    step, longest = ints[STEP], ring.shape[0]
    for h in range(ints[HISTORIES]):
        length = references[h, LENGTH]
        if length < 0 or step < length or length == 0:
            continue
        for c in range(ints[CLASSES]):
            window[h, c] -= ring[(step - length) % longest, c]
    for c in range(ints[CLASSES]):
        ring[step % longest, c] = 0
    for i in range(ints[ROWS]):
        ring[step % longest, rows[i, 1]] += 1
        for h in range(ints[HISTORIES]):
            if references[h, LENGTH] != 0:
                window[h, rows[i, 1]] += 1


@borrowing
def open_step(ints, floats):  # type: ignore[no-untyped-def]
    """Open the next step. Distances that are computed outside must be there."""
    ints[STEP] += 1
    ints[ROWS] = ints[ENTRIES] = 0
    if ints[COMPARES] == LABELS:
        compare_labels(ints, floats)
    choose(ints, floats)
