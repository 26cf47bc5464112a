"""Detects leaks: columns that determine the label, which are often known only after it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from macro_engine.core.rows import Bools, Floats, Ints
from macro_engine.stream.table import MISSING, Column

CERTAIN, LIKELY = 1 - 1e-9, 0.98  # shares of the label that are told
_LEAST_ROWS = 10  # of a class
_LEAST_RUNS = 10  # of equal labels in succession: else any trend tells the label
_ROWS_A_VALUE = 10
_LEAST_MISSING = 3  # labels by which it is judged what comes with them


class LabelSample:
    """The labels of the first rows; `is_enough` says whether they allow a judgement."""

    def __init__(self, labels: Sequence[str], is_known: Bools) -> None:
        names, codes = np.unique(np.array(labels, object).astype(str), return_inverse=True)
        counts = np.bincount(codes[is_known], minlength=len(names))
        common = np.flatnonzero(counts >= _LEAST_ROWS)
        self.is_known = is_known
        self.taken: Bools = is_known & np.isin(codes, common)
        self.codes: Ints = np.searchsorted(common, codes[self.taken])
        self.sizes: Ints = counts[common]
        runs = 1 + np.count_nonzero(np.diff(self.codes))
        self.is_enough = len(common) >= 2 and runs >= _LEAST_RUNS

    def told_by_texts(self, column: Column) -> float:
        """The mean over classes of the share that the column's values tell."""
        return self._by_value(np.array(column.texts(), object).astype(str)[self.taken])

    def is_copied_by(self, column: Column) -> bool:
        """Whether numbers are the label in other words: one value a class, or there or missing."""
        texts = np.array(column.texts(), object).astype(str)[self.taken]
        is_missing = np.isin(texts, list(MISSING))
        has_few = len(np.unique(texts)) <= len(self.sizes)
        return max(self._by_value(texts) if has_few else 0.0, self._by_value(is_missing)) >= CERTAIN

    def is_missing_with(self, column: Column) -> bool:
        """Whether a column is missing where the label is, and nowhere else: it came with it."""
        is_missing = np.isin(np.array(column.texts(), object).astype(str), list(MISSING))
        is_known = self.is_known
        return (~is_known).sum() >= _LEAST_MISSING and bool((is_missing == ~is_known).all())

    def told_by_numbers(self, column: Column) -> float:
        """The same where a value is told by a limit, by its value, or by being missing."""
        numbers, problems = column.numbers()
        is_there = np.ones(len(numbers), np.bool_)
        is_there[list(problems)] = False
        numbers, is_there = numbers[self.taken], is_there[self.taken]
        told = self._by_value(np.where(is_there, numbers, np.inf))
        if not is_there.all():
            return max(told, self._by_value(is_there))
        return max(told, self._by_limits(numbers))

    def _by_value(self, values: npt.NDArray[np.generic]) -> float:
        found, places = np.unique(values, return_inverse=True)
        if len(found) * _ROWS_A_VALUE > len(values):
            return 0.0
        counts = np.zeros((len(found), len(self.sizes)))
        np.add.at(counts, (places, self.codes), 1)
        return float((counts / self.sizes).max(axis=1).sum() / len(self.sizes))

    def _by_limits(self, numbers: Floats) -> float:
        """Two classes: by the best limit; more: whether each has a range of its own."""
        order = np.argsort(numbers, kind="stable")
        numbers, codes = numbers[order], self.codes[order]
        ends = np.flatnonzero(np.diff(numbers, append=np.inf))  # of equal numbers
        if len(self.sizes) > 2:
            lows = [numbers[codes == c][0] for c in range(len(self.sizes))]
            highs = [numbers[codes == c][-1] for c in range(len(self.sizes))]
            by_low = np.argsort(lows)
            apart = np.array(highs)[by_low][:-1] < np.array(lows)[by_low][1:]
            return float(apart.all())
        below = np.stack([np.cumsum(codes == c)[ends] / self.sizes[c] for c in (0, 1)])
        told = (1 + below[0] - below[1]) / 2
        return float(max(told.max(), 1 - told.min()))
