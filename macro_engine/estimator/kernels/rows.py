"""The kernels that Python calls for each row."""

from __future__ import annotations

from macro_engine.core.compiling import borrowing, inlined
from macro_engine.estimator.kernels.closing import count_losses, learn_step
from macro_engine.estimator.kernels.learner import answer, take_row
from macro_engine.estimator.kernels.opening import move_windows, open_step
from macro_engine.estimator.kernels.parts import (
    ANSWERS,
    BAD_VALUE,
    BLEND,
    CLASSES,
    CLOSED,
    COMPARES,
    DISTANCE,
    DONE,
    ENTRIES,
    EVERY,
    FIRST_CLASS,
    FULL,
    HAS_SCALE,
    HISTORIES,
    KNOWN,
    LABELS,
    LEARNER,
    LINE,
    LINE_NUMBER,
    LINES,
    NO_ROOM,
    NUMBER,
    OPEN_COLUMN,
    OPEN_RAW,
    OPEN_ROW,
    OPEN_VALUE,
    OUTPUT,
    OUTSIDE,
    PLACES,
    REFERENCES,
    ROW_COLUMN,
    ROW_RAW,
    ROW_VALUE,
    ROWS,
    SIDES,
    STRATEGY,
    SUBROUTINE,
    USED,
    VOTE,
    WEIGHT,
    cube_of,
    line_of,
    table_of,
)
from macro_engine.estimator.kernels.scale import update_scale


@inlined
def has_room(ints):  # type: ignore[no-untyped-def]
    """Whether every line may have a birth, and every learner become two."""
    lines = table_of(ints, ints, LINE)
    if 2 * ints[PLACES] + ints[LINES] > ints[SIDES + 4 * LEARNER + 1]:
        return False
    for k in range(ints[LINES]):
        if lines[k, USED] == ints[SIDES + 4 * SUBROUTINE + 2]:
            return False
    references = table_of(ints, ints, REFERENCES)
    for h in range(ints[HISTORIES]):
        if references[h, NUMBER] == ints[SIDES + 4 * DISTANCE + 2]:
            return False
    return True


@borrowing
def close_step(ints, floats):  # type: ignore[no-untyped-def]
    """Learn the step that is full; the next one opens, unless Python compares histories."""
    learn_step(ints, floats)
    if ints[HAS_SCALE]:
        update_scale(ints, floats)
    if ints[COMPARES] == OUTSIDE:
        return CLOSED
    if ints[COMPARES] == LABELS:
        move_windows(ints)
    open_step(ints, floats)
    return DONE


@borrowing
def learn_row(ints, floats, n, label):  # type: ignore[no-untyped-def]
    """Add a row to the open step; the last one of a step closes it, and the next one opens.

    Where there is a blend, it has to learn the full step first.
    """
    filled = take_row(ints, floats, n)
    if filled < 0:
        return BAD_VALUE
    rows, columns = table_of(ints, ints, OPEN_ROW), line_of(ints, ints, OPEN_COLUMN)
    values, entries, i = line_of(floats, ints, OPEN_VALUE), ints[ENTRIES], ints[ROWS]
    if i + 1 == rows.shape[0] or entries + filled > len(columns) or not has_room(ints):
        return NO_ROOM
    row_columns, row_values = line_of(ints, ints, ROW_COLUMN), line_of(floats, ints, ROW_VALUE)
    for e in range(filled):
        columns[entries + e], values[entries + e] = row_columns[e], row_values[e]
    if ints[HAS_SCALE]:
        raw, row_raw = line_of(floats, ints, OPEN_RAW), line_of(floats, ints, ROW_RAW)
        for e in range(filled):
            raw[entries + e] = row_raw[e]
    rows[i, 1] = label
    rows[i + 1, 0] = entries + filled
    ints[ENTRIES] = entries + filled
    ints[ROWS] = i + 1
    if i + 1 < ints[EVERY]:
        return DONE
    if ints[STRATEGY] == BLEND:
        return FULL
    count_losses(ints, floats)
    return close_step(ints, floats)


@borrowing
def predict_row(ints, floats, n):  # type: ignore[no-untyped-def]
    """The class that the lines vote for, or -1; the sums of their probabilities by classes.

    The sums stand at the beginning of OUTPUT, followed by the votes.
    """
    filled = take_row(ints, floats, n)
    if filled < 0:
        return BAD_VALUE
    lines, numbers = table_of(ints, ints, LINE), table_of(floats, ints, LINE_NUMBER)
    learners, weights = table_of(ints, ints, LEARNER), cube_of(floats, ints, WEIGHT)
    columns, values = line_of(ints, ints, ROW_COLUMN), line_of(floats, ints, ROW_VALUE)
    output, classes = line_of(floats, ints, OUTPUT), ints[CLASSES]
    sums, votes, said = output[:classes], output[classes : 2 * classes], output[2 * classes :]
    for c in range(classes):
        sums[c] = votes[c] = 0.0
    before = guess = -1
    for k in range(ints[LINES]):
        vote, place = numbers[k, VOTE], lines[k, ANSWERS]
        if vote == 0.0:
            continue
        if place < 0:
            sums[0] += vote
            votes[0] += vote
            continue
        learner = learners[place]
        if place != before:
            guess = answer(learner, weights[place], columns, values, 0, filled, said)
            before = place
        votes[guess] += vote
        for m in range(learner[KNOWN]):
            sums[learner[FIRST_CLASS + m]] += vote * said[m]
    best = 0
    for c in range(1, classes):
        if votes[c] > votes[best]:
            best = c
    return best
