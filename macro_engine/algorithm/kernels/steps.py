"""Whole steps: choice, prediction and update for every threshold."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.algorithm.family import NEAREST
from macro_engine.algorithm.kernels.arrays import (
    FEATURES,
    FRAMES,
    LABELS,
    LOGISTIC,
    Present,
)
from macro_engine.algorithm.kernels.compiling import borrowing, compiled, part_of_step
from macro_engine.algorithm.kernels.distances import (
    SIDE_BY_SIDE,
    SMALL,
    by_class,
    compare_empty,
    features_distance,
    features_distances,
    frames_distances,
    labels_distances,
)
from macro_engine.algorithm.kernels.learners import (
    copy_learner,
    logistic_learn,
    logistic_predict,
    mean_learn,
    mean_predict,
)


@borrowing
def run_steps(  # type: ignore[no-untyped-def]
    first, stop, exact_from, stretch, rules, references, subroutines, bank, present, results
):
    """Take steps of a stretch through; returns the first one not taken.

    It stops early where an array might not hold what the next step could add. From step
    `exact_from` on, no distance among the nearest is left at a lower bound.
    """
    for s in range(first, stop):
        t = stretch.past_steps + s
        begin, end = stretch.starts[t], stretch.starts[t + 1]
        oldest = stretch.starts[0 if rules.history < 0 else max(0, t - rules.history)]
        if not has_room(begin - oldest, rules, references, subroutines, bank):
            return s
        for k in range(len(rules.thresholds)):
            limit = rules.thresholds[k]
            if rules.power != 0.0 and not math.isinf(limit):
                limit = limit * math.pow(stretch.step_number + s + 1, -rules.power)
            present.limits[k] = limit
        rows = look_back(oldest, begin, stretch, rules, present)
        measure(rows, rules, references, subroutines, present)
        for k in range(len(rules.thresholds)):
            find_nearest(k, subroutines, present)
            while s >= exact_from and compute_bounded(k, rules, references, subroutines, present):
                find_nearest(k, subroutines, present)
            if k < len(rules.thresholds) - 1:
                tell_nearest(k, s, subroutines, present, results)
            present.chosen[k] = present.nearest[0]
            present.least_distances[k] = present.nearest_distances[0]
        choose(s, rules, references, subroutines, bank, present, results)
        if present.born.any():
            remember(rows, rules, references, present)
        predict_and_learn(s, begin, end, stretch, rules, subroutines, bank, present, results)
        for i in range(begin, end):
            stretch.label_counts[stretch.labels[i]] += 1
    return stop


@compiled
def scratch(first, stop, stretch, rules, references, bank):  # type: ignore[no-untyped-def]
    """Room for one step at a time."""
    members, classes = len(rules.thresholds), len(stretch.label_counts)
    d = stretch.numbers.shape[1]
    longest = widest = 0
    if rules.distance == FEATURES:
        for s in range(first, stop):
            t = stretch.past_steps + s
            oldest = stretch.starts[max(0, t - rules.history)]
            longest = max(longest, stretch.starts[t] - oldest)
        widest = max(1024, longest)
        for r in range(references.used[0]):
            for c in range(classes):
                widest = max(widest, references.starts[r + 1, c] - references.starts[r, c])
    n = len(references.empty)
    unlimited = np.empty(n)
    for r in range(n):
        unlimited[r] = math.inf
    return Present(
        np.zeros(classes, np.int64),
        np.zeros(classes),
        np.zeros(classes + 1, np.int64),
        np.empty((longest, d)),
        np.empty((references.frames.shape[0], d)),
        np.empty(n),
        np.empty(n),
        unlimited,
        np.empty(n, np.int64),
        np.empty((classes, longest, widest)),
        np.empty(widest if rules.distance == FEATURES else SIDE_BY_SIDE),
        np.empty(max(longest * widest, SMALL)),
        np.empty(members),
        np.empty(members, np.int64),
        np.empty(members),
        np.empty(members, np.bool_),
        np.empty(members, np.bool_),
        np.empty(NEAREST, np.int64),
        np.empty(NEAREST),
        np.empty(members, np.int64),
        np.empty(len(bank.learnt), np.int64),
        np.empty(classes),
    )


@part_of_step
def has_room(rows, rules, references, subroutines, bank):  # type: ignore[no-untyped-def]
    """Whether a birth for every threshold would fit."""
    n, members = references.used[0], len(rules.thresholds)
    if n == len(references.empty) or bank.used[0] + members > len(bank.learnt):
        return False
    if rules.distance == FEATURES:
        for c in range(references.starts.shape[1]):
            if references.starts[n, c] + rows > references.columns.shape[2]:
                return False
    for k in range(members):
        if subroutines.used[k] == subroutines.reference.shape[1]:
            return False
    return True


@part_of_step
def look_back(oldest, begin, stretch, rules, present):  # type: ignore[no-untyped-def]
    """Describe the history; returns how many rows it has."""
    classes = len(present.counts)
    for c in range(classes):
        present.counts[c] = stretch.label_counts[c] if rules.history < 0 else 0
    if rules.history >= 0:
        for i in range(oldest, begin):
            present.counts[stretch.labels[i]] += 1
    rows = 0
    for c in range(classes):
        rows += present.counts[c]
    if rules.distance == LABELS:
        for c in range(classes):
            present.shares[c] = present.counts[c] / rows if rows > 0 else 0.0
    elif rules.distance == FEATURES:
        by_class(
            stretch.numbers, stretch.labels, oldest, begin, present.counts, present.starts,
            present.rows,
        )  # fmt: skip
    else:
        for i in range(min(rules.history, rows)):
            for c in range(stretch.numbers.shape[1]):
                present.frames[i, c] = stretch.numbers[begin - 1 - i, c]
    return rows


@part_of_step
def measure(rows, rules, references, subroutines, present):  # type: ignore[no-untyped-def]
    """The distance to every reference."""
    n, out = references.used[0], present.distances
    for r in range(n):
        present.counted[r] = 1
    if rules.distance == LABELS:
        labels_distances(present.shares, n, references.shares, out)
    elif rules.distance == FRAMES:
        length = min(rules.history, rows)
        frames_distances(
            present.frames, length, n, references.frames, references.lengths, present.least, out
        )
    else:
        # some room for rounding; the baseline takes its only reference however far it is
        for r in range(n):
            present.reach[r] = present.limits[references.largest[r]] * 1.000001
        features_to(present.reach, rules, references, present)
    compare_empty(rows == 0, n, references.empty, present.counted, out)
    if rules.distance == FEATURES and not all_have_one_close(subroutines, present):
        # the closest one will be asked for, however far it is
        features_to(present.unlimited, rules, references, present)
        compare_empty(rows == 0, n, references.empty, present.counted, out)


@part_of_step
def features_to(reach, rules, references, present):  # type: ignore[no-untyped-def]
    features_distances(
        present.rows, present.starts, references.used[0], references.columns, references.starts,
        rules.divisor, rules.lacking, rules.skip, reach, present.squares, present.least,
        present.smallest, present.counted, present.distances,
    )  # fmt: skip


@part_of_step
def all_have_one_close(subroutines, present):  # type: ignore[no-untyped-def]
    for k in range(len(present.limits)):
        found = False
        for j in range(subroutines.used[k]):
            if present.distances[subroutines.reference[k, j]] <= present.limits[k]:
                found = True
                break
        if not found:
            return False
    return True


@part_of_step
def find_nearest(k, subroutines, present):  # type: ignore[no-untyped-def]
    """The nearest subroutines of a threshold, the lowest number on ties."""
    nearest, distances = present.nearest, present.nearest_distances
    for i in range(NEAREST):
        nearest[i] = -1
        distances[i] = math.nan
    filled = 0
    for j in range(subroutines.used[k]):
        m = present.distances[subroutines.reference[k, j]]
        if filled == NEAREST:
            if not m < distances[NEAREST - 1]:
                continue
        else:
            filled += 1
        place = filled - 1
        while place > 0 and distances[place - 1] > m:
            nearest[place], distances[place] = nearest[place - 1], distances[place - 1]
            place -= 1
        nearest[place], distances[place] = j, m


@compiled
def compute_bounded(k, rules, references, subroutines, present):  # type: ignore[no-untyped-def]
    """Compute those of the nearest distances that are lower bounds; whether there were any."""
    found = False
    for i in range(NEAREST):
        if present.nearest[i] < 0:
            break
        r = subroutines.reference[k, present.nearest[i]]
        if present.counted[r] == 0:
            found = True
            present.counted[r] = 1
            present.distances[r] = features_distance(
                present.rows, present.starts, references.used[0], r, references.columns,
                references.starts, rules.divisor, rules.lacking, present.squares, present.least,
                present.smallest,
            )  # fmt: skip
    return found


@part_of_step
def tell_nearest(k, s, subroutines, present, results):  # type: ignore[no-untyped-def]
    """A lower bound is told with a minus sign."""
    for i in range(NEAREST):
        j, m = present.nearest[i], present.nearest_distances[i]
        results.nearest[k, s, i] = j + 1
        if j >= 0 and present.counted[subroutines.reference[k, j]] == 0:
            m = -m
        results.nearest_distances[k, s, i] = m


@part_of_step
def choose(s, rules, references, subroutines, bank, present, results):  # type: ignore[no-untyped-def]
    """Take the nearest subroutine of each threshold if it is close, or start one."""
    for k in range(len(rules.thresholds)):
        nearest, distance = present.chosen[k], present.least_distances[k]
        is_far = not distance <= present.limits[k]
        full = rules.most > 0 and subroutines.used[k] == rules.most
        present.forced[k] = is_far and full
        present.born[k] = is_far and not full
        if present.born[k]:
            place = bank.used[0]
            bank.used[0] += 1
            if nearest >= 0:
                parent = subroutines.place[k, nearest]
                copy_learner(bank.weights, bank.intercepts, bank.learnt, parent, place)
            nearest, distance = subroutines.used[k], math.nan
            subroutines.reference[k, nearest] = references.used[0]
            subroutines.place[k, nearest] = place
            subroutines.used[k] += 1
        present.chosen[k] = nearest
        if k < len(rules.thresholds) - 1:
            results.active[k, s] = nearest + 1
            results.born[k, s] = present.born[k]
            results.distance[k, s] = distance
            results.subroutines[k, s] = subroutines.used[k]


@compiled
def remember(rows, rules, references, present):  # type: ignore[no-untyped-def]
    """Keep the present history as the reference of those born now."""
    r = references.used[0]
    references.empty[r] = rows == 0
    references.largest[r] = 0
    for k in range(len(present.born) - 1):
        if present.born[k]:
            references.largest[r] = k
    if rules.distance == LABELS:
        for c in range(len(present.shares)):
            references.shares[r, c] = present.shares[c]
    elif rules.distance == FEATURES:
        for c in range(len(present.starts) - 1):
            now, kept = present.starts[c], references.starts[r, c]
            count = present.starts[c + 1] - now
            for column in range(present.rows.shape[1]):
                for i in range(count):
                    references.columns[c, column, kept + i] = present.rows[now + i, column]
            references.starts[r + 1, c] = kept + count
    else:
        length = min(rules.history, rows)
        references.lengths[r] = length
        for i in range(length):
            for column in range(present.frames.shape[1]):
                references.frames[i, column, r] = present.frames[i, column]
    references.used[0] += 1


@part_of_step
def predict_and_learn(  # type: ignore[no-untyped-def]
    s, begin, end, stretch, rules, subroutines, bank, present, results
):
    """The active ones predict the rows of the step, then all that were close learn them."""
    numbers, ones, labels = stretch.numbers, stretch.ones, stretch.labels
    learning = 0
    for k in range(len(rules.thresholds)):
        present.predicting[k] = subroutines.place[k, present.chosen[k]]
        before = learning
        if present.born[k] or present.forced[k]:
            subroutines.updates[k, present.chosen[k]] += 1
            present.learning[learning] = subroutines.place[k, present.chosen[k]]
            learning += 1
        else:
            for j in range(subroutines.used[k]):
                if present.distances[subroutines.reference[k, j]] <= present.limits[k]:
                    subroutines.updates[k, j] += 1
                    present.learning[learning] = subroutines.place[k, j]
                    learning += 1
        if k < len(rules.thresholds) - 1:
            results.close[k, s] = 0 if present.forced[k] else learning - before
    if rules.learner == LOGISTIC:
        logistic_predict(
            bank.weights, bank.intercepts, present.predicting, numbers, ones, begin, end,
            results.predictions, stretch.past_rows,
        )  # fmt: skip
        logistic_learn(
            bank.weights, bank.intercepts, bank.learnt, present.learning, learning, labels,
            numbers, ones, begin, end, bank.rates, rules.rate_power,
        )  # fmt: skip
        return
    for k in range(len(present.predicting)):
        mean_predict(
            bank.weights, bank.learnt, present.predicting[k], numbers, ones, begin, end,
            present.totals, results.predictions, k, stretch.past_rows,
        )  # fmt: skip
    for q in range(learning):
        mean_learn(
            bank.weights, bank.learnt, present.learning[q], labels, numbers, ones, begin, end
        )
