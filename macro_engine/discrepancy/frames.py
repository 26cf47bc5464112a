import math

import numpy as np

from macro_engine.core.rows import Floats, Rows
from macro_engine.core.state import State, array
from macro_engine.discrepancy.base import Discrepancy, require_numeric_columns


class Frames(Discrepancy[Floats]):
    """The mean l2 distance between rows at the same position, counted from the newest.

    Parameters
    ----------
    length
        How many rows are compared at most, whatever the steps are; None for all.
    columns
        The number of numeric columns.
    """

    counts_rows = True

    def __init__(self, length: int | None, columns: int) -> None:
        require_numeric_columns("frames", columns)
        self.length = length
        self.columns = columns

    def describe(self, history: Rows) -> Floats:
        return history.numbers[::-1][: self.length].copy()

    def between(self, now: Floats, reference: Floats) -> float:
        n = min(len(now), len(reference))
        if n == 0:
            return 0.0 if len(now) == len(reference) else math.inf
        squares = np.zeros(n)
        for column in range(now.shape[1]):
            difference = now[:n, column] - reference[:n, column]
            squares += difference * difference
        # cumsum adds one after the other; sum would reorder the additions
        return float(np.cumsum(np.sqrt(squares))[-1]) / n

    def state(self, description: Floats) -> State:
        return {"rows": description}

    def restored(self, state: State) -> Floats:
        return array(state, "rows", np.float64, (None, self.columns))
