"""The paper's G-NB as a River classifier."""

from __future__ import annotations

from typing import Any

from river import base


class NearestMeanClassifier(base.Classifier):
    """Keeps the mean of each class and predicts the class whose mean is closest.

    Features are taken in the order of their names, those that are missing count 0. Of two means
    that are as close, the one of the class that appeared first wins.

    Examples
    --------

    >>> model = NearestMeanClassifier()
    >>> model.learn_one({"x": 0.0, "y": 0.0}, "low")
    >>> model.learn_one({"x": 1.0, "y": 1.0}, "high")
    >>> model.predict_one({"x": 0.8, "y": 0.3})
    'high'
    """

    def __init__(self) -> None:
        self.counts: dict[Any, int] = {}
        self.means: dict[Any, dict[Any, float]] = {}
        self.names: list[Any] = []

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        if not x.keys() <= set(self.names):
            self.names = sorted({*self.names, *x}, key=str)
        self.counts[y] = self.counts.get(y, 0) + 1
        mean = self.means.setdefault(y, {})
        for name in self.names:
            before = mean.get(name, 0.0)
            mean[name] = before + (x.get(name, 0.0) - before) / self.counts[y]

    def predict_one(self, x: dict[Any, Any], **_kwargs: Any) -> Any:
        if not self.means:
            return None
        return min(self.means, key=lambda label: self._distance(x, self.means[label]))

    def predict_proba_one(self, x: dict[Any, Any], **_kwargs: Any) -> dict[Any, float]:
        """All weight on the closest class: distances to means are no probabilities."""
        nearest = self.predict_one(x)
        return {label: float(label == nearest) for label in self.means}

    def _distance(self, x: dict[Any, Any], mean: dict[Any, float]) -> float:
        total = 0.0
        for name in self.names:
            difference = x.get(name, 0.0) - mean.get(name, 0.0)
            total += difference * difference
        return total
