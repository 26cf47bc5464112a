import math

import numpy as np

from macro_engine.core.rows import Rows
from macro_engine.core.state import State, array
from macro_engine.discrepancy.base import Discrepancy

Shares = list[float] | None


class Labels(Discrepancy[Shares]):
    """||p(S) - p(T)||^2, with p the vector of the shares of the classes (the paper's D_2)."""

    def __init__(self, classes: int) -> None:
        self.classes = classes

    def grow(self, classes: int) -> None:
        self.classes = classes

    def describe(self, history: Rows) -> Shares:
        n = len(history)
        if n == 0:
            return None
        return [count / n for count in np.bincount(history.labels, minlength=self.classes).tolist()]

    def between(self, now: Shares, reference: Shares) -> float:
        if now is None or reference is None:
            return 0.0 if now is reference else math.inf
        total = 0.0
        for p, q in zip(now, reference, strict=True):
            difference = p - q
            total += difference * difference
        return total

    def state(self, description: Shares) -> State:
        return {} if description is None else {"shares": np.array(description)}

    def restored(self, state: State) -> Shares:
        if not state:
            return None
        shares: list[float] = array(state, "shares", np.float64, (self.classes,)).tolist()
        return shares
