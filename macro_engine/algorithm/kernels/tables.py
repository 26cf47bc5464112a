"""Probabilities that are read from tables of counts, a block of steps at a time."""

from __future__ import annotations

import math

from macro_engine.core.compiling import borrowing, compiled


@compiled
def change_probabilities(  # type: ignore[no-untyped-def]
    labels, starts, last, pairs, counts, stay_go, prior_rows, least, out
):
    """What `Persistence` gives, step by step; -1 stands for no last label."""
    classes = len(counts)
    for s in range(len(starts) - 1):
        begin, end = starts[s], starts[s + 1]
        if last < 0:
            for c in range(classes):
                out[begin, c] = 1.0 / classes
        else:
            stays = stay_go[0] / (stay_go[0] + stay_go[1])
            total = rest = 0.0
            for c in range(classes):
                total += pairs[last, c]
                if c != last:
                    rest += counts[c]
            for c in range(classes):
                pool = stays if c == last else (1 - stays) * counts[c] / rest
                out[begin, c] = (pairs[last, c] + prior_rows * pool) / (total + prior_rows)
        for i in range(begin + 1, end):
            for c in range(classes):
                out[i, c] = out[begin, c]
        for i in range(begin, end):
            for c in range(classes):
                counts[c] = max(counts[c], least / classes)
            counts[labels[i]] += 1.0
            if last >= 0:
                pairs[last, labels[i]] += 1.0
                stay_go[0] = max(stay_go[0], least)
                stay_go[1] = max(stay_go[1], least)
                stay_go[0 if labels[i] == last else 1] += 1.0
        last = labels[end - 1]


@compiled
def earned_probabilities(  # type: ignore[no-untyped-def]
    predictions, labels, starts, counts, hit_miss, kept, prior_rows, least, out
):
    """What `EarnedProbabilities` fills in, step by step."""
    classes = counts.shape[1]
    for line in range(len(predictions)):
        table, right_wrong = counts[line], hit_miss[line]
        for s in range(len(starts) - 1):
            right = right_wrong[0] / (right_wrong[0] + right_wrong[1])
            others = (1 - right) / (classes - 1)
            for i in range(starts[s], starts[s + 1]):
                if not math.isnan(out[line, i, 0]):
                    continue
                said = predictions[line, i]
                total = 0.0
                for c in range(classes):
                    total += table[said, c]
                for c in range(classes):
                    pool = right if c == said else others
                    out[line, i, c] = (table[said, c] + prior_rows * pool) / (total + prior_rows)
            for i in range(starts[s], starts[s + 1]):
                said, label = predictions[line, i], labels[i]
                for c in range(classes):
                    table[said, c] *= kept
                table[said, label] += 1.0
                right_wrong[0] = max(right_wrong[0] * kept, least)
                right_wrong[1] = max(right_wrong[1] * kept, least)
                right_wrong[0 if said == label else 1] += 1.0


@borrowing
def late_changes(  # type: ignore[no-untyped-def]
    labels, starts, before, last, lasts, pairs, counts, stay_go, prior_rows, least, out
):
    """What `NoChange` gives where labels come late: sets `lasts` and `out` of steps that open.

    The first of `lasts` are those of the completed steps that had opened before. Where there is no
    table it has no classes. Returns the last label that is known in the end.
    """
    classes, opens, done = len(counts), len(before) - 1, 0
    first = len(lasts) - opens
    for s in range(opens + 1):
        for c in range(done, before[s]):
            was = lasts[c]
            for i in range(starts[c], starts[c + 1]):
                last = labels[i]
                if classes == 0:
                    continue
                for k in range(classes):
                    counts[k] = max(counts[k], least / classes)
                counts[last] += 1.0
                if was >= 0:
                    pairs[was, last] += 1.0
                    stay_go[0] = max(stay_go[0], least)
                    stay_go[1] = max(stay_go[1], least)
                    stay_go[0 if last == was else 1] += 1.0
        done = before[s]
        if s == opens:
            break
        lasts[first + s] = last
        if last < 0:
            for c in range(classes):
                out[s, c] = 1.0 / classes
            continue
        stays = stay_go[0] / (stay_go[0] + stay_go[1])
        total = rest = 0.0
        for c in range(classes):
            total += pairs[last, c]
            if c != last:
                rest += counts[c]
        for c in range(classes):
            pool = stays if c == last else (1 - stays) * counts[c] / rest
            out[s, c] = (pairs[last, c] + prior_rows * pool) / (total + prior_rows)
    return last


@borrowing
def late_earned(  # type: ignore[no-untyped-def]
    said, labels, starts, before, predictions, opening, counts, hit_miss, kept, prior_rows, least,
    out,
):  # fmt: skip
    """What `EarnedProbabilities` fills in where labels come late."""
    classes = counts.shape[1]
    for line in range(len(predictions)):
        table, right_wrong, done = counts[line], hit_miss[line], 0
        for s in range(len(before)):
            for i in range(starts[done], starts[before[s]]):
                mine, label = said[line, i], labels[i]
                for c in range(classes):
                    table[mine, c] *= kept
                table[mine, label] += 1.0
                right_wrong[0] = max(right_wrong[0] * kept, least)
                right_wrong[1] = max(right_wrong[1] * kept, least)
                right_wrong[0 if mine == label else 1] += 1.0
            done = before[s]
            if s == len(before) - 1:
                break
            right = right_wrong[0] / (right_wrong[0] + right_wrong[1])
            others = (1 - right) / (classes - 1)
            for i in range(opening[s], opening[s + 1]):
                if not math.isnan(out[line, i, 0]):
                    continue
                mine = predictions[line, i]
                total = 0.0
                for c in range(classes):
                    total += table[mine, c]
                for c in range(classes):
                    pool = right if c == mine else others
                    out[line, i, c] = (table[mine, c] + prior_rows * pool) / (total + prior_rows)
