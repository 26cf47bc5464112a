"""Who got how many rows wrong."""

from __future__ import annotations

import numpy as np

from macro_engine.core.state import State, array, whole
from macro_engine.core.steps import Names, Steps, Totals


class Scoreboard:
    """Errors of every member, strategy and baseline over all rows so far."""

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
        return {
            "steps": self.steps,
            "rows": self.rows,
            "labels": self.labels.copy(),
            "wrong": self.totals.wrong,
            "losses": self.totals.losses,
            "subroutines": self.subroutines,
        }

    def restore(self, state: State) -> None:
        k = len(self.names.members)
        self.steps = whole(state, "steps")
        self.labels = array(state, "labels", np.int64, (len(self.labels),))
        self.totals = Totals(
            self.names,
            whole(state, "rows"),
            array(state, "wrong", np.int64, (self.names.predictors,)),
            array(state, "losses", np.float64, (k,)),
        )
        self.subroutines = array(state, "subroutines", np.int64, (k,))
