"""Prediction and learning for all copies of logistic regression, kept in one bank.

Exponents are passed at run time: a constant .5 would be folded into a square root, which differs
from the power that River takes.
"""

from __future__ import annotations

import math

from macro_engine.core.compiling import borrowing, inlined


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


@borrowing
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


@borrowing
def logistic_probabilities(  # type: ignore[no-untyped-def]
    weights, intercepts, places, numbers, ones, begin, end, predictions, probabilities, shift
):
    """Predict rows as `logistic_predict` does, and tell the probabilities of the classes."""
    models = intercepts.shape[1]
    for i in range(begin, end):
        for k in range(len(places)):
            line = probabilities[k, i - shift]
            if models == 1:
                z = logit(weights[places[k], 0], intercepts[places[k], 0], numbers, ones, i)
                p = sigmoid(z)
                line[0], line[1] = 1.0 - p, p
                predictions[k, i - shift] = 1 if line[1] > line[0] else 0
                continue
            best, most, total = 0, -1.0, 0.0
            for m in range(models):
                z = logit(weights[places[k], m], intercepts[places[k], m], numbers, ones, i)
                p = sigmoid(z)
                line[m] = p
                total += p
                if p > most:
                    best, most = m, p
            predictions[k, i - shift] = best
            for m in range(models):
                line[m] = line[m] / total if total > 0.0 else 1.0 / models


@borrowing
def logistic_learn(  # type: ignore[no-untyped-def]
    weights, intercepts, counts, places, labels, numbers, ones, begin, end, rates, power
):
    """A step of stochastic gradient descent for each row and each model at the places.

    A row goes to all of them before the next one comes: their updates do not wait for each other,
    while those of one model for two rows do. `rates` holds 1 / (n + 1)^power for the first n.
    """
    models = intercepts.shape[1]
    for i in range(begin, end):
        positive = 1.0 if labels[i] == 1 else -1.0
        for q in range(len(places)):
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


@borrowing
def learning_rates(first, power, rates):  # type: ignore[no-untyped-def]
    """Set 1 / (n + 1)^power for n from first on."""
    for n in range(first, len(rates)):
        rates[n] = 1.0 / math.pow(n + 1, power)


@inlined
def predict(stretch, begin, end, bank, present, results):  # type: ignore[no-untyped-def]
    """The active ones predict the rows of a step."""
    if len(results.probabilities) > 0:
        logistic_probabilities(
            bank.weights, bank.intercepts, present.predicting, stretch.numbers, stretch.ones,
            begin, end, results.predictions, results.probabilities, stretch.past_rows,
        )  # fmt: skip
    else:
        logistic_predict(
            bank.weights, bank.intercepts, present.predicting, stretch.numbers, stretch.ones,
            begin, end, results.predictions, stretch.past_rows,
        )  # fmt: skip


@inlined
def learn(places, stretch, begin, end, rules, bank):  # type: ignore[no-untyped-def]
    """Those at some places learn the rows of a step."""
    logistic_learn(
        bank.weights, bank.intercepts, bank.counts, places, stretch.labels, stretch.numbers,
        stretch.ones, begin, end, bank.rates, rules.rate_power,
    )  # fmt: skip
