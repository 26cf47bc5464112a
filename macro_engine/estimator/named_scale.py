"""A running scale for each number of a row, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from macro_engine.core.rows import Columns, Floats, Rows
from macro_engine.estimator.growing_columns import NUMBER, GrowingColumns
from macro_engine.stream.running_scale import RunningScale


class OpenRow(NamedTuple):
    """A row of the open step.

    Attributes
    ----------
    features
        Values by columns.
    texts, codes
        As `growing_columns.texts_of` and `GrowingColumns.codes_of` give them.
    """

    features: dict[str, float]
    texts: dict[str, str]
    codes: list[int]
    label: int


class NamedScale:
    """Makes rows of a step, each number scaled by the closed steps; a missing one lies at the mean.

    Parameters
    ----------
    is_scaled
        Whether learners and distances see the scaled numbers.
    has_units
        Whether there are tiles, which see the scaled numbers always.
    compares_raw
        Whether the distance compares numbers as they are.
    """

    def __init__(
        self, layout: GrowingColumns, is_scaled: bool, has_units: bool, compares_raw: bool
    ) -> None:
        self.layout = layout
        self.is_scaled = is_scaled
        self.has_units = has_units
        self.compares_raw = compares_raw
        self.scales: dict[str, RunningScale] = {}

    def rows(self, step: Sequence[OpenRow], columns: Columns) -> Rows:
        raw = _table([[row.features.get(name, 0.0) for name in columns.numbers] for row in step])
        numbers = raw
        if self.is_scaled:
            numbers = _table(
                [[self._scaled(name, row) for name in columns.numbers] for row in step]
            )
        units = None
        if self.has_units:
            units = _table([[*self._units(row), *map(float, row.codes)] for row in step])
        none = np.empty((len(step), 0), np.int64)
        labels = np.array([row.label for row in step], np.int64)
        return Rows(numbers, none, labels, columns, raw if self.compares_raw else None, units)

    def close(self, step: Sequence[OpenRow]) -> None:
        """Adds the rows of a step to the statistics."""
        if not (self.is_scaled or self.has_units):
            return
        for name, kind in self.layout.kinds.items():
            values = [[row.features[name]] for row in step if name in row.features]
            if kind == NUMBER and values:
                self.scales.setdefault(name, RunningScale([False])).close(np.array(values))

    def _scaled(self, name: str, row: OpenRow) -> float:
        if name not in row.features:
            return 0.0
        if self.layout.kind(name, list(row.texts.values())) != NUMBER:
            return row.features[name]
        if name not in self.scales:
            return 0.0
        return float(self.scales[name].scale(np.array([[row.features[name]]]))[0, 0])

    def _units(self, row: OpenRow) -> list[float]:
        z = np.array([[self._scaled(name, row) for name in self.layout.units]])
        return [float(u) for u in RunningScale([False] * z.shape[1]).units(z)[0]]


def _table(rows: list[list[float]]) -> Floats:
    return np.array(rows, float).reshape(len(rows), -1 if rows[0] else 0)
