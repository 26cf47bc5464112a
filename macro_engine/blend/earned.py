"""Probabilities for a learner that only names a class: how often it was right, and what was so."""

from __future__ import annotations

import numpy as np

from macro_engine.blend.probability import total
from macro_engine.rows import Floats, Ints
from macro_engine.state import State, array

DECAY = 0.5 ** (1 / 100)  # a row counts half after a hundred more


class Earned:
    """Counts of the classes that came when each class was named; older rows count less.

    Two more counts are spread over the classes by how often the learner is right at all.
    """

    def __init__(self, classes: int) -> None:
        self.hit = 1.0
        self.miss = 1.0 / classes
        self.counts = [[0.0] * classes for _ in range(classes)]  # the row is the class named

    def answer(self, said: Ints) -> Floats:
        """The probabilities for rows of which classes were named, rows by classes."""
        table = np.array([self._given(h) for h in range(len(self.counts))])
        return table[said]

    def _given(self, said: int) -> list[float]:
        right = self.hit / (self.hit + self.miss)
        other = (1.0 - right) / (len(self.counts) - 1)
        counts = self.counts[said]
        whole = total(counts) + 2.0
        return [
            (count + 2.0 * (right if c == said else other)) / whole
            for c, count in enumerate(counts)
        ]

    def learn(self, said: Ints, labels: Ints) -> None:
        """Learn the rows of a closed step."""
        for h, label in zip(said.tolist(), labels.tolist(), strict=True):
            self.counts[h] = [count * DECAY for count in self.counts[h]]
            self.counts[h][label] += 1.0
            self.hit = max(self.hit * DECAY, 1e-3)
            self.miss = max(self.miss * DECAY, 1e-3)
            if h == label:
                self.hit += 1.0
            else:
                self.miss += 1.0

    def state(self) -> State:
        return {"record": np.array([self.hit, self.miss]), "counts": np.array(self.counts)}

    def restore(self, state: State) -> None:
        classes = len(self.counts)
        self.hit, self.miss = array(state, "record", np.float64, (2,)).tolist()
        self.counts = array(state, "counts", np.float64, (classes, classes)).tolist()
