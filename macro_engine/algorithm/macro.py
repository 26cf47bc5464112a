"""MACRO for one threshold: Figure 1 of the paper, and the definition of every result here.

The fast paths of this package are tested against this file and must agree with it to the last
bit. Time is counted from 0, subroutines are numbered from 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from macro_engine.core.rows import Columns, Ints, Rows
from macro_engine.discrepancy import Discrepancy
from macro_engine.subroutines import Subroutine


@dataclass(frozen=True)
class Choice:
    """The decision for a step when it opens.

    Attributes
    ----------
    active
        The number of the subroutine that predicts.
    close
        J: the numbers of the subroutines that learn the step.
    born
        Whether the active subroutine was started for this step.
    distance
        M of the active subroutine; None at a birth.
    forced
        Whether none was close and no more may be started, so that the closest one predicts.
    """

    active: int
    close: tuple[int, ...]
    born: bool
    distance: float | None
    forced: bool = False


class Macro:
    """The meta-algorithm MACRO for one threshold.

    Call `open` for each step, `predict` for its rows, and `complete` when its labels are known. If
    labels come late, more steps may open before that; complete the steps in their order.

    Parameters
    ----------
    threshold
        The paper's epsilon.
    discrepancy
        D, the distance between histories.
    history
        H, the number of completed steps in a history; None for all of them.
    create
        Starts the first subroutine from scratch.
    columns
        The encoded columns of the stream.
    power
        The threshold at step t is epsilon (t + 1)^-power.
    most
        The largest number of subroutines; None for any number.

    Examples
    --------

    Labels that come in runs. The situation after a 0 differs from the one after a 1, so there are
    three subroutines: one started without a history, and one for each label.

    >>> import numpy as np
    >>> from macro_engine.core.rows import Columns, Rows
    >>> from macro_engine.discrepancy import Labels
    >>> from macro_engine.subroutines.nearest_mean import NearestMean

    >>> columns = Columns(("x",))
    >>> macro = Macro(0.1, Labels(2), 1, lambda: NearestMean(2), columns)
    >>> for label in [0, 0, 0, 1, 1, 1, 0, 0]:
    ...     step = Rows(np.array([[0.5]]), np.empty((1, 0), int), np.array([label]), columns)
    ...     choice = macro.open()
    ...     prediction = macro.predict(choice, step)
    ...     macro.complete(choice, step)
    >>> choice
    Choice(active=2, close=(2,), born=False, distance=0.0, forced=False)
    >>> len(macro.subroutines)
    3
    """

    def __init__(
        self,
        threshold: float,
        discrepancy: Discrepancy[Any],
        history: int | None,
        create: Callable[[], Subroutine],
        columns: Columns,
        power: float = 0.0,
        most: int | None = None,
    ) -> None:
        self.threshold = threshold
        self.discrepancy = discrepancy
        self.history = history
        self.create = create
        self.columns = columns
        self.power = power
        self.most = most
        self.step = 0  # t, the step that opens next
        self.subroutines: list[Subroutine] = []  # S_1, ..., S_N
        self.references: list[Any] = []  # history(tau_1), ..., history(tau_N), described
        self.completed: list[Rows] = []

    def open(self) -> Choice:
        """Finds the close subroutines, or starts one; the closest becomes active."""
        now = self.discrepancy.describe(self.recent())
        distance = {
            j: self.discrepancy.between(now, reference)
            for j, reference in enumerate(self.references, start=1)
        }
        closest = min(distance, key=distance.__getitem__, default=None)
        threshold = threshold_at(self.step, self.threshold, self.power)
        close = tuple(j for j in distance if distance[j] <= threshold)
        self.step += 1
        if close:
            active = min(close, key=distance.__getitem__)
            return Choice(active, close, False, distance[active])
        if closest is not None and len(self.subroutines) == self.most:
            return Choice(closest, (closest,), False, distance[closest], forced=True)
        parent = None if closest is None else self.subroutines[closest - 1]
        self.subroutines.append(self.create() if parent is None else parent.copy())
        self.references.append(now)
        newborn = len(self.subroutines)
        return Choice(newborn, (newborn,), True, None)

    def predict(self, choice: Choice, rows: Rows) -> Ints:
        """Predicts rows of the open step with the active subroutine."""
        return self.subroutines[choice.active - 1].predict(rows)

    def complete(self, choice: Choice, rows: Rows) -> None:
        """Completes a step whose labels are known: every close subroutine learns its rows."""
        for j in choice.close:
            self.subroutines[j - 1].learn(rows)
        if len(rows) or not self.discrepancy.counts_rows:
            self.completed.append(rows.compared())

    def recent(self) -> Rows:
        """The rows of the last H completed steps."""
        start = 0 if self.history is None else max(len(self.completed) - self.history, 0)
        return Rows.join(self.completed[start:], self.columns.compared)


def threshold_at(step: int, threshold: float, power: float) -> float:
    """Returns the threshold at a step: epsilon_t = epsilon (t + 1)^-p, or infinity."""
    return threshold if math.isinf(threshold) else threshold * math.pow(step + 1, -power)
