"""Predictions for an open step on the compiled path."""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.compiled_arrays import widened_bank
from macro_engine.algorithm.kernels.arrays import Bank
from macro_engine.algorithm.loops import Loops
from macro_engine.core.rows import Floats, Ints, Rows


class CompiledStep:
    """The choice for a step that is still open: a copy of each learner that predicts it."""

    def __init__(
        self,
        loops: Loops,
        logistic: bool,
        widths: list[int],
        bank: Bank,
        numbers: Ints,
    ) -> None:
        self.loops = loops
        self.logistic = logistic
        self.widths = widths
        self.bank = bank
        self.numbers = numbers  # of the active subroutines, from 1

    def predict(self, rows: Rows) -> Ints:
        """Predicts rows of the step: one line for each member, the last for the baseline."""
        if self.logistic:
            return self._predict(rows, len(self.bank.counts), np.empty((0, 0, 0)))
        self._widen(rows)
        bank, lines, n = self.bank, len(self.bank.counts), len(rows)
        ones = one_hot_columns(rows, self.widths)
        predictions = np.empty((lines, n), np.int64)
        totals = np.empty(bank.counts.shape[1])
        for k in range(lines):
            self.loops.mean_predict(
                bank.weights, bank.counts, k, rows.numbers, ones, 0, n, totals, predictions, k, 0
            )
        return predictions

    def fill_probabilities(self, rows: Rows, lines: Floats) -> None:
        """Fills in probabilities, lines by rows by classes, of learners that have them."""
        if self.logistic:
            self._predict(rows, len(lines), lines)

    def _predict(self, rows: Rows, lines: int, probabilities: Floats) -> Ints:
        self._widen(rows)
        bank, ones, n = self.bank, one_hot_columns(rows, self.widths), len(rows)
        predictions = np.empty((lines, n), np.int64)
        self.loops.logistic_predict(
            bank.weights, bank.intercepts, np.arange(lines), rows.numbers, ones, 0, n,
            np.empty(bank.intercepts.shape), predictions, probabilities, 0,
        )  # fmt: skip
        return predictions

    def finish(self) -> None:
        """Does nothing: there are no resources outside of Python."""

    def _widen(self, rows: Rows) -> None:
        widths = rows.columns.widths
        self.bank, self.widths = widened_bank(self.bank, self.widths, widths), widths


def one_hot_columns(rows: Rows, widths: list[int]) -> Ints:
    """The encoded columns that are 1, rows by categories."""
    ones: Ints = rows.slots + np.cumsum([0, *widths])[1:-1]
    return ones
