"""Kernels of `OpenLogistic`, all copies in one table."""

from __future__ import annotations

import math

from macro_engine.algorithm.kernels.logistic import logistic_gradient, sigmoid
from macro_engine.core.compiling import borrowing, inlined
from macro_engine.estimator.kernels.parts import (
    COUNT,
    FIRST_CLASS,
    HAS_SCALE,
    HELD,
    INPUT,
    KNOWN,
    LARGEST,
    LEARN,
    LEARNER,
    NUMBERS,
    OPEN_COLUMN,
    OPEN_ROW,
    OPEN_VALUE,
    PLACES,
    RANK,
    RATE,
    RATE_POWER,
    ROW_COLUMN,
    ROW_VALUE,
    ROWS,
    TWIN_STEP,
    WEIGHT,
    cube_of,
    line_of,
    table_of,
)
from macro_engine.estimator.kernels.scale import scale_row


@borrowing
def take_row(ints, floats, n):  # type: ignore[no-untyped-def]
    """Bring a row's columns into the order of their names; how many there are, or -1.

    Python puts down n values, and n columns in the second half. A column that is not known is -1;
    zeros are left out, except where they count for the scale.
    """
    given, rank = line_of(floats, ints, INPUT), line_of(ints, ints, RANK)
    columns, values = line_of(ints, ints, ROW_COLUMN), line_of(floats, ints, ROW_VALUE)
    largest = line_of(floats, ints, NUMBERS)[LARGEST]
    filled, width, keeps_zeros = 0, len(values), ints[HAS_SCALE]
    for i in range(n):
        value = given[i]
        if not -largest < value < largest:
            return -1
        column = int(given[width + i])
        if column < 0 or (value == 0.0 and not keeps_zeros):
            continue
        place = filled
        while place > 0 and rank[columns[place - 1]] > rank[column]:
            columns[place], values[place] = columns[place - 1], values[place - 1]
            place -= 1
        columns[place], values[place] = column, value
        filled += 1
    if ints[HAS_SCALE]:
        scale_row(ints, floats, filled)
    return filled


@inlined
def margin(weights, columns, values, begin, end):  # type: ignore[no-untyped-def]
    """The margin of a row; the intercept stands in front of the weights."""
    total = 0.0
    for e in range(begin, end):
        total += weights[columns[e] + 1] * values[e]
    return total + weights[0]


@borrowing
def answer(learner, models, columns, values, begin, end, said):  # type: ignore[no-untyped-def]
    """The class that a learner gives a row; its probabilities go to `said`, by classes known.

    A learner of two classes has one model for both, that of the second.
    """
    known = learner[KNOWN]
    if known == 1:
        said[0] = 1.0
        return learner[FIRST_CLASS]
    if known == 2:
        p = sigmoid(margin(models[2], columns, values, begin, end))
        said[0], said[1] = 1.0 - p, p
        return learner[FIRST_CLASS + 1] if p > 1.0 - p else learner[FIRST_CLASS]
    total = 0.0
    for m in range(known):
        said[m] = sigmoid(margin(models[m + 1], columns, values, begin, end))
        total += said[m]
    best = 0
    for m in range(known):
        said[m] = said[m] / total if total > 0.0 else 1.0 / known
        if said[m] > said[best]:
            best = m
    return learner[FIRST_CLASS + best]


@borrowing
def spread(learner, models, columns, values, begin, end, out):  # type: ignore[no-untyped-def]
    """The probability of every class, also of those that the learner has never seen.

    Model 0 speaks for each of those. The first class of a learner is the first one of all.
    """
    classes, known = len(out), learner[KNOWN]
    never = margin(models[0], columns, values, begin, end)
    second = margin(models[2], columns, values, begin, end) if known == 2 else never
    if classes == 2:
        p = sigmoid(second)
        out[0], out[1] = 1.0 - p, p
        return
    for c in range(classes):
        out[c] = sigmoid(never)
    for m in range(known):
        z = -second
        if m > 0 or known > 2:
            z = margin(models[m + 1], columns, values, begin, end)
        out[learner[FIRST_CLASS + m]] = sigmoid(z)
    total = 0.0
    for c in range(classes):
        total += out[c]
    for c in range(classes):
        out[c] = out[c] / total if total > 0.0 else 1.0 / classes


@inlined
def descend(weights, columns, values, begin, end, positive, rate):  # type: ignore[no-untyped-def]
    gradient = logistic_gradient(margin(weights, columns, values, begin, end), positive)
    weights[0] -= rate * gradient
    for e in range(begin, end):
        weights[columns[e] + 1] -= rate * (values[e] * gradient)


@borrowing
def learn(  # type: ignore[no-untyped-def]
    learner, models, columns, values, begin, end, label, factor, power
):
    """A step of stochastic gradient descent for every model of a learner.

    Model 0 is that of a class that never occurs; a new class starts from it. With one class or two
    the model of the first class is the mirror image of another: it is made when a third comes.
    """
    known, width = learner[KNOWN], models.shape[1]
    m = 0
    while m < known and learner[FIRST_CLASS + m] != label:
        m += 1
    if m == known:
        learner[FIRST_CLASS + m] = label
        learner[KNOWN] = known = known + 1
        for c in range(width):
            models[known, c] = models[0, c]
        if known == 3:
            for c in range(width):
                models[1, c] = -models[2, c]
    rate = factor / math.pow(learner[COUNT] + 1, power)
    learner[COUNT] += 1
    descend(models[0], columns, values, begin, end, -1.0, rate)
    for other in range(0 if known > 2 else 1, known):
        positive = 1.0 if other == m else -1.0
        descend(models[other + 1], columns, values, begin, end, positive, rate)


@inlined
def learn_rows(ints, floats, place):  # type: ignore[no-untyped-def]
    learners, weights = table_of(ints, ints, LEARNER), cube_of(floats, ints, WEIGHT)
    rows, columns = table_of(ints, ints, OPEN_ROW), line_of(ints, ints, OPEN_COLUMN)
    values, numbers = line_of(floats, ints, OPEN_VALUE), line_of(floats, ints, NUMBERS)
    for i in range(ints[ROWS]):
        learn(
            learners[place], weights[place], columns, values, rows[i, 0], rows[i + 1, 0],
            rows[i, 1], numbers[RATE], numbers[RATE_POWER],
        )  # fmt: skip


@borrowing
def new_learner(ints, floats, parent):  # type: ignore[no-untyped-def]
    """Allocates a learner without owners: a copy of another one, or from scratch (-1)."""
    learners, weights = table_of(ints, ints, LEARNER), cube_of(floats, ints, WEIGHT)
    place = ints[PLACES]
    ints[PLACES] += 1
    for c in range(learners.shape[1]):
        learners[place, c] = learners[parent, c] if parent >= 0 else 0
    learners[place, HELD] = learners[place, LEARN] = learners[place, TWIN_STEP] = 0
    for m in range(learners[place, KNOWN] + 1):
        for c in range(weights.shape[2]):
            weights[place, m, c] = weights[parent, m, c] if parent >= 0 else 0.0
    return place
