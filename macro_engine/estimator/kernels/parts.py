"""The layout of the arena.

All state stands in two arrays, one of whole numbers and one of others: a call from Python costs
more with every array that it passes. The whole numbers begin with a header, then say where each
part begins and how long its sides are.
"""

from __future__ import annotations

from macro_engine.core.compiling import inlined
from macro_engine.estimator.kernels.views import cube, table

# the header of the whole numbers
EVERY, LINES, HISTORIES, CLASSES, STEP, ROWS, ENTRIES, PLACES, MOST = range(9)
STRATEGY, LEADER, COMPARES, LAST = range(9, 13)
# whether the mean and deviation of numbers are kept, and whether learners see numbers by them
HAS_SCALE, IS_SCALED = range(13, 15)
SIDES = 15  # of each part: where it begins, and up to three sides

# parts of the whole numbers
LINE, SUBROUTINE, LEARNER, RANK, OPEN_ROW, OPEN_COLUMN, ROW_COLUMN = range(7)
REFERENCES, EMPTY, RING, WINDOW, KIND, TILE = range(7, 13)
# parts of the other numbers
INPUT, OUTPUT, NUMBERS, LINE_NUMBER, WEIGHT, OPEN_VALUE, ROW_VALUE, DISTANCE, SHARE = range(13, 22)
OPEN_RAW, ROW_RAW, SCALE = range(22, 25)
PARTS = 25

# columns of LINE: subroutines, history, number and learner of the closest one (-1: none), and what
# is decided when a step closes
USED, HISTORY, CLOSEST, ANSWERS, DECIDED = range(5)
ARE_CLOSE, FORCED, BORN_NOW = range(3)
# the third side of SUBROUTINE: its reference, its learner, and the step that it was born for
REFERENCE, PLACE, BORN = range(3)
# columns of LEARNER: rows learned, and classes known; how many subroutines are this learner, and
# how many of these learn the step
COUNT, KNOWN, HELD, LEARN = range(4)
# in the step that closes, counted from 1: the learner that those become, the one that was born of
# it, and the rows that it got wrong
TWIN, TWIN_STEP, CHILD, CHILD_STEP, WRONG, WRONG_STEP = range(4, 10)
FIRST_CLASS = 10  # of the classes known
# columns of REFERENCES: how many there are, H (-1: all steps)
NUMBER, LENGTH = range(2)
# NUMBERS: the power of thresholds, 8 ln K, the largest number allowed; a learning rate is
# RATE / (n + 1)^RATE_POWER
POWER, EIGHT_LOG_K, LARGEST, RATE, RATE_POWER = range(5)
# columns of LINE_NUMBER: the threshold, that in force, the summed loss, the weight
THRESHOLD, LIMIT, LOSS, VOTE = range(4)
# columns of SCALE: values counted, mean, variance, its root
COUNTED, MEAN, VARIANCE, DEVIATION = range(4)

FTL, EWA, BLEND = range(3)
# how histories are compared: by Python, by the shares of labels here, or not at all
OUTSIDE, LABELS, NOT_AT_ALL = range(3)
# what a call says
DONE, BAD_VALUE, NO_ROOM, CLOSED, FULL = 0, -1, -2, 1, 2


@inlined
def line_of(flat, ints, part):  # type: ignore[no-untyped-def]
    at = ints[SIDES + 4 * part]
    return flat[at : at + ints[SIDES + 4 * part + 1]]


@inlined
def table_of(flat, ints, part):  # type: ignore[no-untyped-def]
    side = SIDES + 4 * part
    at, a, b = ints[side], ints[side + 1], ints[side + 2]
    return table(flat, at, a, b)


@inlined
def cube_of(flat, ints, part):  # type: ignore[no-untyped-def]
    side = SIDES + 4 * part
    at, a, b, c = ints[side], ints[side + 1], ints[side + 2], ints[side + 3]
    return cube(flat, at, a, b, c)
