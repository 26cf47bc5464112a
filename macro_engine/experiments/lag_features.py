"""Lag features for a plain learner: shares of labels over the last closed steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from macro_engine.core.rows import Block, Floats, Ints

WINDOWS = (1, 6, 36)  # steps: ten minutes, an hour and six hours of a day with flights in each


class LagFeatures:
    """Adds numeric columns: the share of each class but the first over the last closed steps.

    0 where there is no closed step yet. No distance compares these columns.
    """

    def __init__(self, classes: int) -> None:
        self.classes = classes
        self.counts = np.zeros((0, classes), np.int64)  # of the newest steps, by class

    def widen(self, block: Block) -> Block:
        """The block with these columns; blocks must come in their order."""
        if not block.steps:
            return block
        rows = block.rows
        of_steps = self._counted(rows.labels, block.starts)
        known = np.concatenate([self.counts, of_steps])
        shares = self._shares(known, len(self.counts))
        self.counts = known[-max(WINDOWS) :]
        added = np.repeat(shares, np.diff(block.starts), axis=0)
        columns = rows.columns
        wider = replace(
            columns,
            numbers=(*columns.numbers, *self.names()),
            made_numbers=columns.made_numbers + added.shape[1],
        )
        numbers = np.concatenate([rows.numbers, added], axis=1)
        return replace(block, rows=replace(rows, numbers=numbers, columns=wider, units=None))

    def names(self) -> list[str]:
        return [f"lag {window}, class {c}" for window in WINDOWS for c in range(1, self.classes)]

    def _counted(self, labels: Ints, starts: Ints) -> Ints:
        step = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        counts = np.zeros((len(starts) - 1, self.classes), np.int64)
        np.add.at(counts, (step, labels), 1)
        return counts

    def _shares(self, known: Ints, first: int) -> Floats:
        """For each step from one on: the shares over the windows before it."""
        before = np.concatenate([np.zeros((1, self.classes), np.int64), np.cumsum(known, axis=0)])
        steps = np.arange(first, len(known))
        parts = []
        for window in WINDOWS:
            counts = before[steps] - before[np.maximum(steps - window, 0)]
            rows = np.maximum(counts.sum(axis=1, keepdims=True), 1)
            parts.append((counts / rows)[:, 1:])
        return np.concatenate(parts, axis=1)
