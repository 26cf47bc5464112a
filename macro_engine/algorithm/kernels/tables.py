"""Probabilities that are read from tables of counts, a block of steps at a time."""

from __future__ import annotations

import math

from macro_engine.core.compiling import compiled


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
