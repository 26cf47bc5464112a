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

_SIDE_BY_SIDE = 512  # references whose distances are summed together

compiled: Any = njit(cache=use_cache(), nogil=True)
# for what runs once a row and learner: a call would cost as much as the work
inlined: Any = njit(cache=use_cache(), nogil=True, inline="always")


@compiled
def count_labels(labels, start, stop, counts):  # type: ignore[no-untyped-def]
    for c in range(len(counts)):
        counts[c] = 0
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
def sort_in_place(values):  # type: ignore[no-untyped-def]
    """Heapsort; NumPy's own sort takes seconds to compile."""
    n = len(values)
    for size in range(2 * n - 1, 0, -1):
        # first make a heap of all values, then take the largest from it again and again
        root, end = (size - n, n) if size >= n else (0, size)
        if size < n:
            values[0], values[size] = values[size], values[0]
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and values[child + 1] > values[child]:
                child += 1
            if values[root] >= values[child]:
                break
            values[root], values[child] = values[child], values[root]
            root = child


@compiled
def mean_of_smallest(squares, n, j0, j1, divisor, buffer):  # type: ignore[no-untyped-def]
    """The mean of the max(n, j1 - j0) smallest roots in the first n lines, columns j0 to j1."""
    k = max(n, j1 - j0)
    if k <= _SMALL:
        filled = 0
        for i in range(n):
            for j in range(j0, j1):
                square = squares[i, j]
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
        smallest = np.empty(n * (j1 - j0))
        for i in range(n):
            for j in range(j0, j1):
                smallest[i * (j1 - j0) + j - j0] = squares[i, j]
        sort_in_place(smallest)
    total = 0.0
    for i in range(k):
        total += math.sqrt(smallest[i]) / divisor
    return total / k


@compiled
def square_distances(now, n0, n1, columns, c, first, last, out, least):  # type: ignore[no-untyped-def]
    """Squared l2 between rows n0 to n1 and the kept rows first to last of class c.

    `least` gets the smallest one for each of the kept rows.
    """
    count = last - first
    kept = columns[c]
    for j in range(count):
        least[j] = math.inf
    for i in range(n0, n1):
        line = out[i - n0]
        for j in range(count):
            line[j] = 0.0
        for column in range(now.shape[1]):
            x = now[i, column]
            values = kept[column, first:last]
            for j in range(count):
                difference = x - values[j]
                line[j] += difference * difference
        for j in range(count):
            least[j] = line[j] if line[j] < least[j] else least[j]


@compiled
def features_distances(  # type: ignore[no-untyped-def]
    now, now_starts, n_references, columns, ref_starts, divisor, lacking, skip, reach, squares,
    least, buffer, counted, out,
):  # fmt: skip
    """The distance to every reference; infinity may stand for any beyond the reference's reach.

    Class by class: the kept rows of a class stand side by side for all references, column by
    column, so that one pass over them gives all squared differences. The smallest of them bounds
    the mean of the smallest from below, and most references are found to be too far by that.
    """
    classes = len(now_starts) - 1
    for r in range(n_references):
        out[r] = 0.0
        missing = 0
        for c in range(classes):
            has = ref_starts[r + 1, c] > ref_starts[r, c]
            missing += (now_starts[c + 1] > now_starts[c]) != has
        counted[r] = classes - missing * skip
        if missing * lacking > reach[r] * classes:
            counted[r] = 0
    for c in range(classes):
        n0, n1 = now_starts[c], now_starts[c + 1]
        group = 0
        while group < n_references:
            # as many references as the buffer holds
            start = ref_starts[group, c]
            stop = group + 1
            while stop < n_references and ref_starts[stop + 1, c] - start <= squares.shape[1]:
                stop += 1
            if n1 > n0:
                last = ref_starts[stop, c]
                square_distances(now, n0, n1, columns, c, start, last, squares, least)
            for r in range(group, stop):
                if counted[r] == 0:
                    continue
                j0, j1 = ref_starts[r, c] - start, ref_starts[r + 1, c] - start
                if n1 > n0 and j1 > j0:
                    if skip == 0:
                        smallest = math.inf
                        for j in range(j0, j1):
                            smallest = min(smallest, least[j])
                        if out[r] + math.sqrt(smallest) / divisor > reach[r] * classes:
                            counted[r] = 0
                            continue
                    out[r] += mean_of_smallest(squares, n1 - n0, j0, j1, divisor, buffer)
                elif n1 > n0 or j1 > j0:
                    out[r] += lacking
            group = stop
    for r in range(n_references):
        out[r] = out[r] / counted[r] if counted[r] > 0 else math.inf


