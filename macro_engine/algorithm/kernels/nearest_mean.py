"""Prediction and learning of the nearest mean, for all copies in one bank of arrays."""

from __future__ import annotations

import math

from macro_engine.core.compiling import inlined


@inlined
def mean_predict(  # type: ignore[no-untyped-def]
    means, counts, place, numbers, ones, begin, end, totals, predictions, k, shift
):
    d = numbers.shape[1]
    classes = counts.shape[1]
    mine = means[place]
    for i in range(begin, end):
        for c in range(classes):
            totals[c] = 0.0
        for column in range(d):
            x = numbers[i, column]
            for c in range(classes):
                difference = x - mine[column * classes + c]
                totals[c] += difference * difference
        category = 0
        for column in range(d, len(mine) // classes):
            x = 0.0
            if category < ones.shape[1] and ones[i, category] == column:
                x = 1.0
                category += 1
            for c in range(classes):
                difference = x - mine[column * classes + c]
                totals[c] += difference * difference
        best, least = 0, math.inf
        for c in range(classes):
            if counts[place, c] > 0 and totals[c] < least:
                best, least = c, totals[c]
        predictions[k, i - shift] = best


@inlined
def mean_learn(means, counts, place, labels, numbers, ones, begin, end):  # type: ignore[no-untyped-def]
    d, classes = numbers.shape[1], counts.shape[1]
    mine = means[place]
    for i in range(begin, end):
        label = labels[i]
        counts[place, label] += 1
        n = counts[place, label]
        for column in range(d):
            mean = mine[column * classes + label]
            mine[column * classes + label] = mean + (numbers[i, column] - mean) / n
        category = 0
        for column in range(d, len(mine) // classes):
            x = 0.0
            if category < ones.shape[1] and ones[i, category] == column:
                x = 1.0
                category += 1
            mean = mine[column * classes + label]
            mine[column * classes + label] = mean + (x - mean) / n


@inlined
def predict(stretch, begin, end, bank, present, results):  # type: ignore[no-untyped-def]
    """The active ones predict the rows of a step."""
    for k in range(len(present.predicting)):
        mean_predict(
            bank.weights, bank.counts, present.predicting[k], stretch.numbers, stretch.ones,
            begin, end, present.totals, results.predictions, k, stretch.past_rows,
        )  # fmt: skip


@inlined
def learn(learning, stretch, begin, end, settings, bank, present):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """The subroutines in `present.learning` learn the rows of a step."""
    for q in range(learning):
        mean_learn(
            bank.weights, bank.counts, present.learning[q], stretch.labels, stretch.numbers,
            stretch.ones, begin, end,
        )  # fmt: skip
