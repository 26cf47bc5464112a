"""Closes a step: counts losses, starts subroutines and learns the step."""

from __future__ import annotations

from macro_engine.core.compiling import inlined
from macro_engine.estimator.kernels.learner import answer, learn_rows, new_learner
from macro_engine.estimator.kernels.opening import freeze_labels
from macro_engine.estimator.kernels.parts import (
    ANSWERS,
    ARE_CLOSE,
    BORN,
    BORN_NOW,
    CHILD,
    CHILD_STEP,
    CLOSEST,
    DECIDED,
    DISTANCE,
    FORCED,
    FTL,
    HELD,
    HISTORIES,
    HISTORY,
    LEADER,
    LEARN,
    LEARNER,
    LIMIT,
    LINE,
    LINE_NUMBER,
    LINES,
    LOSS,
    MOST,
    NUMBER,
    OPEN_COLUMN,
    OPEN_ROW,
    OPEN_VALUE,
    OUTPUT,
    PLACE,
    REFERENCE,
    REFERENCES,
    ROWS,
    STEP,
    STRATEGY,
    SUBROUTINE,
    TWIN,
    TWIN_STEP,
    USED,
    WEIGHT,
    WRONG,
    WRONG_STEP,
    cube_of,
    line_of,
    table_of,
)


@inlined
def count_losses(ints, floats):  # type: ignore[no-untyped-def]
    """Add the share of the step's rows that each line got wrong to its loss; FTL follows."""
    lines, numbers = table_of(ints, ints, LINE), table_of(floats, ints, LINE_NUMBER)
    learners, weights = table_of(ints, ints, LEARNER), cube_of(floats, ints, WEIGHT)
    rows, columns = table_of(ints, ints, OPEN_ROW), line_of(ints, ints, OPEN_COLUMN)
    values, said = line_of(floats, ints, OPEN_VALUE), line_of(floats, ints, OUTPUT)
    n, step = ints[ROWS], ints[STEP] + 1
    for k in range(ints[LINES]):
        place, wrong = lines[k, ANSWERS], 0
        if place >= 0 and learners[place, WRONG_STEP] == step:
            wrong = learners[place, WRONG]
        else:
            for i in range(n):
                guess = 0
                if place >= 0:
                    begin, end = rows[i, 0], rows[i + 1, 0]
                    guess = answer(
                        learners[place], weights[place], columns, values, begin, end, said
                    )
                wrong += guess != rows[i, 1]
            if place >= 0:
                learners[place, WRONG], learners[place, WRONG_STEP] = wrong, step
        numbers[k, LOSS] += wrong / n
    if ints[STRATEGY] == FTL:
        best = numbers[ints[LEADER], LOSS]
        for k in range(ints[LINES]):
            best = min(best, numbers[k, LOSS])
        if best < numbers[ints[LEADER], LOSS]:
            for k in range(ints[LINES]):
                if numbers[k, LOSS] == best:
                    ints[LEADER] = k


@inlined
def give_birth(ints, floats, k, scratch):  # type: ignore[no-untyped-def]
    """Start a subroutine; those that are born of one learner in a step are one learner too.

    `scratch` is the learner that another line started from scratch in this step, or -1.
    """
    lines, learners = table_of(ints, ints, LINE), table_of(ints, ints, LEARNER)
    subroutines, references = cube_of(ints, ints, SUBROUTINE), table_of(ints, ints, REFERENCES)
    parent, step = lines[k, ANSWERS], ints[STEP] + 1
    place = scratch
    if parent >= 0 and learners[parent, CHILD_STEP] == step:
        place = learners[parent, CHILD]
    elif place < 0 or parent >= 0:
        place = new_learner(ints, floats, parent)
        if parent >= 0:
            learners[parent, CHILD], learners[parent, CHILD_STEP] = place, step
    learners[place, HELD] += 1
    learners[place, LEARN] += 1
    j = lines[k, USED]
    subroutines[k, j, REFERENCE] = references[lines[k, HISTORY], NUMBER]
    subroutines[k, j, PLACE] = place
    subroutines[k, j, BORN] = ints[STEP]
    lines[k, USED] = j + 1
    return place


@inlined
def learn_together(ints, floats, place):  # type: ignore[no-untyped-def]
    """Let the subroutines that are a learner, and learn the step, do so.

    If some that are the same do not learn it, those that do become another learner.
    """
    learners = table_of(ints, ints, LEARNER)
    twin, n = place, learners[place, LEARN]
    if n < learners[place, HELD]:
        twin = new_learner(ints, floats, place)
        learners[twin, HELD] = n
        learners[place, HELD] -= n
    learners[place, LEARN] = 0
    learners[place, TWIN], learners[place, TWIN_STEP] = twin, ints[STEP] + 1
    learn_rows(ints, floats, twin)


@inlined
def decide(ints, floats):  # type: ignore[no-untyped-def]
    """Counts the subroutines that learn the step, and records the lines without a close one."""
    lines, learners = table_of(ints, ints, LINE), table_of(ints, ints, LEARNER)
    subroutines, distances = cube_of(ints, ints, SUBROUTINE), table_of(floats, ints, DISTANCE)
    numbers = table_of(floats, ints, LINE_NUMBER)
    for k in range(ints[LINES]):
        limit, of_history = numbers[k, LIMIT], distances[lines[k, HISTORY]]
        lines[k, DECIDED] = FORCED if lines[k, USED] == ints[MOST] else BORN_NOW
        for j in range(lines[k, USED]):
            if of_history[subroutines[k, j, REFERENCE]] <= limit:
                learners[subroutines[k, j, PLACE], LEARN] += 1
                lines[k, DECIDED] = ARE_CLOSE
        if lines[k, DECIDED] == FORCED:
            learners[lines[k, ANSWERS], LEARN] += 1


@inlined
def learn_step(ints, floats):  # type: ignore[no-untyped-def]
    """The close subroutines of each line, or a newborn one, learn the step."""
    lines, references = table_of(ints, ints, LINE), table_of(ints, ints, REFERENCES)
    subroutines, distances = cube_of(ints, ints, SUBROUTINE), table_of(floats, ints, DISTANCE)
    learners, numbers = table_of(ints, ints, LEARNER), table_of(floats, ints, LINE_NUMBER)
    decide(ints, floats)
    scratch, step = -1, ints[STEP] + 1
    for k in range(ints[LINES]):  # copies are made before anybody learns
        if lines[k, DECIDED] == BORN_NOW:
            place = give_birth(ints, floats, k, scratch)
            if lines[k, ANSWERS] < 0:
                scratch = place
    for k in range(ints[LINES]):
        decided, limit = lines[k, DECIDED], numbers[k, LIMIT]
        of_history, newest = distances[lines[k, HISTORY]], lines[k, USED] - 1
        for j in range(newest + 1):
            if decided == ARE_CLOSE:
                learns = of_history[subroutines[k, j, REFERENCE]] <= limit
            else:
                learns = j == (newest if decided == BORN_NOW else lines[k, CLOSEST])
            if learns:
                place = subroutines[k, j, PLACE]
                if learners[place, TWIN_STEP] != step:
                    learn_together(ints, floats, place)
                subroutines[k, j, PLACE] = learners[place, TWIN]
    for h in range(ints[HISTORIES]):
        for k in range(ints[LINES]):
            if lines[k, HISTORY] == h and lines[k, DECIDED] == BORN_NOW:
                freeze_labels(ints, floats, h, references[h, NUMBER])
                references[h, NUMBER] += 1
                break
