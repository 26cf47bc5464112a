"""The paper's tractable approximation of empirical risk minimization."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from river.linear_model import LogisticRegression
from river.optim import SGD
from river.optim.schedulers import InverseScaling

from macro_engine.rows import Ints, Rows
from macro_engine.subroutines.base import Subroutine


class Logistic(Subroutine):
    """Logistic regression by stochastic gradient descent with steps of 1/sqrt(t).

    Two classes: one model, for which the second class is True. More: one model a class, all
    updated with each row, and the largest probability wins.
    """

    def __init__(self, classes: int) -> None:
        models = 1 if classes == 2 else classes
        self.models = [logistic_regression() for _ in range(models)]

    def predict(self, rows: Rows) -> Ints:
        if len(self.models) == 1:
            predict_one: Any = self.models[0].predict_one
            return np.array([predict_one(x) for x in rows.dicts], np.int64)
        models: list[Any] = self.models
        probabilities = [[model.predict_proba_one(x)[True] for model in models] for x in rows.dicts]
        best: Ints = np.array(probabilities).reshape(len(rows), len(models)).argmax(axis=1)
        return best

    def learn(self, rows: Rows) -> None:
        positive = [1] if len(self.models) == 1 else range(len(self.models))
        for x, label in zip(rows.dicts, rows.labels.tolist(), strict=True):
            for c, model in zip(positive, self.models, strict=True):
                model.learn_one(x, label == c)

    def copy(self) -> Logistic:
        newborn = Logistic.__new__(Logistic)
        newborn.models = deepcopy(self.models)
        return newborn


def logistic_regression() -> LogisticRegression:
    return LogisticRegression(optimizer=SGD(InverseScaling(1.0)), intercept_lr=InverseScaling(1.0))
