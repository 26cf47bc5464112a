"""Logistic regression as a River classifier whose classes may grow."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from river import base

from macro_engine.subroutines.learning_rate import SQRT, LearningRate
from macro_engine.subroutines.logistic import logistic_regression


class OpenLogistic(base.Classifier):
    """`Logistic` for classes that are not known in advance.

    A model of a class that never occurs learns from every row that it is another one. A new class
    starts from a copy of it, as if its own model had been there from the first row on.

    Examples
    --------

    >>> model = OpenLogistic()
    >>> for label in ("a", "a", "b", "c", "c", "c"):
    ...     model.learn_one({"x": 1.0}, label)
    >>> model.predict_one({"x": 1.0})
    'c'
    """

    def __init__(self, learning_rate: LearningRate = SQRT) -> None:
        self.learning_rate = learning_rate
        self.models: dict[Any, Any] = {}
        self.never = logistic_regression(learning_rate)

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        if y not in self.models:
            self.models[y] = deepcopy(self.never)
        for label, model in self.models.items():
            model.learn_one(x, label == y)
        self.never.learn_one(x, False)

    def among(self, x: dict[Any, Any], labels: Sequence[Any]) -> list[float]:
        """The probability of each of these classes, as if all were known from the first row on."""
        models = [self.models.get(label, self.never) for label in labels]
        found = [model.predict_proba_one(x)[True] for model in models]
        if len(found) == 2:
            return [1.0 - found[1], found[1]]
        total = 0.0
        for p in found:
            total += p
        return [p / total if total else 1.0 / len(found) for p in found]

    def predict_proba_one(self, x: dict[Any, Any], **_kwargs: Any) -> dict[Any, float]:
        if len(self.models) == 2:
            first, second = self.models
            p = self.models[second].predict_proba_one(x)[True]
            return {first: 1.0 - p, second: p}
        found = {label: model.predict_proba_one(x)[True] for label, model in self.models.items()}
        total = 0.0
        for p in found.values():  # not sum(), which compensates rounding from Python 3.12 on
            total += p
        if total == 0.0:  # every model is sure that it is another class
            return dict.fromkeys(found, 1.0 / len(found)) if found else {}
        return {label: p / total for label, p in found.items()}
