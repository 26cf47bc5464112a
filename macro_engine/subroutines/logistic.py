"""The paper's tractable approximation of empirical risk minimization."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from river.linear_model import LogisticRegression
from river.optim import SGD
from river.optim.losses import Log
from river.optim.schedulers import Constant, InverseScaling

from macro_engine.core.rows import Columns, Floats, Ints, Rows
from macro_engine.core.state import State, array, children, texts, whole
from macro_engine.subroutines.base import RunningMean, Subroutine
from macro_engine.subroutines.learning_rate import SQRT, LearningRate
from macro_engine.subroutines.parameters import WEIGHTS, Parameters, column_names
from macro_engine.subroutines.probabilities import of_classes


class Logistic(Subroutine):
    """Logistic regression by stochastic gradient descent.

    Two classes: one model, for which the second class is True. More: one model a class, all
    updated with each row, and the largest probability wins.

    Parameters
    ----------
    classes
        How many there are.
    learning_rate
        The step: `sqrt` for 1/sqrt(t), or a number for one that stays the same.
    """

    always_has_probabilities = True

    def __init__(self, classes: int, learning_rate: LearningRate = SQRT) -> None:
        models = 1 if classes == 2 else classes
        self.models = [logistic_regression(learning_rate) for _ in range(models)]

    def predict(self, rows: Rows) -> Ints:
        return likeliest(self._positive(rows))

    def probabilities(self, rows: Rows) -> Floats:
        return of_classes(np.array(self._positive(rows)).reshape(len(rows), len(self.models)))

    def _positive(self, rows: Rows) -> list[list[float]]:
        """For each row, the probability that each model gives its own class."""
        models: list[Any] = self.models
        return [[model.predict_proba_one(x)[True] for model in models] for x in rows.dicts]

    def learn(self, rows: Rows) -> None:
        positive = [1] if len(self.models) == 1 else range(len(self.models))
        for x, label in zip(rows.dicts, rows.labels.tolist(), strict=True):
            for c, model in zip(positive, self.models, strict=True):
                model.learn_one(x, label == c)

    def copy(self) -> Logistic:
        newborn = Logistic.__new__(Logistic)
        newborn.models = deepcopy(self.models)
        return newborn

    def parameters(self, columns: Columns) -> Parameters:
        models: list[Any] = self.models
        names = column_names(columns, columns.widths)
        values = [[model.weights.get(name, 0.0) for name in names] for model in models]
        intercepts = np.array([model.intercept for model in models])
        return Parameters(WEIGHTS, names, np.array(values), intercepts)

    def state(self) -> State:
        models: list[Any] = self.models
        return {
            "models": [
                _packed(model.weights, model.intercept) | {"updates": model.optimizer.n_iterations}
                for model in models
            ]
        }

    def restore(self, state: State, columns: Columns) -> None:  # noqa: ARG002
        models: list[Any] = self.models
        for model, kept in zip(models, children(state, "models", len(models)), strict=True):
            weights, model.intercept = _unpacked(kept)
            model._weights.update(weights)
            model.optimizer.n_iterations = whole(kept, "updates")

    def running_mean(self) -> RunningMean:
        return MeanWeights(self)


class MeanWeights(RunningMean):
    """The mean of weights and intercept, model by model; a weight is 0 until it is learned."""

    def __init__(self, learner: Logistic) -> None:
        self.learner = learner
        self.count = 0
        self.weights: list[dict[Any, float]] = [{} for _ in learner.models]
        self.intercepts = [0.0 for _ in learner.models]
        self.probability = Log().mean_func

    def add(self) -> None:
        self.count += 1
        for m, model in enumerate(self.learner.models):
            mean = self.weights[m]
            for name, weight in model.weights.items():
                before = mean.get(name, 0.0)
                mean[name] = before + (weight - before) / self.count
            self.intercepts[m] += (model.intercept - self.intercepts[m]) / self.count

    def state(self) -> State:
        models = zip(self.weights, self.intercepts, strict=True)
        return {"count": self.count, "models": [_packed(*model) for model in models]}

    def restore(self, state: State, columns: Columns) -> None:  # noqa: ARG002
        self.count = whole(state, "count")
        models = [_unpacked(kept) for kept in children(state, "models", len(self.weights))]
        self.weights = [weights for weights, _ in models]
        self.intercepts = [intercept for _, intercept in models]

    def predict(self, rows: Rows) -> Ints:
        return likeliest(self._positive(rows))

    def probabilities(self, rows: Rows) -> Floats:
        return of_classes(np.array(self._positive(rows)).reshape(len(rows), len(self.weights)))

    def _positive(self, rows: Rows) -> list[list[float]]:
        models = range(len(self.weights))
        return [[self.probability(self._logit(m, x)) for m in models] for x in rows.dicts]

    def _logit(self, m: int, x: dict[str, float]) -> float:
        weights = self.weights[m]
        total = 0.0
        for name, value in x.items():
            total += weights.get(name, 0.0) * value
        return total + self.intercepts[m]


def logistic_regression(learning_rate: LearningRate = SQRT) -> LogisticRegression:
    if isinstance(learning_rate, str):
        return LogisticRegression(SGD(InverseScaling(1.0)), intercept_lr=InverseScaling(1.0))
    return LogisticRegression(SGD(Constant(learning_rate)), intercept_lr=Constant(learning_rate))


def _packed(weights: Mapping[str, float], intercept: float) -> State:
    return {
        "names": list(weights),
        "weights": np.fromiter(weights.values(), np.float64, len(weights)),
        "intercept": np.array([intercept]),
    }


def _unpacked(state: State) -> tuple[dict[str, float], float]:
    names = texts(state, "names")
    weights = array(state, "weights", np.float64, (len(names),)).tolist()
    intercept = float(array(state, "intercept", np.float64, (1,))[0])
    return dict(zip(names, weights, strict=True)), intercept


def likeliest(probabilities: list[list[float]]) -> Ints:
    """The class of each row, given one probability (of the second of two classes) or one a class.

    The first class wins ties.
    """
    if probabilities and len(probabilities[0]) == 1:
        return np.array([p > 1.0 - p for (p,) in probabilities], np.int64)
    return np.array([np.argmax(row) for row in probabilities], np.int64)