@compiled
def frames_distances(now, length, n_references, references, lengths, out):  # type: ignore[no-untyped-def]
    """The mean l2 between rows at the same position, for every reference.

    References stand side by side for each position and column, some hundred at a time: their sums
    run in the given order, each on its own.
    """
    squares = np.empty(_SIDE_BY_SIDE)
    for start in range(0, n_references, _SIDE_BY_SIDE):
        count = min(_SIDE_BY_SIDE, n_references - start)
        total = out[start : start + count]
        for r in range(count):
            total[r] = 0.0
        for i in range(length):
            for r in range(count):
                squares[r] = 0.0
            for c in range(now.shape[1]):
                x = now[i, c]
                values = references[i, c, start : start + count]
                for r in range(count):
                    difference = x - values[r]
                    squares[r] += difference * difference
            for r in range(count):
                if i < lengths[start + r]:
                    total[r] += math.sqrt(squares[r])
        for r in range(count):
            n = min(length, lengths[start + r])
            total[r] = total[r] / n if n > 0 else 0.0


@inlined
def logit(weights, intercept, numbers, ones, i):  # type: ignore[no-untyped-def]
    """The margin of row i."""
    total = 0.0
    for c in range(numbers.shape[1]):
        total += weights[c] * numbers[i, c]
    for c in range(ones.shape[1]):
        total += weights[ones[i, c]]
    return total + intercept


@inlined
def logistic_gradient(z, y):  # type: ignore[no-untyped-def]
    """The slope of River's logistic loss at margin z for a label y of 1 or -1."""
    z = z * y
    if z > 18.0:
        return math.exp(-z) * -y
    if z < -18.0:
        return -y
    return -y / (math.exp(z) + 1.0)


@inlined
def descend(weights, numbers, ones, i, rate, gradient):  # type: ignore[no-untyped-def]
    """Move the weights against the gradient at row i."""
    for c in range(numbers.shape[1]):
        weights[c] -= rate * (numbers[i, c] * gradient)
    for c in range(ones.shape[1]):
        weights[ones[i, c]] -= rate * gradient


@inlined
def sigmoid(z):  # type: ignore[no-untyped-def]
    if z < -30.0:
        return 0.0
    if z > 30.0:
        return 1.0
    return 1.0 / (1.0 + math.exp(-z))


@inlined
def is_likelier(z):  # type: ignore[no-untyped-def]
    """Whether the probability of the second of two classes is above that of the first."""
    if z <= 0.0:
        return 0
    if z > 1e-9:  # only closer to 0 may the probability round to one half
        return 1
    p = sigmoid(z)
    return 1 if p > 1.0 - p else 0


@compiled
def logistic_predict(  # type: ignore[no-untyped-def]
    weights, intercepts, places, numbers, ones, begin, end, predictions, shift
):
    """Predict rows with the models at each place; row i goes to column i - shift."""
    models = intercepts.shape[1]
    if models == 1:
        for i in range(begin, end):
            for k in range(len(places)):
                z = logit(weights[places[k], 0], intercepts[places[k], 0], numbers, ones, i)
                predictions[k, i - shift] = is_likelier(z)
        return
    for i in range(begin, end):
        for k in range(len(places)):
            best, most = 0, -1.0
            for m in range(models):
                z = logit(weights[places[k], m], intercepts[places[k], m], numbers, ones, i)
                p = sigmoid(z)
                if p > most:
                    best, most = m, p
            predictions[k, i - shift] = best


