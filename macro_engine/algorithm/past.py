"""The rows of the last closed steps, kept as the stream goes on."""

from __future__ import annotations

from collections import deque

import numpy as np

from macro_engine.rows import Columns, Rows
from macro_engine.state import DamagedError, State, indices


class Past:
    """history(t): the rows of the last `length` closed steps, or of all for None."""

    def __init__(self, length: int | None, columns: Columns) -> None:
        self.length = length
        self.columns = columns
        self.steps: deque[Rows] = deque(maxlen=length)
        self.count = 0
        self.everything = Rows.join([], columns)  # with spare room; its first `count` rows count

    def append(self, step: Rows) -> None:
        self.columns = step.columns
        if self.length is not None:
            self.steps.append(step)
            return
        needed = self.count + len(step)
        if needed > len(self.everything):
            self.everything = _with_room(self.everything, 2 * needed)
        for whole, part in (
            (self.everything.numbers, step.numbers),
            (self.everything.slots, step.slots),
            (self.everything.labels, step.labels),
        ):
            whole[self.count : needed] = part
        self.count = needed

    def rows(self) -> Rows:
        if self.length is not None:
            return Rows.join(self.steps, self.columns)
        return self.everything.cut(0, self.count)

    def state(self) -> State:
        lengths = [self.count] if self.length is None else [len(step) for step in self.steps]
        return self.rows().state() | {"lengths": np.array(lengths, np.int64)}

    def restore(self, state: State, columns: Columns, classes: int) -> None:
        rows = Rows.restored(state, columns, classes)
        lengths = indices(state, "lengths", (None,), len(rows) + 1)
        if lengths.sum() != len(rows):
            raise DamagedError("in its state the past does not add up")
        self.columns = columns
        ends = np.cumsum(lengths).tolist()
        for start, end in zip([0, *ends], ends, strict=False):
            self.append(rows.cut(start, end))


def _with_room(rows: Rows, size: int) -> Rows:
    return Rows(
        np.resize(rows.numbers, (size, rows.numbers.shape[1])),
        np.resize(rows.slots, (size, rows.slots.shape[1])),
        np.resize(rows.labels, size),
        rows.columns,
    )
