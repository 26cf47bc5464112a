"""The confidence of the lead along a run, in bounded memory."""

from __future__ import annotations

import numpy as np

from macro_engine.core.names import Names
from macro_engine.core.rows import Floats, Ints
from macro_engine.core.steps import Steps
from macro_engine.run.score.confidence import Confidence
from macro_engine.run.score.lead import differences


class LeadConfidence:
    """Intervals for the lead of each strategy: the newest, and at multiples of a stride before.

    The stride doubles when there are too many of them.
    """

    MOST = 4096

    def __init__(self, names: Names) -> None:
        self.strategies = names.strategies
        self.confidence = Confidence(len(self.strategies))
        self.stride = 1
        self.moment = 0
        self.moments: Ints = np.zeros(0, np.int64)
        self.intervals: Floats = np.zeros((2, len(self.strategies), 0))  # low and high

    def append(self, results: Steps) -> None:
        """Takes in the steps that follow."""
        found = np.array(self.confidence.update(differences(results)))
        moments = results.first_step + 1 + np.arange(results.steps)
        self.moment = results.stop
        self._keep(np.append(self.moments, moments), np.concatenate([self.intervals, found], 2))
        while len(self.moments) > self.MOST:
            self.stride *= 2
            self._keep(self.moments, self.intervals)

    def _keep(self, moments: Ints, intervals: Floats) -> None:
        chosen = moments % self.stride == 0
        self.moments, self.intervals = moments[chosen], intervals[:, :, chosen]

    def at(self, moment: int, strategy: str) -> tuple[float, float]:
        """Between what the lead of a strategy lies, in points, at a moment or a little before."""
        line = self.strategies.index(strategy)
        if moment >= self.moment:
            low, high = self.confidence.low[line], self.confidence.high[line]
        else:
            place = int(np.searchsorted(self.moments, moment, side="right")) - 1
            low, high = self.intervals[:, line, place] if place >= 0 else (-1.0, 1.0)
        return 100 * float(low), 100 * float(high)
