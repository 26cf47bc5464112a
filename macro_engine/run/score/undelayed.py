"""The cost of late labels: the same run with every label known at once."""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.core.rows import Block, Columns, Ints
from macro_engine.core.state import State, array, child, indices, whole
from macro_engine.core.totals import Totals
from macro_engine.stream.spec import LateLabels

PREFIX = "at_once/"  # of the parts of a state


def prices_waiting(late: LateLabels, is_live: bool) -> bool:
    """Whether the same run with labels at once is made beside it: a recording has all of them."""
    return not is_live and not late.key


class UndelayedRun:
    """Runs the steps of a recording whose rows all have a label, as if no label came late."""

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.rows = 0
        self.wrong = np.zeros(len(ensemble.series), np.int64)
        # of steps that are not complete in the run that waits: rows, and wrong ones by series
        self.rows_ahead: Ints = np.empty(0, np.int64)
        self.wrong_ahead: Ints = np.empty((len(ensemble.series), 0), np.int64)

    @property
    def errors(self) -> dict[str, float]:
        """Shares of the rows of steps that are complete in the run that waits, by series."""
        shares = (self.wrong / max(self.rows, 1)).tolist()
        return dict(zip(self.ensemble.series, shares, strict=True))

    def run(self, block: Block, waiting: int) -> None:
        """Take the steps of a block through; in the other run the last so many steps wait."""
        if block.steps:
            nothing = Totals.nothing(self.ensemble.names)  # sums of earlier steps are kept here
            wrong = self.ensemble.run(block, nothing).wrong[: len(self.wrong)]
            self.rows_ahead = np.concatenate([self.rows_ahead, np.diff(block.starts)])
            self.wrong_ahead = np.hstack([self.wrong_ahead, wrong])
        done = len(self.rows_ahead) - waiting
        self.rows += int(self.rows_ahead[:done].sum())
        self.wrong += self.wrong_ahead[:, :done].sum(axis=1)
        self.rows_ahead = self.rows_ahead[done:].copy()
        self.wrong_ahead = self.wrong_ahead[:, done:].copy()

    def state(self, is_whole: bool) -> dict[str, State | None]:
        parts = self.ensemble.state(is_whole) | {
            "sums": {
                "rows": self.rows,
                "wrong": self.wrong.copy(),  # it is added to before this is written
                "rows_ahead": self.rows_ahead,
                "wrong_ahead": self.wrong_ahead,
            }
        }
        return {f"{PREFIX}{name}": part for name, part in parts.items()}

    def restore(self, state: State, columns: Columns) -> None:
        """Restores a state; the object must be new."""
        parts = {n.removeprefix(PREFIX): child(state, n) for n in state if n.startswith(PREFIX)}
        self.ensemble.restore(parts, columns)
        sums = child(parts, "sums")
        self.rows = whole(sums, "rows")
        self.wrong = array(sums, "wrong", np.int64, self.wrong.shape)
        self.rows_ahead = indices(sums, "rows_ahead", (None,), 1 << 62)
        shape = (len(self.wrong), len(self.rows_ahead))
        self.wrong_ahead = indices(sums, "wrong_ahead", shape, 1 << 62)
