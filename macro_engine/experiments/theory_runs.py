"""One run of MACRO over a synthetic process, with its exact excess risk."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from macro_engine.algorithm.macro import Macro, threshold_at
from macro_engine.core.rows import Columns, Floats, Ints, Rows
from macro_engine.core.state import State
from macro_engine.discrepancy import Discrepancy, Iid, Labels, Markov
from macro_engine.experiments.covering import covering_number
from macro_engine.experiments.synthetic_processes import (
    POINTS,
    PROCESSES,
    SHARE_LENGTH,
    Realization,
    hypotheses,
    risks,
    switching_bound,
)
from macro_engine.subroutines import Subroutine, resolve
from macro_engine.subroutines.output import Candidate, Scored, converted
from macro_engine.work.tasks import Task, work

COLUMNS = Columns(("x",))
PARTS = 8  # of a run, for each of which the mean excess risk is given
LABELS_LENGTH = 20  # H of the labels distance on `switching`
_FAR = 1e6  # between places that a distance only tells apart
_DELTA = 0.05
Place = Callable[[int], float | None]  # of the history at a step on the line; None: no history


class FiniteErm(Subroutine):
    """Empirical risk minimization over the cuts, on 0/1 loss: Theorem 1 as it stands."""

    def __init__(self) -> None:
        self.hypotheses = hypotheses()
        self.counts = np.zeros((2, len(POINTS)))
        self.chosen = self.hypotheses[0]

    def predict(self, rows: Rows) -> Ints:
        places = np.searchsorted(POINTS, rows.numbers[:, 0])
        return np.asarray(self.chosen[places], np.int64)

    def learn(self, rows: Rows) -> None:
        places = np.searchsorted(POINTS, rows.numbers[:, 0])
        np.add.at(self.counts, (rows.labels, places), 1)
        wrong = self.hypotheses @ self.counts[0] + (1 - self.hypotheses) @ self.counts[1]
        self.chosen = self.hypotheses[int(wrong.argmin())]

    def copy(self) -> FiniteErm:
        """It begins with its parent's hypothesis, and with no rows."""
        newborn = FiniteErm()
        newborn.chosen = self.chosen
        return newborn


class Posterior(Discrepancy[float]):
    """A bound for `switching`: how far the posteriors are apart, times how far the laws are."""

    def __init__(self) -> None:
        self.now = 0.5
        self.factor = switching_bound()

    def describe(self, history: Rows) -> float:  # noqa: ARG002
        return self.now

    def between(self, now: float, reference: float) -> float:
        return self.factor * abs(now - reference)

    def state(self, description: float) -> State:
        raise NotImplementedError("a synthetic process is never stored")

    def restored(self, state: State) -> float:
        raise NotImplementedError("a synthetic process is never stored")


class ExactlyScored(Scored):
    """Scores every hypothesis, as the paper does."""

    def learn(self, rows: Rows) -> None:
        super().learn(rows)
        if self.candidates and self.candidates[-1].i == self.steps:
            return
        self.candidates.append(Candidate(self.steps, self.learner.copy()))

    def copy(self) -> ExactlyScored:
        return ExactlyScored(self.learner.copy(), self.delta)


def learner_of(name: str, output: str) -> Subroutine:
    if name == "erm":
        return FiniteErm()
    create = resolve(name)
    if output == "exact-score":
        return ExactlyScored(create(("0", "1")), _DELTA)
    return converted(create, output, _DELTA)(("0", "1"))


