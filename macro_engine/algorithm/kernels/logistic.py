"""Prediction and learning of logistic regression, for all copies in one bank of arrays.

Exponents are passed at run time: a constant .5 would be folded into a square root, which differs
from the power that River takes.
"""

from __future__ import annotations

import math

from macro_engine.core.compiling import borrowing, inlined
from macro_engine.core.prefetching import prefetch


@inlined
def margin(weights, intercepts, place, numbers, ones, i):  # type: ignore[no-untyped-def]
    """The margin of row i for a learner of one model."""
    total = 0.0
    for c in range(numbers.shape[1]):
        total += weights[place, c] * numbers[i, c]
    for c in range(ones.shape[1]):
        total += weights[place, ones[i, c]]
    return total + intercepts[place, 0]


@inlined
def take_margins(weights, intercepts, numbers, ones, i, out):  # type: ignore[no-untyped-def]
    """The margins of row i, for each model of a learner."""
    models = len(out)
    for m in range(models):
        out[m] = 0.0
    for c in range(numbers.shape[1]):
        x = numbers[i, c]
        for m in range(models):
            out[m] += weights[c * models + m] * x
    for c in range(ones.shape[1]):
        values = weights[ones[i, c] * models :]
        for m in range(models):
            out[m] += values[m]
    for m in range(models):
        out[m] += intercepts[m]


@inlined
def prefetch_weights(weights, ones, i, models):  # type: ignore[no-untyped-def]
    """Prefetches the weights of the categories of row i: many classes fill the caches."""
    for c in range(ones.shape[1]):
        prefetch(weights, ones[i, c] * models)
        prefetch(weights, ones[i, c] * models + models - 1)


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
def descend(weights, intercepts, numbers, ones, i, rate, gradients):  # type: ignore[no-untyped-def]
    """Move the weights of each model of a learner against its gradient at row i."""
    models = len(gradients)
    for m in range(models):
        intercepts[m] -= rate * gradients[m]
    for c in range(numbers.shape[1]):
        x = numbers[i, c]
        for m in range(models):
            weights[c * models + m] -= rate * (x * gradients[m])
    for c in range(ones.shape[1]):
        values = weights[ones[i, c] * models :]
        for m in range(models):
            values[m] -= rate * gradients[m]


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
    weights, intercepts, places, numbers, ones, begin, end, margins, predictions, probabilities,
    shift,
):  # fmt: skip
    """Predict rows with the models at each place; row i goes to column i - shift.

    The probabilities of the classes are told where there are lines for them.
    """
    told = len(probabilities) > 0
    for i in range(begin, end):
        for k in range(len(places)):
            if intercepts.shape[1] == 1:
                one = margin(weights, intercepts, places[k], numbers, ones, i)
                predictions[k, i - shift] = is_likelier(one)
                if told:
                    p = sigmoid(one)
                    probabilities[k, i - shift, 0] = 1.0 - p
                    probabilities[k, i - shift, 1] = p
                continue
            z = margins[k]
            take_margins(weights[places[k]], intercepts[places[k]], numbers, ones, i, z)
            best, most, total = 0, -1.0, 0.0
            for m in range(len(z)):
                p = sigmoid(z[m])
                z[m] = p
                total += p
                if p > most:
                    best, most = m, p
            predictions[k, i - shift] = best
            if told:
                for m in range(len(z)):
                    share = z[m] / total if total > 0.0 else 1.0 / len(z)
                    probabilities[k, i - shift, m] = share


@borrowing
def logistic_learn(  # type: ignore[no-untyped-def]
    weights, intercepts, counts, places, labels, numbers, ones, begin, end, rates, factor, power,
    margins,
):  # fmt: skip
    """A step of stochastic gradient descent for each row and each model at the places.

    A row goes to all of them before the next one comes, and all of them are asked before any
    learns: what they do does not wait for each other, while two rows of one model do. `rates`
    holds factor / (n + 1)^power for the first n.
    """
    models = intercepts.shape[1]
    if models == 1:
        for i in range(begin, end):
            y = 1.0 if labels[i] == 1 else -1.0
            for q in range(len(places)):
                margins[q, 0] = margin(weights, intercepts, places[q], numbers, ones, i)
            for q in range(len(places)):
                margins[q, 0] = logistic_gradient(margins[q, 0], y)
            for q in range(len(places)):
                place = places[q]
                n = counts[place, 0]
                counts[place, 0] = n + 1
                rate = rates[n] if n < len(rates) else factor / math.pow(n + 1, power)
                gradient = margins[q, 0]
                intercepts[place, 0] -= rate * gradient
                for c in range(numbers.shape[1]):
                    weights[place, c] -= rate * (numbers[i, c] * gradient)
                for c in range(ones.shape[1]):
                    weights[place, ones[i, c]] -= rate * gradient
        return
    if end > begin:
        for q in range(len(places)):
            prefetch_weights(weights[places[q]], ones, begin, models)
    for i in range(begin, end):
        for q in range(len(places)):
            place = places[q]
            take_margins(weights[place], intercepts[place], numbers, ones, i, margins[q])
        for q in range(len(places)):
            for m in range(models):
                margins[q, m] = logistic_gradient(margins[q, m], 1.0 if labels[i] == m else -1.0)
        for q in range(len(places)):
            place = places[q]
            n = counts[place, 0]
            counts[place, 0] = n + 1
            rate = rates[n] if n < len(rates) else factor / math.pow(n + 1, power)
            descend(weights[place], intercepts[place], numbers, ones, i, rate, margins[q])
            if i + 1 < end:
                prefetch_weights(weights[place], ones, i + 1, models)


@borrowing
def learning_rates(first, factor, power, rates):  # type: ignore[no-untyped-def]
    """Set factor / (n + 1)^power for n from first on."""
    for n in range(first, len(rates)):
        rates[n] = factor / math.pow(n + 1, power)


@inlined
def predict(stretch, begin, end, bank, present, results):  # type: ignore[no-untyped-def]
    """The active ones predict the rows of a step."""
    logistic_predict(
        bank.weights, bank.intercepts, present.predicting, stretch.numbers, stretch.ones, begin,
        end, present.margins, results.predictions, results.probabilities, stretch.past_rows,
    )  # fmt: skip


@inlined
def learn(learning, stretch, begin, end, settings, bank, present):  # type: ignore[no-untyped-def]
    """The subroutines in `present.learning` learn the rows of a step."""
    logistic_learn(
        bank.weights, bank.intercepts, bank.counts, present.learning[:learning], stretch.labels,
        stretch.numbers, stretch.ones, begin, end, bank.rates, settings.rate, settings.rate_power,
        present.margins,
    )  # fmt: skip
