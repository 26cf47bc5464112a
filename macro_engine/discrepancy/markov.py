import math

import numpy as np

from macro_engine.core.rows import Rows
from macro_engine.core.state import State, array, whole
from macro_engine.discrepancy.base import Discrepancy

LastRow = tuple[tuple[float, ...], tuple[int, ...], int] | None


class Markov(Discrepancy[LastRow]):
    """0 if the last row of both histories is the same, label included, else 1.

    The bound that holds for a discrete Markov chain.
    """

    counts_rows = True

    def describe(self, history: Rows) -> LastRow:
        if len(history) == 0:
            return None
        return (
            tuple(history.numbers[-1].tolist()),
            tuple(history.slots[-1].tolist()),
            int(history.labels[-1]),
        )

    def between(self, now: LastRow, reference: LastRow) -> float:
        if now is None or reference is None:
            return 0.0 if now is reference else math.inf
        return 0.0 if now == reference else 1.0

    def state(self, description: LastRow) -> State:
        if description is None:
            return {}
        numbers, slots, label = description
        return {
            "numbers": np.array(numbers, np.float64),
            "slots": np.array(slots, np.int64),
            "label": label,
        }

    def restored(self, state: State) -> LastRow:
        if not state:
            return None
        numbers = array(state, "numbers", np.float64, (None,)).tolist()
        slots = array(state, "slots", np.int64, (None,)).tolist()
        return tuple(numbers), tuple(slots), whole(state, "label")