@work
def run(task: Task) -> dict[str, Any]:
    """Runs one cell for one seed.

    Returns the mean excess risk in each eighth of the run, N_n, and the covering numbers of Lemma 1
    where the distance is a metric.
    """
    asked = task.settings
    sample = PROCESSES[asked["process"]](np.random.default_rng(asked["seed"]), asked["steps"])
    discrepancy, history, place = _distance(asked["distance"], asked["process"], sample)
    threshold, power = float(asked["threshold"]), asked["power"]
    macro = Macro(
        threshold,
        discrepancy,
        history,
        lambda: learner_of(asked["learner"], asked["output"]),
        COLUMNS,
        power,
    )
    support = _rows(np.arange(len(POINTS)), np.zeros(len(POINTS), np.int64))
    known = hypotheses()
    excess = np.zeros(asked["steps"])
    for t in range(asked["steps"]):
        if sample.posterior is not None and isinstance(discrepancy, Posterior):
            discrepancy.now = float(sample.posterior[t])
        choice = macro.open()
        predicted = macro.predict(choice, support).astype(float)
        law = sample.laws[t]
        excess[t] = risks(predicted, law) - risks(known, law).min()
        macro.complete(choice, _rows(sample.x[t : t + 1], sample.labels[t : t + 1]))
    found: dict[str, Any] = {
        "excess": [float(part.mean()) for part in np.array_split(excess, PARTS)],
        "subroutines": len(macro.subroutines),
    }
    if place is not None and math.isfinite(threshold):
        last = threshold_at(asked["steps"] - 1, threshold, power)
        found |= _covering(asked["distance"], place, asked["steps"], last)
    return found


def _rows(x: Ints, labels: Ints) -> Rows:
    return Rows(POINTS[x][:, None], np.empty((len(x), 0), np.int64), labels, COLUMNS)


def _distance(
    name: str, process: str, sample: Realization
) -> tuple[Discrepancy[Any], int | None, Place | None]:
    """The distance, H, and the places of the histories on the line."""
    if name == "iid":
        return Iid(), 0, lambda _t: 0.0
    if name == "markov":
        states = sample.x * 2 + sample.labels
        return Markov(), 1, lambda t: None if t == 0 else _FAR * float(states[t - 1])
    if name == "posterior":
        posterior, factor = sample.posterior, switching_bound()
        assert posterior is not None
        return Posterior(), 0, lambda t: factor * float(posterior[t])
    length = SHARE_LENGTH if process == "share" else LABELS_LENGTH

    def place(t: int) -> float | None:
        recent = sample.labels[max(t - length, 0) : t]
        return float(recent.mean()) if len(recent) else None

    return Labels(2), length, place


def _covering(distance: str, place: Place, steps: int, threshold: float) -> dict[str, Any]:
    """N(M, n, eps) and N(M, n, eps / 2); no history is infinitely far from every other."""
    places = [place(t) for t in range(steps)]
    known = [one for one in places if one is not None]
    without = int(len(known) < len(places))
    # of two classes the squared distance is 2 (q - q')^2, and its root a metric
    radius = math.sqrt(threshold / 2) if distance == "labels" else threshold
    return {
        "least": covering_number(known, radius) + without,
        "most": covering_number(known, radius / 2) + without,
    }


def triangle_defects() -> dict[str, float]:
    """The defects of the triangle inequality: D(S, U) - D(S, T) - D(T, U)."""
    from macro_engine.discrepancy import Features

    def history(*rows: tuple[float, int]) -> Rows:
        numbers = np.array([[x] for x, _ in rows])
        labels = np.array([label for _, label in rows], np.int64)
        return Rows(numbers, np.empty((len(rows), 0), np.int64), labels, COLUMNS)

    def defect(distance: Discrepancy[Any], triple: list[Rows], root: bool = False) -> float:
        s, t, u = (distance.describe(rows) for rows in triple)
        found = [distance.between(*pair) for pair in ((s, u), (s, t), (t, u))]
        whole, first, second = (math.sqrt(one) for one in found) if root else found
        return whole - first - second

    points = [history((0, 0), (0, 0)), history((0, 0), (1, 0)), history((1, 0), (1, 0))]
    shares = [history((0, 0), (0, 0)), history((0, 0), (0, 1)), history((0, 1), (0, 1))]
    return {
        "features (bottleneck)": defect(Features(2, 1), points),
        "labels": defect(Labels(2), shares),
        "root of labels": defect(Labels(2), shares, root=True),
    }


def mean_parts(values: list[dict[str, Any]]) -> Floats:
    """The excess risk in each eighth, over seeds."""
    return np.asarray(np.mean([value["excess"] for value in values], axis=0))
