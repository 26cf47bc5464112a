"""MACRO as an ordinary River classifier."""

from __future__ import annotations

import math
import numbers
from collections import deque
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from river import base

from macro_engine.algorithm.contest import Contest
from macro_engine.algorithm.family import Family, Member
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.rows import LARGEST, Block, Columns, Rows
from macro_engine.settings import OPTIONS
from macro_engine.subroutines.base import Subroutine
from macro_engine.subroutines.open_logistic import OpenLogistic
from macro_engine.subroutines.river_model import RiverModel

__all__ = ["MacroClassifier"]

_CHECKED = (
    "distance", "history", "thresholds", "strategy", "eps_power", "max_subroutines", "empty_class"
)  # fmt: skip


class MacroClassifier(base.Classifier):
    """Many copies of a model, each trained only on moments that looked alike.

    The meta-algorithm of Zimin and Lampert runs at a grid of thresholds; a strategy chooses among
    them. Features are taken in the order of their names and those that are missing count 0; a
    feature that is no number becomes one for each of its values. Nothing is scaled: put a scaler
    in front. Classes are taken as they appear.

    Parameters
    ----------
    model
        The classifier to copy. Defaults to logistic regression by stochastic gradient descent with
        steps of 1/sqrt(t), for any number of classes.
    distance
        `labels`, `features`, `frames`, `markov` or `iid`.
    history
        How many steps make a history, or `all`; the paper's number for the distance unless given.
    thresholds
        The grid; the paper's for the distance unless given.
    strategy
        `ftl` or `ewa`.
    every
        How many rows make a step. Rows are learnt when their step is complete.
    eps_power
        Thresholds fall as (t + 1)^-eps_power.
    max_subroutines
        How many copies a threshold may have.
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
        history: int | str | None = None,
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
                OPTIONS[name].read(list(value) if name == "thresholds" else value)
        # a model for two classes answers False or True from the start, others as they appear
        self._classes: list[Any] = [] if self._multiclass else [False, True]
        self._index: dict[Any, int] = {label: i for i, label in enumerate(self._classes)}
        self._columns = Columns(())
        self._open_step: list[tuple[dict[str, float], int]] = []
        self._references: list[Rows] = []  # the histories behind the family's references
        self._family = self._start()
        self._contest = Contest.of(self._family, len(self._classes))

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
        history = family.past.rows()
        self._contest.run(Block(rows, np.array([0, len(rows)]), None, 0, family.step))
        if len(family.references) > len(self._references):
            self._references.append(history)

    def predict_one(self, x: dict[Any, Any], **_kwargs: Any) -> Any:
        if not self._classes:
            return None
        votes = dict.fromkeys(self._classes, 0.0)
        rows = self._rows([(_numbers(x), 0)])
        for weight, subroutine in self._weighted():
            votes[self._classes[int(subroutine.predict(rows)[0])]] += weight
        return max(votes, key=votes.__getitem__)

    def predict_proba_one(self, x: dict[Any, Any], **_kwargs: Any) -> dict[Any, float]:
        """The models' own probabilities, weighted as the strategy weighs the thresholds.

        `predict_one` takes their votes instead, as the paper does: under `ewa` the two may differ.
        """
        if not self._classes:
            return {}
        total = dict.fromkeys(self._classes, 0.0)
        rows = self._rows([(_numbers(x), 0)])
        for weight, subroutine in self._weighted():
            said = subroutine.model.predict_proba_one(rows.dicts[0])
            if not said:
                said = {self._classes[int(subroutine.predict(rows)[0])]: 1.0}
            for label, p in said.items():
                total[label] = total.get(label, 0.0) + weight * p
        return total

    @property
    def n_subroutines(self) -> list[int]:
        """How many copies each threshold has, the smallest threshold first."""
        return [len(member.subroutines) for member in self._family.members]

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

    def _start(self) -> Family:
        distance = DISTANCES[self.distance]
        thresholds = sorted(set(self.thresholds or distance.thresholds))
        history = distance.history if self.history is None else self.history
        steps = None if history == "all" else int(history)
        # columns, and classes where they appear later, are made room for when they do
        shape = Shape(len(self._classes), 1, steps, False, self.empty_class)
        discrepancy = distance.create(shape)
        return Family(
            thresholds,
            discrepancy,
            steps,
            self._newborn,
            self._columns,
            self.eps_power,
            self.max_subroutines,
        )

    def _newborn(self) -> Subroutine:
        model = OpenLogistic() if self.model is None else deepcopy(self.model)
        return RiverModel(model, self._classes, self._index)

    def _weighted(self) -> list[tuple[float, RiverModel]]:
        """Each threshold's weight and the subroutine that predicts the step now open."""
        strategy = self._contest.ftl if self.strategy == "ftl" else self._contest.ewa
        family = self._family
        now = family.distances()[1]
        weighted = zip(strategy.weights(), family.members, strict=True)
        return [(weight, self._closest(member, now)) for weight, member in weighted if weight]

    def _closest(self, member: Member, distances: Any) -> Any:
        """The one that would be active, or of which a newborn would be a copy: the closest."""
        if not member.subroutines:
            return self._newborn()
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
        self._references = [_relaid(rows, columns) for rows in self._references]
        family.past.steps = deque(
            (_relaid(rows, columns) for rows in family.past.steps), family.past.steps.maxlen
        )
        family.past.everything = _relaid(family.past.everything, columns)
        family.past.columns = self._columns = columns
        self._contest.classes = len(self._classes)
        if hasattr(family.discrepancy, "classes"):
            family.discrepancy.classes = len(self._classes)
        family.references = [family.discrepancy.describe(rows) for rows in self._references]


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


def _relaid(rows: Rows, columns: Columns) -> Rows:
    """The rows over more columns, 0 in those that they did not have."""
    relaid = np.zeros((len(rows), len(columns.numbers)))
    place = {name: i for i, name in enumerate(columns.numbers)}
    places = [place[name] for name in rows.columns.numbers]
    relaid[:, places] = rows.numbers
    return Rows(relaid, rows.slots, rows.labels, columns)
