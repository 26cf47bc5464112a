"""A River model as a subroutine whose classes may grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from macro_engine.core.rows import Floats, Rows
from macro_engine.subroutines.open_logistic import OpenLogistic
from macro_engine.subroutines.river_model import RiverModel


class OpenModel(RiverModel):
    """Its probabilities have room for two classes at least."""

    def __init__(self, model: Any, names: Sequence[Any], index: Mapping[Any, int]) -> None:
        super().__init__(model, names, index)
        self.always_has_probabilities = isinstance(model, OpenLogistic)

    def probabilities(self, rows: Rows) -> Floats | None:
        missing = max(2 - len(self.names), 0)
        if isinstance(self.model, OpenLogistic):
            labels = [*self.names, *(object() for _ in range(missing))]
            return np.array([self.model.among(x, labels) for x in rows.dicts])
        found = super().probabilities(rows)
        return None if found is None else np.pad(found, ((0, 0), (0, missing)))
