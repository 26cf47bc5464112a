"""Whole steps: choice, prediction and learning for every member."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.algorithm.kernels.arrays import (
    FEATURES,
    FRAMES,
    LABELS,
    LOGISTIC,
    Present,
)
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
    logistic_probabilities,
    mean_learn,
    mean_predict,
)
from macro_engine.core.compiling import borrowing, compiled, part_of_step
from macro_engine.core.steps import NEAREST


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
        if not has_room(t, stretch, rules, references, subroutines, bank):
            return s
        for k in range(len(rules.thresholds)):
            limit = rules.thresholds[k]
            if rules.power != 0.0 and not math.isinf(limit):
                limit = limit * math.pow(stretch.step_number + s + 1, -rules.power)
            present.limits[k] = limit
        for h in range(len(rules.histories)):
            rows = look_back(h, t, stretch, rules, present)
            measure(h, rows, rules, references, subroutines, present)
            born = False
            for k in range(len(rules.thresholds)):
                if rules.history_of[k] != h:
                    continue
                find_nearest(k, h, subroutines, present)
                while s >= exact_from and compute_bounded(
                    k, h, rules, references, subroutines, present
                ):
                    find_nearest(k, h, subroutines, present)
                if k < len(results.active):
                    tell_nearest(k, s, h, subroutines, present, results)
                choose(k, s, h, rules, references, subroutines, bank, present, results)
                born = born or present.born[k]
            if born:
                remember(h, rows, rules, references, present, len(results.active))
        predict_and_learn(s, begin, end, stretch, rules, subroutines, bank, present, results)
        for i in range(begin, end):
            stretch.label_counts[stretch.labels[i]] += 1
    return stop


@part_of_step
def oldest_row(h, t, stretch, rules):  # type: ignore[no-untyped-def]
    """Where a history before step t of the stretch begins."""
    length = rules.histories[h]
    return stretch.starts[0 if length < 0 else max(0, t - length)]


@compiled
def scratch(first, stop, stretch, rules, references, bank):  # type: ignore[no-untyped-def]
    """Room for one step at a time."""
    members, classes = len(rules.thresholds), len(stretch.label_counts)
    d = stretch.numbers.shape[1]
    longest = widest = 0
    if rules.distance == FEATURES:
        for s in range(first, stop):
            t = stretch.past_steps + s
            for h in range(len(rules.histories)):
                longest = max(longest, stretch.starts[t] - oldest_row(h, t, stretch, rules))
        widest = max(1024, longest)
        for h in range(len(rules.histories)):
            starts = references.starts[h]
            for r in range(references.used[h]):
                for c in range(classes):
                    widest = max(widest, starts[r + 1, c] - starts[r, c])
    n = references.empty.shape[1]
    unlimited = np.empty(n)
    for r in range(n):
        unlimited[r] = math.inf
    return Present(
        np.zeros(classes, np.int64),
        np.zeros(classes),
        np.zeros(classes + 1, np.int64),
        np.empty((longest, d)),
        np.empty((references.frames.shape[1], d)),
        np.empty((len(rules.histories), n)),
        np.empty(n),
        unlimited,
        np.empty((len(rules.histories), n), np.int64),
        np.empty((classes, longest, widest)),
        np.empty(widest if rules.distance == FEATURES else SIDE_BY_SIDE),
        np.empty(max(longest * widest, SMALL)),
        np.empty(members),
        np.empty(members, np.int64),
        np.empty(members, np.bool_),
        np.empty(members, np.bool_),
        np.empty(NEAREST, np.int64),
        np.empty(NEAREST),
        np.empty(members, np.int64),
        np.empty(len(bank.counts), np.int64),
        np.empty(classes),
    )


@part_of_step
def has_room(t, stretch, rules, references, subroutines, bank):  # type: ignore[no-untyped-def]
    """Whether a birth for every member would fit."""
    members = len(rules.thresholds)
    if bank.used[0] + members > len(bank.counts):
        return False
    for h in range(len(rules.histories)):
        n = references.used[h]
        if n == references.empty.shape[1]:
            return False
        if rules.distance == FEATURES:
            rows = stretch.starts[t] - oldest_row(h, t, stretch, rules)
            for c in range(references.starts.shape[2]):
                if references.starts[h, n, c] + rows > references.columns.shape[3]:
                    return False
    for k in range(members):
        if subroutines.used[k] == subroutines.reference.shape[1]:
            return False
    return True


@part_of_step
def look_back(h, t, stretch, rules, present):  # type: ignore[no-untyped-def]
    """Describe a history before step t; returns how many rows it has."""
    classes, length = len(present.counts), rules.histories[h]
    oldest, begin = oldest_row(h, t, stretch, rules), stretch.starts[t]
    for c in range(classes):
        present.counts[c] = stretch.label_counts[c] if length < 0 else 0
    if length >= 0:
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
        for i in range(min(length, rows)):
            for c in range(stretch.numbers.shape[1]):
                present.frames[i, c] = stretch.numbers[begin - 1 - i, c]
    return rows


@part_of_step
def measure(h, rows, rules, references, subroutines, present):  # type: ignore[no-untyped-def]
    """The distance of a history to every reference of its own."""
    n, out = references.used[h], present.distances[h]
    empty, counted = references.empty[h], present.counted[h]
    for r in range(n):
        counted[r] = 1
    if rules.distance == LABELS:
        labels_distances(present.shares, n, references.shares[h], out)
    elif rules.distance == FRAMES:
        frames_distances(
            present.frames, min(rules.histories[h], rows), n, references.frames[h],
            references.lengths[h], present.least, out,
        )  # fmt: skip
    else:
        # some room for rounding; the baseline takes its only reference however far it is
        for r in range(n):
            present.reach[r] = present.limits[references.largest[h, r]] * 1.000001
        features_to(h, present.reach, rules, references, present)
    compare_empty(rows == 0, n, empty, counted, out)
    if rules.distance == FEATURES and not all_have_one_close(h, rules, subroutines, present):
        # the closest one will be asked for, however far it is
        features_to(h, present.unlimited, rules, references, present)
        compare_empty(rows == 0, n, empty, counted, out)


@part_of_step
def features_to(h, reach, rules, references, present):  # type: ignore[no-untyped-def]
    features_distances(
        present.rows, present.starts, references.used[h], references.columns[h],
        references.starts[h], rules.divisor, rules.lacking, rules.skip, reach, present.squares,
        present.least, present.smallest, present.counted[h], present.distances[h],
    )  # fmt: skip


@part_of_step
def all_have_one_close(h, rules, subroutines, present):  # type: ignore[no-untyped-def]
    distances = present.distances[h]
    for k in range(len(present.limits)):
        if rules.history_of[k] != h:
            continue
        found = False
        for j in range(subroutines.used[k]):
            if distances[subroutines.reference[k, j]] <= present.limits[k]:
                found = True
                break
        if not found:
            return False
    return True


@part_of_step
def find_nearest(k, h, subroutines, present):  # type: ignore[no-untyped-def]
    """The nearest subroutines of a member, the lowest number on ties."""
    nearest, distances = present.nearest, present.nearest_distances
    to_references = present.distances[h]
    for i in range(NEAREST):
        nearest[i] = -1
        distances[i] = math.nan
    filled = 0
    for j in range(subroutines.used[k]):
        m = to_references[subroutines.reference[k, j]]
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
def compute_bounded(k, h, rules, references, subroutines, present):  # type: ignore[no-untyped-def]
    """Compute those of the nearest distances that are lower bounds; whether there were any."""
    found = False
    for i in range(NEAREST):
        if present.nearest[i] < 0:
            break
        r = subroutines.reference[k, present.nearest[i]]
        if present.counted[h, r] == 0:
            found = True
            present.counted[h, r] = 1
            present.distances[h, r] = features_distance(
                present.rows, present.starts, references.used[h], r, references.columns[h],
                references.starts[h], rules.divisor, rules.lacking, present.squares,
                present.least, present.smallest,
            )  # fmt: skip
    return found


@part_of_step
def tell_nearest(k, s, h, subroutines, present, results):  # type: ignore[no-untyped-def]
    """A lower bound is told with a minus sign."""
    for i in range(NEAREST):
        j, m = present.nearest[i], present.nearest_distances[i]
        results.nearest[k, s, i] = j + 1
        if j >= 0 and present.counted[h, subroutines.reference[k, j]] == 0:
            m = -m
        results.nearest_distances[k, s, i] = m


@part_of_step
def choose(k, s, h, rules, references, subroutines, bank, present, results):  # type: ignore[no-untyped-def]
    """Take the nearest subroutine of a member if it is close, or start one."""
    nearest, distance = present.nearest[0], present.nearest_distances[0]
    is_far = not distance <= present.limits[k]
    full = rules.most > 0 and subroutines.used[k] == rules.most
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


@compiled
def remember(h, rows, rules, references, present, members):  # type: ignore[no-untyped-def]
    """Keep the present history as the reference of those born now."""
    r = references.used[h]
    references.empty[h, r] = rows == 0
    references.largest[h, r] = 0
    for k in range(members):
        if rules.history_of[k] == h and present.born[k] and not math.isinf(rules.thresholds[k]):
            references.largest[h, r] = k
    if rules.distance == LABELS:
        for c in range(len(present.shares)):
            references.shares[h, r, c] = present.shares[c]
    elif rules.distance == FEATURES:
        for c in range(len(present.starts) - 1):
            now, kept = present.starts[c], references.starts[h, r, c]
            count = present.starts[c + 1] - now
            for column in range(present.rows.shape[1]):
                for i in range(count):
                    references.columns[h, c, column, kept + i] = present.rows[now + i, column]
            references.starts[h, r + 1, c] = kept + count
    else:
        length = min(rules.histories[h], rows)
        references.lengths[h, r] = length
        for i in range(length):
            for column in range(present.frames.shape[1]):
                references.frames[h, i, column, r] = present.frames[i, column]
    references.used[h] += 1


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
            distances = present.distances[rules.history_of[k]]
            for j in range(subroutines.used[k]):
                if distances[subroutines.reference[k, j]] <= present.limits[k]:
                    subroutines.updates[k, j] += 1
                    present.learning[learning] = subroutines.place[k, j]
                    learning += 1
        if k < len(results.active):
            results.close[k, s] = 0 if present.forced[k] else learning - before
    if rules.learner == LOGISTIC:
        if len(results.probabilities) > 0:
            logistic_probabilities(
                bank.weights, bank.intercepts, present.predicting, numbers, ones, begin, end,
                results.predictions, results.probabilities, stretch.past_rows,
            )  # fmt: skip
        else:
            logistic_predict(
                bank.weights, bank.intercepts, present.predicting, numbers, ones, begin, end,
                results.predictions, stretch.past_rows,
            )  # fmt: skip
        logistic_learn(
            bank.weights, bank.intercepts, bank.counts, present.learning, learning, labels,
            numbers, ones, begin, end, bank.rates, rules.rate_power,
        )  # fmt: skip
        return
    for k in range(len(present.predicting)):
        mean_predict(
            bank.weights, bank.counts, present.predicting[k], numbers, ones, begin, end,
            present.totals, results.predictions, k, stretch.past_rows,
        )  # fmt: skip
    for q in range(learning):
        mean_learn(
            bank.weights, bank.counts, present.learning[q], labels, numbers, ones, begin, end
        )
