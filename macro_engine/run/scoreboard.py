"""Who got how many rows wrong."""

from __future__ import annotations

import numpy as np

from macro_engine.core.declared import Array, Declared, Whole
from macro_engine.core.state import State
from macro_engine.core.steps import Names, Steps, Totals


class Scoreboard:
    """Errors of every member, strategy and baseline over all rows so far."""

    remembers = Declared(
        Whole("steps"),
        Array("labels", np.int64, ("classes",), low=0),
        Array("subroutines", np.int64, ("members",), low=0),
    )

    def __init__(self, names: Names) -> None:
        self.names = names
        self.steps = 0
        self.labels = np.zeros(names.classes, np.int64)  # rows of each class
        self.totals = Totals.nothing(names)
        self.subroutines = np.zeros(len(names.members), np.int64)

    def update(self, results: Steps) -> None:
        self.steps += results.steps
        self.labels += np.bincount(results.labels, minlength=len(self.labels))
        self.totals = results.after
        self.subroutines = results.subroutines[:, -1].astype(np.int64)

    @property
    def rows(self) -> int:
        return self.totals.rows

    @property
    def errors(self) -> dict[str, float]:
        """Shares of rows, by strategy."""
        return {
            name: int(wrong) / self.rows
            for name, wrong in zip(self.names.series, self.totals.wrong, strict=False)
        }

    @property
    def member_errors(self) -> list[float]:
        return [int(wrong) / self.rows for wrong in self.totals.wrong[len(self.names.series) :]]

    def state(self) -> State:
        return self.remembers.state_of(self) | Totals.remembers.state_of(self.totals)

    def restore(self, state: State) -> None:
        lengths = {"members": len(self.names.members), "predictors": self.names.predictors}
        self.totals = Totals(self.names, **Totals.remembers.read(state, **lengths))
        self.remembers.restore(self, state, classes=self.names.classes, **lengths)
