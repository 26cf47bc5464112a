"""Whole steps: choice, prediction and learning for every member.

A kernel serves one distance and one learner, whose parts are inlined into it: a run compiles no
others.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

from macro_engine.algorithm.kernels import features, frames, labels, logistic, nearest_mean
from macro_engine.core.compiling import borrowing, inlined
from macro_engine.core.steps import NEAREST

_DISTANCES = {"features": features, "labels": labels, "frames": frames}
_LEARNERS = {"logistic": logistic, "nearest-mean": nearest_mean}


def _kernel(name: str, distance: ModuleType, learner: ModuleType) -> Any:
    has_room_for_reference = distance.has_room_for_reference
    keep_reference = distance.keep_reference
    describe_history = distance.describe_history
    measure_distances, measure_nearest = distance.measure_distances, distance.measure_nearest
    predict, learn = learner.predict, learner.learn

    def run_steps(  # type: ignore[no-untyped-def]
        first, stop, exact_from, stretch, settings, references, subroutines, bank, present, results
    ):
        """Take steps of a stretch through; returns the first one not taken.

        It stops early where an array might not hold what the next step could add. From step
        `exact_from` on, no distance among the nearest is left at a lower bound.
        """
        for s in range(first, stop):
            t = stretch.past_steps + s
            begin, end = stretch.starts[t], stretch.starts[t + 1]
            if not has_room(settings, references, subroutines, bank):
                return s
            for h in range(len(settings.histories)):
                if not has_room_for_reference(h, t, stretch, settings, references):
                    return s
            set_limits(stretch.step_number + s, settings, present)
            learning = 0
            for h in range(len(settings.histories)):
                rows = describe_history(h, t, stretch, settings, present)
                measure_distances(h, rows, settings, references, subroutines, present)
                born = False
                for k in range(len(settings.thresholds)):
                    if settings.history_of[k] != h:
                        continue
                    while True:
                        find_nearest(k, h, subroutines, present)
                        if s < exact_from or not measure_nearest(
                            k, h, settings, references, subroutines, present
                        ):
                            break
                    if k < len(results.active):
                        record_nearest(k, s, h, subroutines, present, results)
                    choose(k, s, h, settings, references, subroutines, bank, present, results)
                    learning = select_learning(k, s, h, subroutines, present, results, learning)
                    born = born or present.born[k]
                if born:
                    r = references.used[h]
                    references.empty[h, r] = rows == 0
                    references.largest[h, r] = largest_born(
                        h, settings, present, len(results.active)
                    )
                    keep_reference(h, r, rows, settings, references, present)
                    references.used[h] += 1
            predict(stretch, begin, end, bank, present, results)
            learn(learning, stretch, begin, end, settings, bank, present)
            for i in range(begin, end):
                stretch.label_counts[stretch.labels[i]] += 1
        return stop

    run_steps.__qualname__ = name  # under which it is kept
    return borrowing(run_steps)


@inlined
def set_limits(step, settings, present):  # type: ignore[no-untyped-def]
    for k in range(len(settings.thresholds)):
        limit = settings.thresholds[k]
        if settings.power != 0.0 and not math.isinf(limit):
            limit = limit * math.pow(step + 1, -settings.power)
        present.limits[k] = limit


@inlined
def has_room(settings, references, subroutines, bank):  # type: ignore[no-untyped-def]
    """Whether a birth for every member would fit, but for the rows of its reference."""
    members = len(settings.thresholds)
    if bank.used[0] + members > len(bank.counts):
        return False
    for h in range(len(settings.histories)):
        if references.used[h] == references.empty.shape[1]:
            return False
    for k in range(members):
        if subroutines.used[k] == subroutines.reference.shape[1]:
            return False
    return True


@inlined
def find_nearest(k, h, subroutines, present):  # type: ignore[no-untyped-def]
    """The nearest subroutines of a member, the lowest number on ties."""
    nearest, distances = present.nearest, present.nearest_distances
    to_references, mine = present.distances[h], subroutines.reference[k]
    for i in range(NEAREST):
        nearest[i] = -1
        distances[i] = math.nan
    filled, last = 0, math.inf
    n, j = subroutines.used[k], -1
    while j + 1 < n:
        j += 1
        m = to_references[mine[j]]
        if filled == NEAREST and not m < last:
            # most of many are no nearer: skip four at a time
            while j + 4 < n and not (
                (to_references[mine[j + 1]] < last)
                | (to_references[mine[j + 2]] < last)
                | (to_references[mine[j + 3]] < last)
                | (to_references[mine[j + 4]] < last)
            ):
                j += 4
            continue
        filled = min(filled + 1, NEAREST)
        place = filled - 1
        while place > 0 and distances[place - 1] > m:
            nearest[place], distances[place] = nearest[place - 1], distances[place - 1]
            place -= 1
        nearest[place], distances[place] = j, m
        last = distances[filled - 1]


@inlined
def record_nearest(k, s, h, subroutines, present, results):  # type: ignore[no-untyped-def]
    """Records the nearest subroutines; a lower bound has a minus sign."""
    for i in range(NEAREST):
        j, m = present.nearest[i], present.nearest_distances[i]
        results.nearest[k, s, i] = j + 1
        if j >= 0 and present.counted[h, subroutines.reference[k, j]] == 0:
            m = -m
        results.nearest_distances[k, s, i] = m


@inlined
def choose(k, s, h, settings, references, subroutines, bank, present, results):  # type: ignore[no-untyped-def]
    """Starts a subroutine if the nearest is not close and one more may be; else selects it."""
    nearest, distance = present.nearest[0], present.nearest_distances[0]
    is_far = not distance <= present.limits[k]
    full = settings.most > 0 and subroutines.used[k] == settings.most
    present.forced[k] = is_far and full
    present.born[k] = is_far and not full
    if present.born[k]:
        place = bank.used[0]
        bank.used[0] += 1
        if nearest >= 0:
            parent = subroutines.place[k, nearest]
            copy_learner(bank.weights, bank.intercepts, bank.counts, parent, place)
        nearest, distance = subroutines.used[k], math.nan
        subroutines.reference[k, nearest] = references.used[h]
        subroutines.place[k, nearest] = place
        subroutines.used[k] += 1
    present.chosen[k] = nearest
    if k < len(results.active):
        results.active[k, s] = nearest + 1
        results.born[k, s] = present.born[k]
        results.distance[k, s] = distance
        results.subroutines[k, s] = subroutines.used[k]


@inlined
def copy_learner(weights, intercepts, counts, parent, place):  # type: ignore[no-untyped-def]
    for i in range(weights.shape[1]):
        weights[place, i] = weights[parent, i]
    for m in range(intercepts.shape[1]):
        intercepts[place, m] = intercepts[parent, m]
    for c in range(counts.shape[1]):
        counts[place, c] = counts[parent, c]


@inlined
def largest_born(h, settings, present, members):  # type: ignore[no-untyped-def]
    """The last finite member of a history that has a birth, with the largest threshold."""
    largest = 0
    for k in range(members):
        if (
            settings.history_of[k] == h
            and present.born[k]
            and not math.isinf(settings.thresholds[k])
        ):
            largest = k
    return largest


@inlined
def select_close(k, h, subroutines, present, learning):  # type: ignore[no-untyped-def]
    """Selects the close subroutines of a member; returns the number that learn so far."""
    distances = present.distances[h]
    if present.nearest_distances[NEAREST - 1] > present.limits[k]:  # all others are farther
        for i in range(NEAREST):
            if present.nearest_distances[i] <= present.limits[k]:
                subroutines.updates[k, present.nearest[i]] += 1
                present.learning[learning] = subroutines.place[k, present.nearest[i]]
                learning += 1
        return learning
    for j in range(subroutines.used[k]):
        if distances[subroutines.reference[k, j]] <= present.limits[k]:
            subroutines.updates[k, j] += 1
            present.learning[learning] = subroutines.place[k, j]
            learning += 1
    return learning


@inlined
def select_learning(k, s, h, subroutines, present, results, learning):  # type: ignore[no-untyped-def]
    """Selects the subroutines of a member that predict a step, and those that learn it.

    Returns the number that learn so far.
    """
    present.predicting[k] = subroutines.place[k, present.chosen[k]]
    before = learning
    if present.born[k] or present.forced[k]:
        subroutines.updates[k, present.chosen[k]] += 1
        present.learning[learning] = present.predicting[k]
        learning += 1
    else:
        learning = select_close(k, h, subroutines, present, learning)
    if k < len(results.active):
        results.close[k, s] = 0 if present.forced[k] else learning - before
    return learning


RUN_STEPS = {
    (distance, learner): _kernel(f"{distance}_{learner}", _DISTANCES[distance], _LEARNERS[learner])
    for distance in _DISTANCES
    for learner in _LEARNERS
}
