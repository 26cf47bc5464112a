import math

import numpy as np

from macro_engine.core.rows import Floats, Rows
from macro_engine.core.state import State, array, whole
from macro_engine.discrepancy.base import Discrepancy

# numbers, None where one is missing (NaN is not equal to itself); slots; the label
LastRow = tuple[tuple[float | None, ...], tuple[int, ...], int] | None


class Markov(Discrepancy[LastRow]):
    """0 if the last row of both histories is the same, label included, else 1.

    The bound that holds for a discrete Markov chain.
    """

    counts_rows = True

    def describe(self, history: Rows) -> LastRow:
        if len(history) == 0:
            return None
        return (
            _numbers(history.numbers[-1]),
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
            "numbers": np.array(numbers, np.float64),  # None becomes NaN
            "slots": np.array(slots, np.int64),
            "label": label,
        }

    def restored(self, state: State) -> LastRow:
        if not state:
            return None
        numbers = _numbers(array(state, "numbers", np.float64, (None,)))
        slots = array(state, "slots", np.int64, (None,)).tolist()
        return numbers, tuple(slots), whole(state, "label")


def _numbers(row: Floats) -> tuple[float | None, ...]:
    return tuple(None if math.isnan(x) else x for x in row.tolist())
