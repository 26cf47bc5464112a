"""The rows of the last completed steps, for one or several lengths of history."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from macro_engine.core.rows import Columns, Rows
from macro_engine.core.state import DamagedError, State, indices


class CompletedSteps:
    """history(t) for each of several H: the rows of the last H completed steps.

    Parameters
    ----------
    histories
        Each H that will be asked for; None takes all steps.
    """

    def __init__(self, histories: Sequence[int | None], columns: Columns) -> None:
        self.columns = columns.compared
        self.keeps_everything = None in histories
        longest = max((h for h in histories if h is not None), default=0)
        self.steps: deque[Rows] = deque(maxlen=longest)
        self.count = 0
        self.everything = Rows.join(
            [], self.columns
        )  # with spare room; its first `count` rows count

    def append(self, step: Rows) -> None:
        step = step.compared()
        self.columns = step.columns
        self.steps.append(step)
        if not self.keeps_everything:
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

    def rows(self, history: int | None) -> Rows:
        """The rows of the last so many steps, or of all."""
        if history is None:
            return self.everything.cut(0, self.count)
        first = max(len(self.steps) - history, 0)
        return Rows.join([self.steps[i] for i in range(first, len(self.steps))], self.columns)

    def relaid(self, columns: Columns) -> None:
        """Lay all rows over more numeric columns, 0 in those that they did not have."""
        self.steps = deque((step.relaid(columns) for step in self.steps), self.steps.maxlen)
        self.everything = self.everything.relaid(columns)
        self.columns = columns

    def state(self) -> State:
        kept = self.rows(None) if self.keeps_everything else self.rows(len(self.steps))
        lengths = np.array([len(step) for step in self.steps], np.int64)
        return kept.state() | {"lengths": lengths}

    def restore(self, state: State, columns: Columns, classes: int) -> None:
        columns = columns.compared
        rows = Rows.restored(state, columns, classes)
        lengths = indices(state, "lengths", (None,), len(rows) + 1)
        before = len(rows) - int(lengths.sum())  # rows of steps that only `all` still needs
        if before < 0 or (before > 0 and not self.keeps_everything):
            raise DamagedError("in its state the completed steps are inconsistent")
        self.columns = columns
        if self.keeps_everything:
            self.everything, self.count = rows, len(rows)
        ends = (before + np.cumsum(lengths)).tolist()
        self.steps.extend(
            rows.cut(start, end) for start, end in zip([before, *ends], ends, strict=False)
        )


def _with_room(rows: Rows, size: int) -> Rows:
    return Rows(
        np.resize(rows.numbers, (size, rows.numbers.shape[1])),
        np.resize(rows.slots, (size, rows.slots.shape[1])),
        np.resize(rows.labels, size),
        rows.columns,
    )
