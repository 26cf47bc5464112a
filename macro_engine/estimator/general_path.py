"""MACRO over rows of River's with any model: what the compiled path is tested against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from river import base

from macro_engine.algorithm.ensemble import Ensemble, OpenStep
from macro_engine.algorithm.family import Family
from macro_engine.algorithm.macro import threshold_at
from macro_engine.algorithm.member_subroutines import FamilyStep, MemberSubroutines
from macro_engine.algorithm.outcome import Said
from macro_engine.core.members import Member
from macro_engine.core.rows import Block, Columns, Rows
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.estimator.row_values import numbers_of
from macro_engine.strategies.by_losses import ByLosses
from macro_engine.subroutines.base import Subroutine
from macro_engine.subroutines.open_logistic import OpenLogistic
from macro_engine.subroutines.river_model import RiverModel


class GeneralPath:
    """Learns and predicts rows one by one.

    Parameters
    ----------
    model
        The classifier to copy; None for logistic regression.
    members, distance, strategy, every, power, most, empty_class
        As for `CompiledPath`.
    """

    def __init__(
        self,
        model: base.Classifier | None,
        members: Sequence[Member],
        distance: str,
        strategy: str,
        every: int,
        power: float,
        most: int | None,
        empty_class: str,
    ) -> None:
        self.model = model
        self.every = every
        self.takes_any = model is None or bool(model._multiclass)
        # a model for two classes answers False or True from the start, others as they appear
        self.classes: list[Any] = [] if self.takes_any else [False, True]
        self._index: dict[Any, int] = {label: i for i, label in enumerate(self.classes)}
        # what the model sees in place of the classes
        self._seen = self.classes if self.takes_any else [False, True]
        self._index_seen = self._index if self.takes_any else {False: 0, True: 1}
        self._columns = Columns(())
        self._open_step: list[tuple[dict[str, float], int]] = []
        # columns, and classes where they appear later, are made room for when they do
        shape = Shape(len(self.classes), 1, members[0].steps, False, empty_class)
        create = DISTANCES[distance].create(shape)
        self._family = Family(
            members, create, self._newborn, self._columns, len(self.classes), power, most
        )
        # for each history: the rows behind the family's references
        self._references: list[list[Rows]] = [[] for _ in self._family.histories]
        self._ensemble = Ensemble(self._family, self._columns, [strategy])
        self.births: list[list[int]] = [[] for _ in members]
        self._answering: list[Any] | None = None  # who answers the open step, once it was asked for

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        features = numbers_of(x)
        self._make_room(features, y)
        self._open_step.append((features, self._index[y]))
        if len(self._open_step) < self.every:
            return
        rows = self._rows(self._open_step)
        self._open_step = []
        family = self._family
        step, before = family.step, self.n_subroutines
        present = [family.completed.rows(history) for history in family.histories]
        self._ensemble.run(Block(rows, np.array([0, len(rows)]), None, 0, step))
        self._answering = None
        for h, kept in enumerate(self._references):
            if len(family.references[h]) > len(kept):
                kept.append(present[h])
        for steps, n, known in zip(self.births, self.n_subroutines, before, strict=True):
            if n > known:
                steps.append(step)

    def predict_one(self, x: dict[Any, Any]) -> Any:
        if not self.classes:
            return None
        rows = self._rows([(numbers_of(x), 0)])
        strategy = self._ensemble.strategies[0]
        if not isinstance(strategy, ByLosses):
            return self._class(int(self._open().predict(rows).of(strategy.name)[0]))
        votes = dict.fromkeys(self.classes, 0.0)
        for weight, subroutine in self._weighted(strategy):
            votes[self._class(int(subroutine.predict(rows)[0]))] += weight
        return max(votes, key=votes.__getitem__)

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        if not self.classes:
            return {}
        total = dict.fromkeys(self.classes, 0.0)
        rows = self._rows([(numbers_of(x), 0)])
        strategy = self._ensemble.strategies[0]
        if not isinstance(strategy, ByLosses):
            said = self._open().predict(rows)
            return total | said_by(said, strategy.name, self._class)
        for weight, subroutine in self._weighted(strategy):
            answer = subroutine.model.predict_proba_one(rows.dicts[0])
            if not answer:
                answer = {self._seen[int(subroutine.predict(rows)[0])]: 1.0}
            for label, p in answer.items():
                name = label if self.takes_any else self._class(int(label))
                total[name] = total.get(name, 0.0) + weight * p
        return total

    @property
    def n_subroutines(self) -> list[int]:
        return [len(member.subroutines) for member in self._members]

    @property
    def weights(self) -> list[float]:
        strategy = self._ensemble.strategies[0]
        return strategy.weights(self._family.step) if isinstance(strategy, ByLosses) else []

    @property
    def active(self) -> list[int]:
        family, found = self._family, []
        present = family.present()
        for member in self._members:
            distances = present[member.history][1][member.references]
            threshold = threshold_at(family.step, member.threshold, family.rules.power)
            used = len(distances)
            stays = used and (distances.min() <= threshold or used == family.rules.most)
            found.append(int(distances.argmin()) + 1 if stays else used + 1)
        return found

    @property
    def _members(self) -> list[MemberSubroutines]:
        return self._family.everyone[: len(self._family.members)]

    def _class(self, index: int) -> Any:
        """The class of an index; a model for two may name the second before it was seen."""
        return self.classes[min(index, len(self.classes) - 1)]

    def _newborn(self) -> Subroutine:
        model = OpenLogistic() if self.model is None else deepcopy(self.model)
        return RiverModel(model, self._seen, self._index_seen)

    def _weighted(self, strategy: ByLosses) -> list[tuple[float, Any]]:
        """Each member's weight and the subroutine that predicts the step now open."""
        weighted = zip(strategy.weights(self._family.step), self._answers(), strict=False)
        return [(weight, subroutine) for weight, subroutine in weighted if weight]

    def _open(self) -> OpenStep:
        """The step now open, without newborn: the closest one answers as its copy would."""
        opened = FamilyStep([], self._answers(), True)
        return OpenStep(self._ensemble, opened, self._family.step)

    def _answers(self) -> list[Any]:
        """Who answers the step now open: chosen once."""
        if self._answering is None:
            present = self._family.present()
            self._answering = [self._closest(member, present) for member in self._family.everyone]
        return self._answering

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
            self._add_class(y)
        self._answering = None
        columns = Columns(names)
        self._references = [[rows.relaid(columns) for rows in kept] for kept in self._references]
        family.completed.relaid(columns)
        self._columns = columns
        classes = family.classes = self._ensemble.classes = len(self._seen)
        for strategy in self._ensemble.strategies:
            strategy.setup = replace(strategy.setup, classes=classes)
        if hasattr(family.discrepancy, "classes"):
            family.discrepancy.classes = classes
        family.references = [
            [family.discrepancy.describe(rows) for rows in kept] for kept in self._references
        ]

    def _add_class(self, y: Any) -> None:
        if not self.takes_any:
            if self.classes == [False, True] and not self._family.step and not self._open_step:
                self.classes.clear()  # they only stood in until there was a label
                self._index.clear()
            elif len(self.classes) == 2:
                raise ValueError(f"{self.model} knows two classes only, and {y!r} is a third")
        self._index[y] = len(self.classes)
        self.classes.append(y)


def said_by(said: Said, strategy: str, class_of: Callable[[int], Any]) -> dict[Any, float]:
    """The probabilities of a strategy for one row; all for its prediction where it has none."""
    if said.probabilities is not None:
        line = said.probabilities[said.names.place(strategy), 0]
        if not np.isnan(line).any():
            return {class_of(c): float(p) for c, p in enumerate(line)}
    return {class_of(int(said.of(strategy)[0])): 1.0}
