"""Fills the inputs of the blend, and calls its kernels."""

from __future__ import annotations

import math

from macro_engine.algorithm.persistence import LEAST, PRIOR_ROWS
from macro_engine.blend.kernels.steps import run_steps
from macro_engine.core.compiling import borrowing, inlined
from macro_engine.estimator.compiled_blend import example
from macro_engine.estimator.growing_columns import CODED
from macro_engine.estimator.kernels.addresses import reader_of
from macro_engine.estimator.kernels.learner import spread, take_row
from macro_engine.estimator.kernels.parts import (
    ANSWERS,
    BAD_VALUE,
    DONE,
    IS_SCALED,
    KIND,
    LAST,
    LEARNER,
    LINE,
    LINES,
    OPEN_COLUMN,
    OPEN_RAW,
    OPEN_ROW,
    OPEN_VALUE,
    ROW_COLUMN,
    ROW_RAW,
    ROW_VALUE,
    ROWS,
    SCALE,
    TILE,
    WEIGHT,
    cube_of,
    line_of,
    table_of,
)
from macro_engine.estimator.kernels.scale import deviations
from macro_engine.stream.running_scale import SLOPE

arrays_at = reader_of(example())


@borrowing
def put_numbers(ints, floats, columns, values, raw, i, numbers, units):  # type: ignore[no-untyped-def]
    """Sets the inputs of the linear expert and of the tiles for row i."""
    kinds, tiles = line_of(ints, ints, KIND), line_of(ints, ints, TILE)
    scale = table_of(floats, ints, SCALE)
    for c in range(numbers.shape[1]):
        numbers[i, c] = 0.0
    for u in range(units.shape[1]):
        units[i, u] = 0.5
    for e in range(len(columns)):
        column = columns[e]
        if kinds[column] != CODED:
            numbers[i, column] = values[e]
        if tiles[column] > 0:
            z = values[e] if ints[IS_SCALED] else deviations(raw[e], scale[column])
            units[i, tiles[column] - 1] = 1.0 / (1.0 + math.exp(-SLOPE * z))


@borrowing
def put_forecasts(ints, floats, columns, values, i, marginal, members):  # type: ignore[no-untyped-def]
    """Sets the forecasts of the members and of the marginal baseline, the last line, for row i."""
    lines, learners = table_of(ints, ints, LINE), table_of(ints, ints, LEARNER)
    weights, last = cube_of(floats, ints, WEIGHT), ints[LINES] - 1
    classes, before = marginal.shape[1], -1
    for k in range(last + 1):
        place = lines[k, ANSWERS]
        said = marginal[i] if k == last else members[k, i]
        if place < 0:
            for c in range(classes):
                said[c] = 0.5 / (0.5 * classes)
        elif place == before:
            for c in range(classes):
                said[c] = members[k - 1, i, c]
        else:
            spread(learners[place], weights[place], columns, values, 0, len(columns), said)
        before = place


@inlined
def expect_no_change(last, pairs, counts, stay_go, out):  # type: ignore[no-untyped-def]
    """Predicts the rows of the next step, as `Persistence` does."""
    stays = stay_go[0] / (stay_go[0] + stay_go[1])
    total = rest = 0.0
    for c in range(len(out)):
        if last >= 0:
            total += pairs[last, c]
        if c != last:
            rest += counts[c]
    for c in range(len(out)):
        out[c] = 1.0 / len(out)
        if last >= 0:
            pool = stays if c == last else (1 - stays) * counts[c] / rest
            out[c] = (pairs[last, c] + PRIOR_ROWS * pool) / (total + PRIOR_ROWS)


@inlined
def learn_change(label, last, pairs, counts, stay_go):  # type: ignore[no-untyped-def]
    """Learns a row, as `Persistence` does."""
    for c in range(len(counts)):
        counts[c] = max(counts[c], LEAST / len(counts))
    counts[label] += 1.0
    if last >= 0:
        pairs[last, label] += 1.0
        stay_go[0] = max(stay_go[0], LEAST)
        stay_go[1] = max(stay_go[1], LEAST)
        stay_go[0 if label == last else 1] += 1.0


@borrowing
def show_row(ints, floats, addresses, n):  # type: ignore[no-untyped-def]
    """Passes the blend a row to predict."""
    filled = take_row(ints, floats, n)
    if filled < 0:
        return BAD_VALUE
    columns = line_of(ints, ints, ROW_COLUMN)[:filled]
    values, raw = line_of(floats, ints, ROW_VALUE)[:filled], line_of(floats, ints, ROW_RAW)
    arrays = arrays_at(addresses)
    given = arrays.given
    first = given.starts[0]  # a constant would have both compiled once more
    put_numbers(ints, floats, columns, values, raw, first, given.numbers, given.units)
    put_forecasts(ints, floats, columns, values, first, given.marginal, given.members)
    for c in range(len(arrays.unchanged)):
        given.unchanged[0, c] = arrays.unchanged[c]
    given.labels[0], given.starts[1] = -1, 1
    return DONE


@borrowing
def show_step(ints, floats, addresses, is_shown):  # type: ignore[no-untyped-def]
    """Give the blend the step that is full; the expert that expects no change learns it.

    Its only row may be the one that was shown last.
    """
    arrays = arrays_at(addresses)
    given, last = arrays.given, ints[LAST]
    rows, columns = table_of(ints, ints, OPEN_ROW), line_of(ints, ints, OPEN_COLUMN)
    values, raw = line_of(floats, ints, OPEN_VALUE), line_of(floats, ints, OPEN_RAW)
    for i in range(ints[ROWS]):
        begin, end, label = rows[i, 0], rows[i + 1, 0], rows[i, 1]
        if not is_shown:
            mine, numbers = columns[begin:end], values[begin:end]
            put_numbers(ints, floats, mine, numbers, raw[begin:end], i, given.numbers, given.units)
            put_forecasts(ints, floats, mine, numbers, i, given.marginal, given.members)
            for c in range(len(arrays.unchanged)):
                given.unchanged[i, c] = arrays.unchanged[c]
        given.labels[i] = label
        learn_change(label, last, arrays.pairs, arrays.labels, arrays.stay_go)
        ints[LAST] = label
    given.starts[1] = ints[ROWS]
    tell_change(ints, addresses)


@borrowing
def tell_change(ints, addresses):  # type: ignore[no-untyped-def]
    """Predicts the next step with the no-change expert."""
    arrays = arrays_at(addresses)
    expect_no_change(ints[LAST], arrays.pairs, arrays.labels, arrays.stay_go, arrays.unchanged)


@borrowing
def run_blend(addresses, doing):  # type: ignore[no-untyped-def]
    """Answer the row that was shown, or take the step through."""
    arrays = arrays_at(addresses)
    run_steps(
        doing, arrays.given, arrays.constants, arrays.parts, arrays.record, arrays.scratch,
        arrays.shown,
    )  # fmt: skip
