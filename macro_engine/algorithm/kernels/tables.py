"""Kernels for probabilities from tables of counts, for a block of steps."""

from __future__ import annotations

import math

from macro_engine.core.compiling import borrowing


@borrowing
def no_change(  # type: ignore[no-untyped-def]
    labels, starts, before, last, lasts, pairs, counts, stay_go, prior_rows, least, out
):
    """What `NoChange` gives: sets `lasts` and `out` of steps that open.

    Before step s opens, the first `before[s]` of those that are completed are complete; one more
    number at the end says how many are in all. The first of `lasts` are those of the completed
    steps that had opened before. Where there is no table it has no classes. Returns the last label
    that is known in the end.
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
def earned(  # type: ignore[no-untyped-def]
    said, labels, starts, before, predictions, opening, counts, hit_miss, kept, prior_rows, least,
    out,
):  # fmt: skip
    """What `EarnedProbabilities` fills in; `before` is as above."""
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
