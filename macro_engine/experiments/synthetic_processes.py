"""Synthetic processes whose conditional law is known at every step, so that risks are exact.

A step is one row: x is drawn from five points alike, and its label is 1 with a probability that
depends on x and on what came before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from macro_engine.core.rows import Floats, Ints

POINTS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
SHARE_LENGTH = 8  # labels that the law of `share` looks back
_STAY = 0.99  # probability that the regime of `switching` stays
_SLOPE = 3.0


def hypotheses() -> Floats:
    """The class H: every cut of the line, in both directions; hypotheses by points."""
    cuts = np.array([cut <= POINTS for cut in [*POINTS, np.inf]], float)
    return np.unique(np.vstack([cuts, 1 - cuts]), axis=0)


def risks(predicted: Floats, law: Floats) -> Floats:
    """R(h) for predictions at the points (..., points), where a label is 1 with these odds."""
    return np.asarray((predicted * (1 - law) + (1 - predicted) * law).mean(axis=-1))


@dataclass(frozen=True)
class Realization:
    """A realization.

    Attributes
    ----------
    x, labels
        The index of the point and the label of each step.
    laws
        P(label = 1 | past, x) for each step and point.
    posterior
        For `switching`: the probability of the first regime at each step given the past.
    """

    x: Ints
    labels: Ints
    laws: Floats
    posterior: Floats | None = None


def _sigmoid(z: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-z)))


def iid(random: np.random.Generator, steps: int) -> Realization:
    """The same law at every step: M = 0 is a bound."""
    law = _sigmoid(_SLOPE * POINTS + 0.5)
    return _drawn(random, steps, lambda _x, _labels: law)


def markov(random: np.random.Generator, steps: int) -> Realization:
    """A Markov chain on (x, label): the last row decides whether large x mean 1 or 0."""

    def law(x: Ints, labels: Ints) -> Floats:
        turns = len(x) > 0 and (POINTS[x[-1]] > 0) != bool(labels[-1])
        return _sigmoid((-1 if turns else 1) * _SLOPE * POINTS + 0.5)

    return _drawn(random, steps, law)


def share(random: np.random.Generator, steps: int) -> Realization:
    """The law turns with the share q of ones among the last labels: d = 0.54 |q - q'|."""

    def law(_x: Ints, labels: Ints) -> Floats:
        recent = labels[-SHARE_LENGTH:]
        q = recent.mean() if len(recent) else 0.5
        return np.asarray(0.5 + 0.45 * POINTS * (2 * q - 1))

    return _drawn(random, steps, law)


def switching(random: np.random.Generator, steps: int) -> Realization:
    """A hidden regime that rarely switches; the law given the past is that of Bayes' filter."""
    laws = np.array([_sigmoid(_SLOPE * POINTS + 1), _sigmoid(-_SLOPE * POINTS - 1)])
    x = random.integers(len(POINTS), size=steps)
    labels, mixed, posterior = np.zeros(steps, np.int64), np.zeros((steps, 5)), np.zeros(steps)
    regime, first = int(random.integers(2)), 0.5
    for t in range(steps):
        posterior[t] = first
        mixed[t] = first * laws[0] + (1 - first) * laws[1]
        labels[t] = random.random() < laws[regime, x[t]]
        odds = laws[:, x[t]] if labels[t] else 1 - laws[:, x[t]]
        seen = first * odds[0] / (first * odds[0] + (1 - first) * odds[1])
        first = seen * _STAY + (1 - seen) * (1 - _STAY)
        if random.random() > _STAY:
            regime = 1 - regime
    return Realization(x, labels, mixed, posterior)


def switching_bound() -> float:
    """L for which d <= L |posterior - posterior'| in `switching`: the distance of its regimes."""
    laws = np.array([_sigmoid(_SLOPE * POINTS + 1), _sigmoid(-_SLOPE * POINTS - 1)])
    each = [risks(hypotheses(), law) for law in laws]
    return float(np.abs(each[0] - each[1]).max())


PROCESSES: dict[str, Callable[[np.random.Generator, int], Realization]] = {
    "iid": iid,
    "markov": markov,
    "share": share,
    "switching": switching,
}


def _drawn(
    random: np.random.Generator, steps: int, law: Callable[[Ints, Ints], Floats]
) -> Realization:
    x = random.integers(len(POINTS), size=steps)
    labels, laws = np.zeros(steps, np.int64), np.zeros((steps, len(POINTS)))
    for t in range(steps):
        laws[t] = law(x[:t], labels[:t])
        labels[t] = random.random() < laws[t, x[t]]
    return Realization(x, labels, laws)
