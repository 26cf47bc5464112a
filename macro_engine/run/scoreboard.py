"""Who got how many rows wrong."""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.contest import Outcome
from macro_engine.rows import Block

STRATEGIES = ("marginal", "no_change", "ftl", "ewa")


class Scoreboard:
    """Errors of every threshold, strategy and baseline over all rows so far."""

    def __init__(self, thresholds: list[float], classes: int) -> None:
        self.thresholds = thresholds
        self.rows = 0
        self.steps = 0
        self.labels = np.zeros(classes, np.int64)  # rows of each class
        self.wrong = dict.fromkeys(STRATEGIES, 0)
        self.threshold_wrong = np.zeros(len(thresholds), np.int64)
        self.subroutines = np.zeros(len(thresholds), np.int64)

    def update(self, block: Block, outcome: Outcome) -> None:
        labels = block.rows.labels
        self.rows += len(labels)
        self.steps += block.steps
        self.labels += np.bincount(labels, minlength=len(self.labels))
        for name, predictions in (
            ("marginal", outcome.family.marginal),
            ("no_change", outcome.no_change),
            ("ftl", outcome.ftl),
            ("ewa", outcome.ewa),
        ):
            self.wrong[name] += int((predictions != labels).sum())
        self.threshold_wrong += (outcome.family.predictions != labels).sum(axis=1)
        self.subroutines = outcome.family.subroutines[:, -1]

    @property
    def errors(self) -> dict[str, float]:
        """Shares of rows, by strategy."""
        return {name: wrong / self.rows for name, wrong in self.wrong.items()}

    @property
    def threshold_errors(self) -> list[float]:
        return [int(wrong) / self.rows for wrong in self.threshold_wrong]
