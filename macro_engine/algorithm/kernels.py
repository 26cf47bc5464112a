"""The compiled loops behind `CompiledFamily`.

They compute what `macro.py` defines over River's logistic regression or the nearest mean, to the
last bit: every sum runs in the same order, and nothing is fused, reordered or replaced by a faster
approximation. Exponents are passed at run time, because a constant .5 would be folded into a square
root, which differs from the power that River takes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from macro_engine.algorithm.kernel_cache import use_cache

FEATURES, LABELS, FRAMES = 0, 1, 2
LOGISTIC, NEAREST_MEAN = 0, 1
_SMALL = 48  # up to so many smallest values, keeping them sorted beats sorting all

compiled: Any = njit(cache=use_cache(), nogil=True)


@compiled
def count_labels(labels, start, stop, counts):  # type: ignore[no-untyped-def]
    counts[:] = 0
    for i in range(start, stop):
        counts[labels[i]] += 1


@compiled
def labels_distances(shares, n_references, references, out):  # type: ignore[no-untyped-def]
    for r in range(n_references):
        total = 0.0
        for c in range(len(shares)):
            difference = shares[c] - references[r, c]
            total += difference * difference
        out[r] = total


@compiled
def mean_of_smallest(now, n0, n1, ref, r0, r1, divisor, buffer):  # type: ignore[no-untyped-def]
    """Of all l2 distances between two sets of rows, the mean of the max(|S|, |T|) smallest."""
    k = max(n1 - n0, r1 - r0)
    d = now.shape[1]
    if k <= _SMALL:
        filled = 0
        for i in range(n0, n1):
            for j in range(r0, r1):
                square = 0.0
                for c in range(d):
                    difference = now[i, c] - ref[j, c]
                    square += difference * difference
                if filled == k:
                    if square >= buffer[k - 1]:
                        continue
                    place = k - 1
                else:
                    place = filled
                    filled += 1
                while place > 0 and buffer[place - 1] > square:
                    buffer[place] = buffer[place - 1]
                    place -= 1
                buffer[place] = square
        smallest = buffer
    else:
        squares = np.empty((n1 - n0) * (r1 - r0))
        n = 0
        for i in range(n0, n1):
            for j in range(r0, r1):
                square = 0.0
                for c in range(d):
                    difference = now[i, c] - ref[j, c]
                    square += difference * difference
                squares[n] = square
                n += 1
        squares.sort()
        smallest = squares
    total = 0.0
    for i in range(k):
        total += math.sqrt(smallest[i]) / divisor
    return total / k


@compiled
def features_distances(  # type: ignore[no-untyped-def]
    now, now_starts, n_references, ref_rows, ref_starts, divisor, lacking, skip, buffer, out
):
    classes = len(now_starts) - 1
    for r in range(n_references):
        total = 0.0
        counted = classes
        for c in range(classes):
            n0, n1 = now_starts[c], now_starts[c + 1]
            r0, r1 = ref_starts[r, c], ref_starts[r, c + 1]
            if n1 > n0 and r1 > r0:
                total += mean_of_smallest(now, n0, n1, ref_rows, r0, r1, divisor, buffer)
            elif n1 > n0 or r1 > r0:
                total += lacking
                counted -= skip
        out[r] = total / counted if counted > 0 else math.inf


@compiled
def frames_distances(now, length, n_references, references, lengths, out):  # type: ignore[no-untyped-def]
    d = now.shape[1]
    for r in range(n_references):
        n = min(length, lengths[r])
        if n == 0:
            continue
        total = 0.0
        for i in range(n):
            square = 0.0
            for c in range(d):
                difference = now[i, c] - references[r, i, c]
                square += difference * difference
            total += math.sqrt(square)
        out[r] = total / n


@compiled
def logit(weights, intercept, numbers, ones):  # type: ignore[no-untyped-def]
    total = 0.0
    for c in range(len(numbers)):
        total += weights[c] * numbers[c]
    for c in range(len(ones)):
        total += weights[ones[c]] * 1.0
    return total + intercept


@compiled
def sigmoid(z):  # type: ignore[no-untyped-def]
    if z < -30.0:
        return 0.0
    if z > 30.0:
        return 1.0
    return 1.0 / (1.0 + math.exp(-z))


@compiled
def logistic_predict(weights, intercepts, numbers, ones):  # type: ignore[no-untyped-def]
    models = len(intercepts)
    if models == 1:
        z = logit(weights[0], intercepts[0], numbers, ones)
        if z <= 0.0:
            return 0
        if z > 1e-9:  # only closer to 0 may the probability round to one half
            return 1
        p = sigmoid(z)
        return 1 if p > 1.0 - p else 0
    best, most = 0, -1.0
    for m in range(models):
        p = sigmoid(logit(weights[m], intercepts[m], numbers, ones))
        if p > most:
            best, most = m, p
    return best


@compiled
def logistic_learn(weights, intercepts, step, label, numbers, ones, power):  # type: ignore[no-untyped-def]
    """One step of stochastic gradient descent for each model; `step` counts those before."""
    models = len(intercepts)
    rate = 1.0 / math.pow(step + 1, power)
    for m in range(models):
        y = 1.0 if label == (1 if models == 1 else m) else -1.0
        z = logit(weights[m], intercepts[m], numbers, ones) * y
        if z > 18.0:
            gradient = math.exp(-z) * -y
        elif z < -18.0:
            gradient = -y
        else:
            gradient = -y / (math.exp(z) + 1.0)
        intercepts[m] -= rate * gradient
        for c in range(len(numbers)):
            weights[m, c] -= rate * (numbers[c] * gradient)
        for c in range(len(ones)):
            weights[m, ones[c]] -= rate * gradient


@compiled
def mean_predict(means, counts, numbers, ones):  # type: ignore[no-untyped-def]
    best, least = 0, math.inf
    d = len(numbers)
    width = means.shape[1]
    for c in range(len(counts)):
        if counts[c] == 0:
            continue
        total = 0.0
        for i in range(d):
            difference = numbers[i] - means[c, i]
            total += difference * difference
        place = 0
        for i in range(d, width):
            x = 0.0
            if place < len(ones) and ones[place] == i:
                x = 1.0
                place += 1
            difference = x - means[c, i]
            total += difference * difference
        if total < least:
            best, least = c, total
    return best


@compiled
def mean_learn(means, counts, label, numbers, ones):  # type: ignore[no-untyped-def]
    counts[label] += 1
    n = counts[label]
    d = len(numbers)
    for i in range(d):
        means[label, i] += (numbers[i] - means[label, i]) / n
    place = 0
    for i in range(d, means.shape[1]):
        x = 0.0
        if place < len(ones) and ones[place] == i:
            x = 1.0
            place += 1
        means[label, i] += (x - means[label, i]) / n


@compiled
def by_class(numbers, labels, start, stop, counts, starts, out):  # type: ignore[no-untyped-def]
    """The rows from `start` to `stop` in `out`, class after class, and where each class starts."""
    starts[0] = 0
    for c in range(len(counts)):
        starts[c + 1] = starts[c] + counts[c]
    place = starts[:-1].copy()
    for i in range(start, stop):
        c = labels[i]
        for column in range(numbers.shape[1]):
            out[place[c], column] = numbers[i, column]
        place[c] += 1


@compiled
def run_steps(  # type: ignore[no-untyped-def]
    # the steps to run, and the rows of the block with the past steps in front of it
    first, stop, past_steps, past_rows, step_number, history, starts, numbers, ones, labels,
    # the rules
    distance_kind, learner_kind, thresholds, power, most, divisor, lacking, skip, half,
    # references
    n_references, ref_shares, ref_empty, ref_rows, ref_starts, ref_frames, ref_lengths,
    # subroutines: which reference and which place in the bank, by threshold
    n_subroutines, sub_reference, sub_place,
    # the bank
    n_places, weights, intercepts, counts,
    # all labels so far, for a history of all steps
    all_counts,
    # results
    predictions, active, born, distance, close, subroutines,
):  # fmt: skip
    """Take steps through choice, prediction and update; returns the first step not taken.

    It stops early where an array might not hold what the next step could add.
    """
    members = len(thresholds)
    classes = len(all_counts)
    window = np.zeros(classes, np.int64)
    shares = np.zeros(classes)
    longest = 1
    for s in range(first, stop):
        past = 0 if history < 0 else max(0, past_steps + s - history)
        longest = max(longest, starts[past_steps + s] - starts[past])
    d = numbers.shape[1]
    now_rows = np.empty((longest if distance_kind == FEATURES else 0, d))
    now_starts = np.zeros(classes + 1, np.int64)
    now_frames = np.empty((max(history, 0) if distance_kind == FRAMES else 0, d))
    buffer = np.empty(_SMALL)
    distances = np.empty(len(ref_empty))
    chosen = np.empty(members, np.int64)
    forced = np.empty(members, np.bool_)
    newborn = np.empty(members, np.bool_)
    limits = np.empty(members)
    for s in range(first, stop):
        t = past_steps + s
        begin, end = starts[t], starts[t + 1]
        oldest = starts[0 if history < 0 else max(0, t - history)]
        # room for what this step may add
        if n_references[0] == len(ref_empty) or n_places[0] + members > len(counts):
            return s
        if distance_kind == FEATURES:
            used = 0 if n_references[0] == 0 else ref_starts[n_references[0] - 1, classes]
            if used + begin - oldest > len(ref_rows):
                return s
        for k in range(members):
            if n_subroutines[k] == sub_reference.shape[1]:
                return s

        # the present history and its distance to every reference
        if history < 0:
            window[:] = all_counts
        else:
            count_labels(labels, oldest, begin, window)
        n = window.sum()
        length = 0
        for c in range(classes):
            shares[c] = window[c] / n if n > 0 else 0.0
        if distance_kind == LABELS:
            labels_distances(shares, n_references[0], ref_shares, distances)
        elif distance_kind == FEATURES:
            by_class(numbers, labels, oldest, begin, window, now_starts, now_rows)
            features_distances(
                now_rows, now_starts, n_references[0], ref_rows, ref_starts, divisor, lacking,
                skip, buffer, distances,
            )  # fmt: skip
        else:
            length = min(history, begin - oldest)
            for i in range(length):
                for c in range(d):
                    now_frames[i, c] = numbers[begin - 1 - i, c]
            frames_distances(
                now_frames, length, n_references[0], ref_frames, ref_lengths, distances
            )
        for r in range(n_references[0]):
            if n == 0 or ref_empty[r]:
                distances[r] = 0.0 if n == 0 and ref_empty[r] else math.inf

        # the choice, threshold by threshold
        any_born = False
        for k in range(members):
            limit = thresholds[k]
            if not math.isinf(limit):
                limit = limit * math.pow(step_number + s + 1, -power)
            limits[k] = limit
            nearest, least, n_close = -1, math.inf, 0
            for j in range(n_subroutines[k]):
                m = distances[sub_reference[k, j]]
                if nearest < 0 or m < least:
                    nearest, least = j, m
                if m <= limit:
                    n_close += 1
            full = most > 0 and n_subroutines[k] == most
            forced[k] = n_close == 0 and full
            newborn[k] = n_close == 0 and not full
            if newborn[k]:
                place = n_places[0]
                n_places[0] += 1
                if nearest >= 0:
                    parent = sub_place[k, nearest]
                    weights[place] = weights[parent]
                    intercepts[place] = intercepts[parent]
                    counts[place] = counts[parent]
                j = n_subroutines[k]
                sub_reference[k, j] = n_references[0]
                sub_place[k, j] = place
                n_subroutines[k] += 1
                nearest, least, n_close = j, math.nan, 1
                any_born = True
            chosen[k] = nearest
            if k < members - 1:
                active[k, s] = nearest + 1
                born[k, s] = newborn[k]
                distance[k, s] = least
                close[k, s] = n_close
                subroutines[k, s] = n_subroutines[k]
        if any_born:
            r = n_references[0]
            ref_empty[r] = n == 0
            if distance_kind == LABELS:
                ref_shares[r] = shares
            elif distance_kind == FEATURES:
                used = 0 if r == 0 else ref_starts[r - 1, classes]
                for c in range(classes + 1):
                    ref_starts[r, c] = used + now_starts[c]
                for i in range(now_starts[classes]):
                    ref_rows[used + i] = now_rows[i]
            else:
                ref_lengths[r] = length
                for i in range(length):
                    ref_frames[r, i] = now_frames[i]
            n_references[0] += 1

        # prediction, then the update of all that were close
        for k in range(members):
            place = sub_place[k, chosen[k]]
            for i in range(begin, end):
                if learner_kind == LOGISTIC:
                    said = logistic_predict(weights[place], intercepts[place], numbers[i], ones[i])
                else:
                    said = mean_predict(weights[place], counts[place], numbers[i], ones[i])
                predictions[k, i - past_rows] = said
        for k in range(members):
            for j in range(n_subroutines[k]):
                if newborn[k] or forced[k]:
                    learns = j == chosen[k]
                else:
                    learns = distances[sub_reference[k, j]] <= limits[k]
                if not learns:
                    continue
                place = sub_place[k, j]
                for i in range(begin, end):
                    if learner_kind == LOGISTIC:
                        logistic_learn(
                            weights[place], intercepts[place], counts[place, 0], labels[i],
                            numbers[i], ones[i], half,
                        )  # fmt: skip
                        counts[place, 0] += 1
                    else:
                        mean_learn(weights[place], counts[place], labels[i], numbers[i], ones[i])
        for i in range(begin, end):
            all_counts[labels[i]] += 1
    return stop


@compiled
def follow_the_leader(losses, totals, leader):  # type: ignore[no-untyped-def]
    """The leader at each step; closes the steps. Returns leaders, then the next one at the end."""
    steps, k = losses.shape
    leaders = np.empty(steps + 1, np.int64)
    for s in range(steps):
        leaders[s] = leader
        for i in range(k):
            totals[i] += losses[s, i]
        best = totals.min()
        if best < totals[leader]:
            for i in range(k):
                if totals[i] == best:
                    leader = i
    leaders[steps] = leader
    return leaders


@compiled
def exponential_weights(losses, totals, steps_before, eight_log_k):  # type: ignore[no-untyped-def]
    """The weights at each step; closes the steps."""
    steps, k = losses.shape
    weights = np.empty((steps, k))
    for s in range(steps):
        eta = math.sqrt(eight_log_k / (steps_before + s + 1))
        best = totals.min()
        total = 0.0
        for i in range(k):
            weights[s, i] = math.exp(-eta * (totals[i] - best))
            total += weights[s, i]
        for i in range(k):
            weights[s, i] /= total
            totals[i] += losses[s, i]
    return weights