@compiled
def logistic_learn(  # type: ignore[no-untyped-def]
    weights, intercepts, counts, places, n_learning, labels, numbers, ones, begin, end, rates,
    power,
):  # fmt: skip
    """A step of stochastic gradient descent for each row and each model at the places.

    A row goes to all of them before the next one comes: their updates do not wait for each other,
    while those of one model for two rows do. `rates` holds 1 / (n + 1)^power for the first n.
    """
    models = intercepts.shape[1]
    for i in range(begin, end):
        positive = 1.0 if labels[i] == 1 else -1.0
        for q in range(n_learning):
            place = places[q]
            n = counts[place, 0]
            counts[place, 0] = n + 1
            rate = rates[n] if n < len(rates) else 1.0 / math.pow(n + 1, power)
            if models == 1:
                row = weights[place, 0]
                z = logit(row, intercepts[place, 0], numbers, ones, i)
                gradient = logistic_gradient(z, positive)
                intercepts[place, 0] -= rate * gradient
                descend(row, numbers, ones, i, rate, gradient)
                continue
            for m in range(models):
                row = weights[place, m]
                z = logit(row, intercepts[place, m], numbers, ones, i)
                gradient = logistic_gradient(z, 1.0 if labels[i] == m else -1.0)
                intercepts[place, m] -= rate * gradient
                descend(row, numbers, ones, i, rate, gradient)


@compiled
def learning_rates(n, power):  # type: ignore[no-untyped-def]
    rates = np.empty(n)
    for i in range(n):
        rates[i] = 1.0 / math.pow(i + 1, power)
    return rates


@compiled
def mean_predict(  # type: ignore[no-untyped-def]
    means, counts, place, numbers, ones, begin, end, predictions, k, shift
):
    d = numbers.shape[1]
    classes = counts.shape[1]
    mine = means[place]
    totals = np.empty(classes)
    for i in range(begin, end):
        for c in range(classes):
            totals[c] = 0.0
        for column in range(d):
            x = numbers[i, column]
            for c in range(classes):
                difference = x - mine[c, column]
                totals[c] += difference * difference
        category = 0
        for column in range(d, means.shape[2]):
            x = 0.0
            if category < ones.shape[1] and ones[i, category] == column:
                x = 1.0
                category += 1
            for c in range(classes):
                difference = x - mine[c, column]
                totals[c] += difference * difference
        best, least = 0, math.inf
        for c in range(classes):
            if counts[place, c] > 0 and totals[c] < least:
                best, least = c, totals[c]
        predictions[k, i - shift] = best


@compiled
def mean_learn(means, counts, place, labels, numbers, ones, begin, end):  # type: ignore[no-untyped-def]
    d = numbers.shape[1]
    for i in range(begin, end):
        label = labels[i]
        counts[place, label] += 1
        n = counts[place, label]
        for column in range(d):
            mean = means[place, label, column]
            means[place, label, column] = mean + (numbers[i, column] - mean) / n
        category = 0
        for column in range(d, means.shape[2]):
            x = 0.0
            if category < ones.shape[1] and ones[i, category] == column:
                x = 1.0
                category += 1
            mean = means[place, label, column]
            means[place, label, column] = mean + (x - mean) / n


@compiled
def by_class(numbers, labels, start, stop, counts, starts, out):  # type: ignore[no-untyped-def]
    """The rows from `start` to `stop` in `out`, class after class, and where each class starts.

    `counts` are the numbers of rows of each class, and 0 afterwards.
    """
    starts[0] = 0
    for c in range(len(counts)):
        starts[c + 1] = starts[c] + counts[c]
    for i in range(start, stop):
        c = labels[i]
        counts[c] -= 1
        for column in range(numbers.shape[1]):
            out[starts[c] + counts[c], column] = numbers[i, column]


@compiled
def copy_learner(weights, intercepts, counts, parent, place):  # type: ignore[no-untyped-def]
    for m in range(weights.shape[1]):
        for column in range(weights.shape[2]):
            weights[place, m, column] = weights[parent, m, column]
    for m in range(intercepts.shape[1]):
        intercepts[place, m] = intercepts[parent, m]
    for c in range(counts.shape[1]):
        counts[place, c] = counts[parent, c]


@compiled
def compare_empty(now_empty, n_references, ref_empty, distances):  # type: ignore[no-untyped-def]
    """Two empty histories are at distance 0, an empty one and another infinitely far apart."""
    for r in range(n_references):
        if now_empty or ref_empty[r]:
            distances[r] = 0.0 if now_empty and ref_empty[r] else math.inf


