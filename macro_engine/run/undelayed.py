"""The price of waiting: the same run with every label known at once, beside one with a delay."""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.core.rows import Block, Columns
from macro_engine.core.state import State, array, child, whole
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

    @property
    def errors(self) -> dict[str, float]:
        """Shares of rows, by series."""
        shares = (self.wrong / max(self.rows, 1)).tolist()
        return dict(zip(self.ensemble.series, shares, strict=True))

    def run(self, block: Block) -> None:
        """Take the steps of a block through."""
        if not block.steps:
            return
        outcome = self.ensemble.run(block)
        self.rows += len(block.rows)
        self.wrong += outcome.wrong[: len(self.wrong)].sum(axis=1)

    def state(self, is_whole: bool) -> dict[str, State | None]:
        parts = self.ensemble.state(is_whole) | {"sums": {"rows": self.rows, "wrong": self.wrong}}
        return {f"{PREFIX}{name}": part for name, part in parts.items()}

    def restore(self, state: State, columns: Columns) -> None:
        """Go on from a state; it must be new."""
        parts = {n.removeprefix(PREFIX): child(state, n) for n in state if n.startswith(PREFIX)}
        self.ensemble.restore(parts, columns)
        sums = child(parts, "sums")
        self.rows = whole(sums, "rows")
        self.wrong = array(sums, "wrong", np.int64, self.wrong.shape)
