import math

import numpy as np

from macro_engine.core.rows import Floats, Rows
from macro_engine.core.state import State, array, children
from macro_engine.discrepancy.base import Discrepancy, require_numeric_columns

RowsByClass = list[Floats]


class Features(Discrepancy[RowsByClass]):
    """The mean over the classes of the approximate bottleneck distance (the paper's D_1).

    Of all l2 distances between a row of S and a row of T of the same class, the
    max(|S|, |T|) smallest are averaged.

    Parameters
    ----------
    classes
        The number of classes.
    columns
        The number d of numeric columns.
    normalised
        Divide each l2 distance by sqrt(d), so that columns in [0, 1] give a distance in [0, 1].
    empty_class
        What a class counts that one history has and the other lacks: `far` 1, `zero` 0; `skip`
        leaves it out of the mean.
    """

    def __init__(
        self, classes: int, columns: int, normalised: bool = True, empty_class: str = "far"
    ) -> None:
        require_numeric_columns("features", columns)
        self.classes = classes
        self.columns = columns
        self.divisor = math.sqrt(columns) if normalised else 1.0
        self.skip = empty_class == "skip"
        self.lacking = 1.0 if empty_class == "far" else 0.0

    def grow(self, classes: int) -> None:
        self.classes = classes

    def describe(self, history: Rows) -> RowsByClass:
        return [history.numbers[history.labels == c] for c in range(self.classes)]

    def between(self, now: RowsByClass, reference: RowsByClass) -> float:
        now_empty = not any(map(len, now))
        reference_empty = not any(map(len, reference))
        if now_empty or reference_empty:
            return 0.0 if now_empty and reference_empty else math.inf
        total = 0.0
        counted = self.classes
        for s, t in zip(now, reference, strict=True):
            if len(s) and len(t):
                total += self.bottleneck(s, t)
            elif len(s) or len(t):
                total += self.lacking
                counted -= self.skip
        return total / counted if counted else math.inf

    def state(self, description: RowsByClass) -> State:
        return {"classes": [{"rows": rows} for rows in description]}

    def restored(self, state: State) -> RowsByClass:
        return [
            array(kept, "rows", np.float64, (None, self.columns))
            for kept in children(state, "classes", self.classes)
        ]

    def bottleneck(self, s: Floats, t: Floats) -> float:
        squares = np.zeros((len(s), len(t)))
        for column in range(s.shape[1]):
            difference = s[:, column, None] - t[None, :, column]
            squares += difference * difference
        distances = np.sqrt(squares.ravel()) / self.divisor
        k = max(len(s), len(t))
        distances.partition(k - 1)
        # cumsum adds one after the other; sum would reorder the additions
        return float(np.cumsum(np.sort(distances[:k]))[-1]) / k