@compiled
def all_have_one_close(n_subroutines, sub_reference, distances, limits):  # type: ignore[no-untyped-def]
    for k in range(len(limits)):
        found = False
        for j in range(n_subroutines[k]):
            if distances[sub_reference[k, j]] <= limits[k]:
                found = True
                break
        if not found:
            return False
    return True


@compiled
def run_steps(  # type: ignore[no-untyped-def]
    # the steps to run, and the rows of the block with the past steps in front of it
    first, stop, past_steps, past_rows, step_number, history, starts, numbers, ones, labels,
    # the rules
    distance_kind, learner_kind, thresholds, power, most, divisor, lacking, skip, rates, half,
    # references
    n_references, ref_shares, ref_empty, ref_columns, ref_starts, ref_frames, ref_lengths,
    ref_largest,
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
    longest_reference = longest
    for r in range(n_references[0]):
        for c in range(classes):
            longest_reference = max(longest_reference, ref_starts[r + 1, c] - ref_starts[r, c])
    d = numbers.shape[1]
    now_rows = np.empty((longest if distance_kind == FEATURES else 0, d))
    now_starts = np.zeros(classes + 1, np.int64)
    now_frames = np.empty((max(history, 0) if distance_kind == FRAMES else 0, d))
    buffer = np.empty(_SMALL)
    distances = np.empty(len(ref_empty))
    counted = np.empty(len(ref_empty), np.int64)
    reach = np.empty(len(ref_empty))
    no_limit = np.empty(len(ref_empty))
    for r in range(len(ref_empty)):
        no_limit[r] = math.inf
    widest = max(1024, longest_reference) if distance_kind == FEATURES else 0
    squares = np.empty((longest if distance_kind == FEATURES else 0, widest))
    least_squares = np.empty(widest)
    chosen = np.empty(members, np.int64)
    predicting = np.empty(members, np.int64)
    learning = np.empty(len(counts), np.int64)
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
            for c in range(classes):
                if ref_starts[n_references[0], c] + begin - oldest > ref_columns.shape[2]:
                    return s
        for k in range(members):
            if n_subroutines[k] == sub_reference.shape[1]:
                return s

        # the thresholds in force
        for k in range(members):
            limits[k] = thresholds[k]
            if not math.isinf(thresholds[k]):
                limits[k] = thresholds[k] * math.pow(step_number + s + 1, -power)
        # how far a reference may be to be close to any threshold that knows it, with some room
        # for rounding; the baseline takes its only one however far it is
        for r in range(n_references[0]):
            reach[r] = limits[ref_largest[r]] * 1.000001

        # the present history and its distance to every reference
        n = 0
        count_labels(labels, oldest, begin, window)
        for c in range(classes):
            if history < 0:
                window[c] = all_counts[c]
            n += window[c]
        length = 0
        for c in range(classes):
            shares[c] = window[c] / n if n > 0 else 0.0
        if distance_kind == LABELS:
            labels_distances(shares, n_references[0], ref_shares, distances)
        elif distance_kind == FEATURES:
            by_class(numbers, labels, oldest, begin, window, now_starts, now_rows)
            features_distances(
                now_rows, now_starts, n_references[0], ref_columns, ref_starts, divisor, lacking,
                skip, reach, squares, least_squares, buffer, counted, distances,
            )  # fmt: skip
        else:
            length = min(history, begin - oldest)
            for i in range(length):
                for c in range(d):
                    now_frames[i, c] = numbers[begin - 1 - i, c]
            frames_distances(
                now_frames, length, n_references[0], ref_frames, ref_lengths, distances
            )
        compare_empty(n == 0, n_references[0], ref_empty, distances)
        if distance_kind == FEATURES and not all_have_one_close(
            n_subroutines, sub_reference, distances, limits
        ):
            # the closest one will be asked for, however far it is
            features_distances(
                now_rows, now_starts, n_references[0], ref_columns, ref_starts, divisor, lacking,
                skip, no_limit, squares, least_squares, buffer, counted, distances,
            )  # fmt: skip
            compare_empty(n == 0, n_references[0], ref_empty, distances)

        # the choice, threshold by threshold
        any_born = False
        for k in range(members):
            limit = limits[k]
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
                    copy_learner(weights, intercepts, counts, sub_place[k, nearest], place)
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
            ref_largest[r] = 0
            for k in range(members - 1):
                if newborn[k]:
                    ref_largest[r] = k
            if distance_kind == LABELS:
                for c in range(classes):
                    ref_shares[r, c] = shares[c]
            elif distance_kind == FEATURES:
                for c in range(classes):
                    n0, n1, r0 = now_starts[c], now_starts[c + 1], ref_starts[r, c]
                    for i in range(n1 - n0):
                        for column in range(d):
                            ref_columns[c, column, r0 + i] = now_rows[n0 + i, column]
                    ref_starts[r + 1, c] = r0 + n1 - n0
            else:
                ref_lengths[r] = length
                for i in range(length):
                    for c in range(d):
                        ref_frames[i, c, r] = now_frames[i, c]
            n_references[0] += 1

        # prediction, then the update of all that were close
        n_learning = 0
        for k in range(members):
            predicting[k] = sub_place[k, chosen[k]]
            for j in range(n_subroutines[k]):
                if newborn[k] or forced[k]:
                    learns = j == chosen[k]
                else:
                    learns = distances[sub_reference[k, j]] <= limits[k]
                if learns:
                    learning[n_learning] = sub_place[k, j]
                    n_learning += 1
        if learner_kind == LOGISTIC:
            logistic_predict(
                weights, intercepts, predicting, numbers, ones, begin, end, predictions, past_rows
            )
            logistic_learn(
                weights, intercepts, counts, learning, n_learning, labels, numbers, ones, begin,
                end, rates, half,
            )  # fmt: skip
        else:
            for k in range(members):
                mean_predict(
                    weights, counts, predicting[k], numbers, ones, begin, end, predictions, k,
                    past_rows,
                )  # fmt: skip
            for q in range(n_learning):
                mean_learn(weights, counts, learning[q], labels, numbers, ones, begin, end)
        for i in range(begin, end):
            all_counts[labels[i]] += 1
    return stop


@compiled
def losses_of(predictions, labels, starts):  # type: ignore[no-untyped-def]
    """The share of each step's rows that each threshold got wrong, steps by thresholds."""
    losses = np.empty((len(starts) - 1, len(predictions)))
    for s in range(len(starts) - 1):
        for k in range(len(predictions)):
            wrong = 0
            for i in range(starts[s], starts[s + 1]):
                wrong += predictions[k, i] != labels[i]
            losses[s, k] = wrong / (starts[s + 1] - starts[s])
    return losses


@compiled
def weighted_vote(weights, predictions, starts, classes):  # type: ignore[no-untyped-def]
    """The class with the greatest summed weight for each row, the first one on ties."""
    votes = np.empty(predictions.shape[1], np.int64)
    scores = np.empty(classes)
    for s in range(len(starts) - 1):
        for i in range(starts[s], starts[s + 1]):
            for c in range(classes):
                scores[c] = 0.0
            for k in range(len(predictions)):
                scores[predictions[k, i]] += weights[s, k]
            best = 0
            for c in range(1, classes):
                if scores[c] > scores[best]:
                    best = c
            votes[i] = best
    return votes


@compiled
def follow_the_leader(losses, totals, leader):  # type: ignore[no-untyped-def]
    """The leader at each step; closes the steps. Returns leaders, then the next one at the end."""
    steps, k = losses.shape
    leaders = np.empty(steps + 1, np.int64)
    for s in range(steps):
        leaders[s] = leader
        for i in range(k):
            totals[i] += losses[s, i]
        best = totals[leader]
        for i in range(k):
            best = min(best, totals[i])
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
        best = totals[0]
        for i in range(k):
            best = min(best, totals[i])
        total = 0.0
        for i in range(k):
            weights[s, i] = math.exp(-eta * (totals[i] - best))
            total += weights[s, i]
        for i in range(k):
            weights[s, i] /= total
            totals[i] += losses[s, i]
    return weights
