"""Any model with River's `predict_one` and `learn_one` as a subroutine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.rows import Floats, Ints, Rows
from macro_engine.subroutines.base import Subroutine

_ROUNDING = 1e-9  # a sum of probabilities that is closer to 1 is taken for 1


class RiverModel(Subroutine):
    """One classifier.

    Parameters
    ----------
    model
        The classifier; it is used as it is, not copied.
    names, index
        The label that the model sees for each class index, and the other way round. Both may grow
        while the subroutine is in use.
    """

    def __init__(self, model: Any, names: Sequence[Any], index: Mapping[Any, int]) -> None:
        self.model = model
        self.names = names
        self.index = index

    @staticmethod
    def over(model: Any, classes: tuple[str, ...]) -> RiverModel:
        """With two classes the model sees False and True, with more their names."""
        names = (False, True) if len(classes) == 2 else classes
        return RiverModel(model, names, {name: i for i, name in enumerate(names)})

    def predict(self, rows: Rows) -> Ints:
        answers = [self.model.predict_one(x) for x in rows.dicts]
        self.unanswered += answers.count(None)
        try:
            return np.array([0 if a is None else self.index[a] for a in answers], np.int64)
        except (KeyError, TypeError):
            strange = next(a for a in answers if a is not None and a not in self.names)
            raise MacroError(
                f"the model {type(self.model).__name__} answered '{visible(strange)}', which is "
                f"none of the labels that it was given: {', '.join(map(visible, self.names))}"
            ) from None

    def probabilities(self, rows: Rows) -> Floats | None:
        """What `predict_proba_one` says, if the model has it; all the same where it is silent."""
        if not hasattr(self.model, "predict_proba_one"):
            return None
        found = np.zeros((len(rows), len(self.names)))
        try:
            for line, x in zip(found, rows.dicts, strict=True):
                for name, p in self.model.predict_proba_one(x).items():
                    if name in self.index:
                        line[self.index[name]] = p
        except NotImplementedError:  # how River says that it only names classes
            return None
        total = np.cumsum(found, axis=1)[:, -1]
        silent = ~(np.isfinite(total) & (total > 0.0) & (found >= 0.0).all(axis=1))
        found[silent], total[silent] = 1.0 / found.shape[1], 1.0
        off = np.abs(total - 1.0) > _ROUNDING
        found[off] /= total[off, None]
        return found

    def learn(self, rows: Rows) -> None:
        for x, label in zip(rows.dicts, rows.labels.tolist(), strict=True):
            self.model.learn_one(x, self.names[label])

    def copy(self) -> RiverModel:
        try:
            model = deepcopy(self.model)
        except Exception as error:  # a model may refuse in any way
            raise MacroError(
                f"the model {type(self.model).__name__} cannot be copied, which a newborn needs: "
                f"copy.deepcopy: {visible(error)}"
            ) from error
        return type(self)(model, self.names, self.index)
