"""Kernels of the running scale, all columns in one table."""

from __future__ import annotations

import math

from macro_engine.core.compiling import borrowing, inlined
from macro_engine.estimator.growing_columns import NUMBER
from macro_engine.estimator.kernels.parts import (
    COUNTED,
    DEVIATION,
    ENTRIES,
    IS_SCALED,
    KIND,
    MEAN,
    OPEN_COLUMN,
    OPEN_RAW,
    ROW_COLUMN,
    ROW_RAW,
    ROW_VALUE,
    SCALE,
    VARIANCE,
    line_of,
    table_of,
)
from macro_engine.stream.running_scale import CLIP, LIMIT, MEMORY, TINY


@inlined
def deviations(x, scale):  # type: ignore[no-untyped-def]
    """Returns the deviation of a value from the mean of its column, clipped."""
    mean, deviation = scale[MEAN], scale[DEVIATION]
    value = 0.0
    if not (deviation == 0.0 or deviation <= TINY * abs(mean)):
        value = (x - mean) / deviation
    return min(max(value, -CLIP), CLIP)


@borrowing
def scale_row(ints, floats, n):  # type: ignore[no-untyped-def]
    """Keep the values of a row as they are, and bring those that are numbers to scale."""
    columns, kinds = line_of(ints, ints, ROW_COLUMN), line_of(ints, ints, KIND)
    values, raw = line_of(floats, ints, ROW_VALUE), line_of(floats, ints, ROW_RAW)
    scale = table_of(floats, ints, SCALE)
    for e in range(n):
        raw[e] = values[e]
        if ints[IS_SCALED] and kinds[columns[e]] == NUMBER:
            values[e] = deviations(raw[e], scale[columns[e]])


@borrowing
def update_scale(ints, floats):  # type: ignore[no-untyped-def]
    """Adds the rows of the closing step to the statistics."""
    columns, kinds = line_of(ints, ints, OPEN_COLUMN), line_of(ints, ints, KIND)
    raw, scales = line_of(floats, ints, OPEN_RAW), table_of(floats, ints, SCALE)
    for e in range(ints[ENTRIES]):
        if kinds[columns[e]] != NUMBER:
            continue
        scale, x = scales[columns[e]], raw[e]
        mean, deviation = scale[MEAN], scale[DEVIATION]
        if deviation > 0.0:
            x = min(max(x, mean - LIMIT * deviation), mean + LIMIT * deviation)
        scale[COUNTED] = min(scale[COUNTED] + 1.0, MEMORY)
        a, difference = 1.0 / scale[COUNTED], x - mean
        scale[MEAN] = mean + a * difference
        scale[VARIANCE] = (1.0 - a) * (scale[VARIANCE] + a * difference * difference)
        scale[DEVIATION] = math.sqrt(scale[VARIANCE])
