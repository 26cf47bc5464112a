"""MACRO as an ordinary River classifier."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from river import base

from macro_engine.algorithm.ensemble import Ensemble, OpenStep
from macro_engine.algorithm.family import Family
from macro_engine.algorithm.member_subroutines import FamilyStep, MemberSubroutines
from macro_engine.core.members import grid
from macro_engine.core.rows import LARGEST, Block, Columns, Rows
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.options.table import OPTIONS
from macro_engine.strategies import STRATEGIES
from macro_engine.strategies.by_losses import ByLosses
from macro_engine.subroutines.base import Subroutine
from macro_engine.subroutines.open_logistic import OpenLogistic
from macro_engine.subroutines.river_model import RiverModel

__all__ = ["MacroClassifier"]

_CHECKED = (
    "distance", "history", "thresholds", "eps_power", "max_subroutines", "empty_class"
)  # fmt: skip


class MacroClassifier(base.Classifier):
    """Many copies of a model, each trained only on moments that looked alike.

    The meta-algorithm of Zimin and Lampert runs at a grid of histories and thresholds; a strategy
    chooses among them. Features are taken in the order of their names and those that are missing
    count 0; a feature that is no number becomes one for each of its values. Nothing is scaled: put
    a scaler in front. Classes are taken as they appear.

    Parameters
    ----------
    model
        The classifier to copy. Defaults to logistic regression by stochastic gradient descent with
        steps of 1/sqrt(t), for any number of classes.
    distance
        `labels`, `features`, `frames`, `markov` or `iid`.
    history
        How many steps make a history, or `all`; the paper's number for the distance unless given.
        Several of them, for the distances `labels` and `features`, make a grid with the thresholds.
    thresholds
        The paper's for the distance unless given.
    strategy
        `ftl`, `ewa` or another one by its name.
    every
        How many rows make a step. Rows are learned when their step is complete.
    eps_power
        Thresholds fall as (t + 1)^-eps_power.
    max_subroutines
        How many copies a member of the grid may have.
    empty_class
        For the distance `features`: what a class counts that one history lacks.

    Examples
    --------

    A feature means one thing for a while, then the opposite, and back again. One model has to
    relearn each time, MACRO has a model for each situation and knows which one it is in:

    >>> from river import evaluate, linear_model, metrics

    >>> def stream():
    ...     for i in range(3000):
    ...         x = {"a": (i * 7 % 10) / 10 - 0.45, "turned": i // 300 % 2}
    ...         yield x, (x["a"] > 0) != x["turned"]

    >>> evaluate.progressive_val_score(
    ...     stream(), linear_model.LogisticRegression(), metrics.Accuracy())
    Accuracy: 47.13%

    >>> model = MacroClassifier(linear_model.LogisticRegression(), distance="features", every=10)
    >>> evaluate.progressive_val_score(stream(), model, metrics.Accuracy())
    Accuracy: 87.47%
    """

    def __init__(
        self,
        model: base.Classifier | None = None,
        distance: str = "labels",
        history: int | str | Sequence[int | str] | None = None,
        thresholds: Sequence[float] | None = None,
        strategy: str = "ftl",
        every: int = 1,
        eps_power: float = 0.0,
        max_subroutines: int | None = None,
        empty_class: str = "far",
    ) -> None:
        self.model = model
        self.distance = distance
        self.history = history
        self.thresholds = thresholds
        self.strategy = strategy
        self.every = every
        self.eps_power = eps_power
        self.max_subroutines = max_subroutines
        self.empty_class = empty_class

        for name in _CHECKED:
            if (value := getattr(self, name)) is not None:
                OPTIONS[name].read(list(value) if isinstance(value, tuple) else value)
        _check(strategy, distance, history)
        # a model for two classes answers False or True from the start, others as they appear
        self._classes: list[Any] = [] if self._multiclass else [False, True]
        self._index: dict[Any, int] = {label: i for i, label in enumerate(self._classes)}
        self._columns = Columns(())
        self._open_step: list[tuple[dict[str, float], int]] = []
        self._family = self._start()
        # for each history: the rows behind the family's references
        self._references: list[list[Rows]] = [[] for _ in self._family.histories]
        self._ensemble = Ensemble(self._family, self._columns, [strategy])

    @property
    def _multiclass(self) -> bool:
        return self.model is None or bool(self.model._multiclass)

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        features = _numbers(x)
        self._make_room(features, y)
        self._open_step.append((features, self._index[y]))
        if len(self._open_step) < self.every:
            return
        rows = self._rows(self._open_step)
        self._open_step = []
        family = self._family
        present = [family.completed.rows(history) for history in family.histories]
        self._ensemble.run(Block(rows, np.array([0, len(rows)]), None, 0, family.step))
        for h, kept in enumerate(self._references):
            if len(family.references[h]) > len(kept):
                kept.append(present[h])

    def predict_one(self, x: dict[Any, Any], **_kwargs: Any) -> Any:
        if not self._classes:
            return None
        rows = self._rows([(_numbers(x), 0)])
        strategy = self._ensemble.strategies[0]
        if not isinstance(strategy, ByLosses):
            said = self._step_ahead().predict(rows)
            return self._classes[int(said.of(strategy.name)[0])]
        votes = dict.fromkeys(self._classes, 0.0)
        for weight, subroutine in self._weighted(strategy):
            votes[self._classes[int(subroutine.predict(rows)[0])]] += weight
        return max(votes, key=votes.__getitem__)

    def predict_proba_one(self, x: dict[Any, Any], **_kwargs: Any) -> dict[Any, float]:
        """The models' own probabilities, weighted as the strategy weighs the members.

        `predict_one` takes their votes instead, as the paper does: under `ewa` the two may differ.
        A strategy without weights gives all to the class that it predicts.
        """
        if not self._classes:
            return {}
        total = dict.fromkeys(self._classes, 0.0)
        rows = self._rows([(_numbers(x), 0)])
        strategy = self._ensemble.strategies[0]
        if not isinstance(strategy, ByLosses):
            return total | {self.predict_one(x): 1.0}
        for weight, subroutine in self._weighted(strategy):
            said = subroutine.model.predict_proba_one(rows.dicts[0])
            if not said:
                said = {self._classes[int(subroutine.predict(rows)[0])]: 1.0}
            for label, p in said.items():
                total[label] = total.get(label, 0.0) + weight * p
        return total

    @property
    def n_subroutines(self) -> list[int]:
        """How many copies each member of the grid has, in the order of the grid."""
        members = self._family.everyone[: len(self._family.members)]
        return [len(member.subroutines) for member in members]

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {}
        yield {
            "distance": "features",
            "every": 3,
            "strategy": "ewa",
            "thresholds": (0.2, 0.5),
            "max_subroutines": 8,
        }
        yield {"history": (2, 6), "thresholds": (0.1, math.inf)}

    def _start(self) -> Family:
        distance = DISTANCES[self.distance]
        history = distance.history if self.history is None else self.history
        histories = [history] if isinstance(history, int | str) else list(history)
        members = grid(histories, self.thresholds or distance.thresholds)
        # columns, and classes where they appear later, are made room for when they do
        shape = Shape(len(self._classes), 1, members[0].steps, False, self.empty_class)
        return Family(
            members,
            distance.create(shape),
            self._newborn,
            self._columns,
            len(self._classes),
            self.eps_power,
            self.max_subroutines,
        )

    def _newborn(self) -> Subroutine:
        model = OpenLogistic() if self.model is None else deepcopy(self.model)
        return RiverModel(model, self._classes, self._index)

    def _weighted(self, strategy: ByLosses) -> list[tuple[float, RiverModel]]:
        """Each member's weight and the subroutine that predicts the step now open."""
        family = self._family
        present = family.present()
        weighted = zip(strategy.weights(family.step), family.everyone, strict=False)
        return [(weight, self._closest(member, present)) for weight, member in weighted if weight]

    def _step_ahead(self) -> OpenStep:
        """The step now open, without newborn: the closest one answers as its copy would."""
        present = self._family.present()
        active = [self._closest(member, present) for member in self._family.everyone]
        return OpenStep(self._ensemble, FamilyStep([], active, True), self._family.step)

    def _closest(self, member: MemberSubroutines, present: list[tuple[Any, Any]]) -> Any:
        """The one that would be active, or of which a newborn would be a copy: the closest."""
        if not member.subroutines:
            return self._newborn()
        distances = present[member.history][1]
        return member.subroutines[int(distances[member.references].argmin())]

    def _rows(self, step: Sequence[tuple[dict[str, float], int]]) -> Rows:
        names = sorted({*self._columns.numbers, *(name for x, _ in step for name in x)})
        return Rows(
            np.array([[x.get(name, 0.0) for name in names] for x, _ in step], float),
            np.empty((len(step), 0), np.int64),
            np.array([label for _, label in step], np.int64),
            Columns(tuple(names)),
        )

    def _make_room(self, x: dict[str, float], y: Any) -> None:
        """Take in a class and features that were not known; references are described anew."""
        family = self._family
        names = tuple(sorted({*self._columns.numbers, *x}))
        if y in self._index and names == self._columns.numbers:
            return
        if y not in self._index:
            if not self._multiclass:
                raise ValueError(f"{self.model} knows two classes only, and {y!r} is a third")
            self._index[y] = len(self._classes)
            self._classes.append(y)
        columns = Columns(names)
        self._references = [[rows.relaid(columns) for rows in kept] for kept in self._references]
        family.completed.relaid(columns)
        self._columns = columns
        classes = family.classes = self._ensemble.classes = len(self._classes)
        for strategy in self._ensemble.strategies:
            strategy.setup = replace(strategy.setup, classes=classes)
        if hasattr(family.discrepancy, "classes"):
            family.discrepancy.classes = classes
        family.references = [
            [family.discrepancy.describe(rows) for rows in kept] for kept in self._references
        ]


def _check(strategy: str, distance: str, history: Any) -> None:
    """Refuse a strategy that cannot be used here, and histories that the distance cannot take."""
    if strategy not in STRATEGIES:
        raise ValueError(f"the strategy '{strategy}' is unknown; one of: {', '.join(STRATEGIES)}")
    if STRATEGIES[strategy].wants_probabilities:
        raise ValueError(f"the strategy '{strategy}' must know all classes beforehand")
    several = not isinstance(history, int | str | None)
    if several and not DISTANCES[distance].takes_several_histories:
        raise ValueError(f"the distance '{distance}' takes one history")


def _numbers(x: dict[Any, Any]) -> dict[str, float]:
    """Features by name: numbers as they are, anything else as a feature that is 1."""
    found = {}
    for name, value in x.items():
        if not isinstance(value, numbers.Real | np.bool_):
            found[f"{name}={value}"] = 1.0
        elif math.isfinite(value) and abs(float(value)) < LARGEST:
            found[str(name)] = float(value)
        else:
            raise ValueError(f"the feature {name!r} is {value}: a single one would spoil the model")
    return found
