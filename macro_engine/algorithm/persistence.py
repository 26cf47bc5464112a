"""Expert 3: the probability of the next label given the last one.

It is the baseline no-change with probabilities: a run computes it once, for the baseline, and hands
it to the blend.
"""

from __future__ import annotations

import numpy as np

from macro_engine.core.declared import Array, Declared
from macro_engine.core.rows import Floats
from macro_engine.core.state import State

LEAST = 1e-3
PRIOR_ROWS = 2.0


class Persistence:
    """Counts of pairs of labels, held together by how often nothing changes.

    Attributes
    ----------
    pairs
        N: by the last label of a step and the label of a row in the step after it.
    labels
        How often each label came.
    stay_go
        How often a row had the last label, and how often another.
    """

    remembers = Declared(
        Array("pairs", np.float64, ("classes", "classes")),
        Array("labels", np.float64, ("classes",)),
        Array("stay_go", np.float64, (2,)),
    )

    def __init__(self, classes: int) -> None:
        self.classes = classes
        self.pairs = np.zeros((classes, classes))
        self.labels = np.full(classes, 1.0 / classes)
        self.stay_go = np.array([1.0, 1.0 / classes])

    def probabilities(self, last: int) -> Floats:
        """p_c = (N[last, c] + 2 pool_c) / (sum N[last] + 2), pool_last = stay / (stay + go)."""
        if last < 0:
            return np.full(self.classes, 1.0 / self.classes)
        stay, go = self.stay_go.tolist()
        stays = stay / (stay + go)
        total = rest = 0.0
        for c in range(self.classes):
            total += self.pairs[last, c]
            if c != last:
                rest += self.labels[c]
        found = np.empty(self.classes)
        for c in range(self.classes):
            pool = stays if c == last else (1 - stays) * self.labels[c] / rest
            found[c] = (self.pairs[last, c] + PRIOR_ROWS * pool) / (total + PRIOR_ROWS)
        return found

    def learn(self, labels: list[int], last: int) -> None:
        """Count rows that came while `last` was the last label; -1 for none."""
        for label in labels:
            np.maximum(self.labels, LEAST / self.classes, out=self.labels)
            self.labels[label] += 1.0
            if last >= 0:
                self.pairs[last, label] += 1.0
                np.maximum(self.stay_go, LEAST, out=self.stay_go)
                self.stay_go[0 if label == last else 1] += 1.0

    def grow(self, classes: int) -> None:
        """Adds new classes; each starts with a count of 1/C."""
        more = classes - self.classes
        self.pairs = np.pad(self.pairs, (0, more))
        self.labels = np.append(self.labels, np.full(more, 1.0 / classes))
        self.classes = classes

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State) -> None:
        self.remembers.restore(self, state, classes=self.classes)
