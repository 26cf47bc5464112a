"""The general path of the estimator, for any model; the compiled path is tested against it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from river import base

from macro_engine.algorithm.ensemble import Ensemble, OpenStep
from macro_engine.algorithm.family import Family
from macro_engine.algorithm.macro import threshold_at
from macro_engine.algorithm.member_subroutines import FamilyStep, MemberSubroutines
from macro_engine.core.rows import Block, Columns, Rows
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.estimator.growing_columns import GrowingColumns, texts_of
from macro_engine.estimator.growing_strategy import check_class, growing_strategy
from macro_engine.estimator.named_scale import NamedScale, OpenRow
from macro_engine.estimator.open_model import OpenModel
from macro_engine.estimator.path_settings import PathSettings
from macro_engine.estimator.row_values import numbers_of
from macro_engine.strategies import STRATEGIES, Answer, Setup, Strategy
from macro_engine.subroutines.base import Subroutine
from macro_engine.subroutines.open_logistic import OpenLogistic


class GeneralPath:
    """Learns and predicts rows one by one.

    Parameters
    ----------
    settings
        As for `CompiledPath`.
    model
        The classifier to copy; None for logistic regression.
    compiled
        Whether a strategy may be a compiled one, and not the definition.
    """

    def __init__(
        self,
        settings: PathSettings,
        model: base.Classifier | None = None,
        compiled: bool = False,
    ) -> None:
        members, distance, strategy = settings.members, settings.distance, settings.strategy
        self.model = model
        self.learning_rate = settings.learning_rate
        self.every = settings.every
        self._name = strategy
        self._layout = GrowingColumns()
        raw = DISTANCES[distance].compares_raw
        self._scale = NamedScale(
            self._layout, settings.is_scaled, STRATEGIES[strategy].wants_units, raw
        )
        self._known = 0  # how many classes everyone has room for
        self.takes_any = model is None or bool(model._multiclass)
        # a model for two classes answers False or True from the start, others as they appear
        self.classes: list[Any] = [] if self.takes_any else [False, True]
        self._index: dict[Any, int] = {label: i for i, label in enumerate(self.classes)}
        # what the model sees in place of the classes
        self._seen = self.classes if self.takes_any else [False, True]
        self._index_seen = self._index if self.takes_any else {False: 0, True: 1}
        self._columns = Columns(())
        self._open_step: list[OpenRow] = []
        # columns, and classes where they appear later, are made room for when they do
        shape = Shape(len(self.classes), 1, members[0].steps, False, settings.empty_class)
        create = DISTANCES[distance].create(shape)
        self._family = Family(
            members,
            create,
            self._newborn,
            self._columns,
            self._slots,
            settings.power,
            settings.most,
        )
        # for each history: the rows behind the family's references
        self._references: list[list[Rows]] = [[] for _ in self._family.histories]
        self._ensemble = Ensemble(self._family, self._columns, [strategy])
        self._start_strategy(replace(self._strategy.setup, compiled=compiled))
        self.births: list[list[int]] = [[] for _ in members]
        self._answering: list[Any] | None = None  # who answers the open step, once it was asked for

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        features = numbers_of(x)
        if y not in self._index:
            self._add_class(y)
        self._make_room(x, features)
        row = OpenRow(features, texts_of(x), self._layout.codes_of(x, True), self._index[y])
        self._open_step.append(row)
        if len(self._open_step) < self.every:
            return
        rows = self._rows(self._open_step)
        closed, self._open_step = self._open_step, []
        family = self._family
        step, before = family.step, self.n_subroutines
        present = [family.completed.rows(history) for history in family.histories]
        self._ensemble.learn(Block(rows, np.array([0, len(rows)]), None, 0, step))
        self._answering = None
        for h, kept in enumerate(self._references):
            if len(family.references[h]) > len(kept):
                kept.append(present[h])
        for steps, n, known in zip(self.births, self.n_subroutines, before, strict=True):
            if n > known:
                steps.append(step)
        self._scale.close(closed)

    def predict_one(self, x: dict[Any, Any]) -> Any:
        if not self.classes:
            return None
        rows = self._rows([self._row(x)])
        if (weighted := self._weighted()) is None:
            return self._class(int(self._said(rows).predictions[0]))
        votes = dict.fromkeys(self.classes, 0.0)
        for weight, subroutine in weighted:
            votes[self._class(int(subroutine.predict(rows)[0]))] += weight
        return max(votes, key=votes.__getitem__)

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        if not self.classes:
            return {}
        total = dict.fromkeys(self.classes, 0.0)
        rows = self._rows([self._row(x)])
        if (weighted := self._weighted()) is None:
            said = self._said(rows)
            if len(self.classes) == 1 or said.probabilities is None:
                return total | {self._class(int(said.predictions[0])): 1.0}
            return dict(zip(self.classes, said.probabilities[0].tolist(), strict=True))
        for weight, subroutine in weighted:
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
        return self._strategy.weights(self._family.step) or []

    @property
    def active(self) -> list[int]:
        family, found = self._family, []
        present = family.present()
        for member in self._members:
            distances = present[member.history][1][member.references]
            threshold = threshold_at(family.step, member.threshold, family.settings.power)
            used = len(distances)
            stays = used and (distances.min() <= threshold or used == family.settings.most)
            found.append(int(distances.argmin()) + 1 if stays else used + 1)
        return found

    @property
    def _slots(self) -> int:
        """How many classes there is room for; where there are probabilities two at least."""
        least = 2 if STRATEGIES[self._name].wants_probabilities else 0
        return max(least, len(self._seen))

    @property
    def _strategy(self) -> Strategy:
        return self._ensemble.strategies[0]

    def _start_strategy(self, setup: Setup) -> None:
        self._ensemble.strategies = [growing_strategy(self._name, setup, self._layout)]

    @property
    def _members(self) -> list[MemberSubroutines]:
        return self._family.everyone[: len(self._family.members)]

    def _class(self, index: int) -> Any:
        """The class of an index; a model for two may name the second before it was seen."""
        return self.classes[min(index, len(self.classes) - 1)]

    def _newborn(self) -> Subroutine:
        model = OpenLogistic(self.learning_rate) if self.model is None else deepcopy(self.model)
        return OpenModel(model, self._seen, self._index_seen)

    def _weighted(self) -> list[tuple[float, Any]] | None:
        """Each member's weight and the subroutine that predicts the step now open, if it votes."""
        weights = self._strategy.weights(self._family.step)
        if weights is None:
            return None
        weighted = zip(weights, self._answers(), strict=False)
        return [(weight, subroutine) for weight, subroutine in weighted if weight]

    def _said(self, rows: Rows) -> Answer:
        """What the strategy says of rows of the step now open.

        Nobody is born: the closest one answers as its copy would.
        """
        opened = FamilyStep([], self._answers(), self._slots, is_trial=True)
        step = OpenStep(self._ensemble, opened, self._family.step)
        return self._strategy.reply(step.forecasts(rows)[0])

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

    def _row(self, x: dict[Any, Any]) -> OpenRow:
        """A row that is not learned."""
        return OpenRow(numbers_of(x), texts_of(x), self._layout.codes_of(x), 0)

    def _rows(self, step: Sequence[OpenRow]) -> Rows:
        names = sorted({*self._columns.numbers, *(name for row in step for name in row.features)})
        return self._scale.rows(step, Columns(tuple(names)))

    def _make_room(self, x: dict[Any, Any], features: dict[str, float]) -> None:
        """Adds new classes and features, and describes all references again."""
        is_first = not self._layout.has_rows
        new = self._layout.add(x, list(features))
        if not new and not is_first and len(self._seen) == self._known:
            return
        self._known = len(self._seen)
        self._answering = None
        family, columns = self._family, Columns(tuple(sorted(self._layout.kinds)))
        self._references = [[rows.relaid(columns) for rows in kept] for kept in self._references]
        family.completed.relaid(columns)
        self._columns = columns
        family.discrepancy.grow(self._known)
        family.references = [
            [family.discrepancy.describe(rows) for rows in kept] for kept in self._references
        ]
        self._grow_ensemble(is_first)

    def _grow_ensemble(self, is_first: bool) -> None:
        ensemble = self._ensemble
        classes = ensemble.classes = self._family.classes = self._slots
        if ensemble.no_change.table is not None:
            ensemble.no_change.table.grow(classes)
        if ensemble.earned is not None:
            ensemble.earned.grow(classes)
        setup = replace(self._strategy.setup, classes=classes, columns=self._columns)
        if is_first:  # the tiles of a blend see the columns of the first row
            self._start_strategy(setup)
        self._strategy.grow(setup)

    def _add_class(self, y: Any) -> None:
        if not self.takes_any:
            if self.classes == [False, True] and not self._family.step and not self._open_step:
                self.classes.clear()  # they only stood in until there was a label
                self._index.clear()
            elif len(self.classes) == 2:
                raise ValueError(f"{self.model} supports two classes, and {y!r} is a third")
        check_class(self._name, len(self.classes), y)
        self._index[y] = len(self.classes)
        self.classes.append(y)
