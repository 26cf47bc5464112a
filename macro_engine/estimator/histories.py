"""Histories and references of distances that Python compares between steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from macro_engine.algorithm.completed_steps import CompletedSteps
from macro_engine.core.rows import Columns, Ints, Rows
from macro_engine.discrepancy import DISTANCES, Discrepancy, Shape
from macro_engine.estimator.arena import Arena
from macro_engine.estimator.kernels import parts


class Histories:
    """The completed steps, and what histories looked like before births.

    Parameters
    ----------
    discrepancy
        D.
    lengths
        Each H; None for all steps.
    """

    def __init__(self, discrepancy: Discrepancy[Any], lengths: Sequence[int | None]) -> None:
        self.discrepancy = discrepancy
        self.lengths = lengths
        self.columns = Columns(())
        self.completed = CompletedSteps(lengths, self.columns)
        self.now = [self.completed.rows(length) for length in lengths]
        self.references: list[list[Rows]] = [[] for _ in lengths]
        self.described: list[list[Any]] = [[] for _ in lengths]

    def grow(self, names: Sequence[str], classes: int) -> None:
        """Adds new columns and classes, and describes all references again."""
        if hasattr(self.discrepancy, "classes"):
            self.discrepancy.classes = classes
        columns = self.columns = Columns(tuple(names))
        self.completed.relaid(columns)
        self.now = [rows.relaid(columns) for rows in self.now]
        self.references = [[rows.relaid(columns) for rows in kept] for kept in self.references]
        self.described = [list(map(self.discrepancy.describe, kept)) for kept in self.references]

    def close(self, step: Rows, references: Ints) -> None:
        """Take in a completed step; so many references has each history with its births."""
        if step.columns.numbers != self.columns.numbers:
            self.grow(step.columns.numbers, getattr(self.discrepancy, "classes", 0))
        for h, rows in enumerate(self.now):
            if references[h] > len(self.references[h]):
                self.freeze(h, rows)
        self.completed.append(step)
        self.now = [self.completed.rows(length) for length in self.lengths]

    def freeze(self, h: int, rows: Rows) -> None:
        self.references[h].append(rows)
        self.described[h].append(self.discrepancy.describe(rows))

    def compare(self, arena: Arena) -> None:
        """The distance of the present history to each reference, histories by references."""
        distances = arena.part(parts.DISTANCE)
        for h, rows in enumerate(self.now):
            now = self.discrepancy.describe(rows)
            described = self.described[h]
            distances[h, : len(described)] = self.discrepancy.distances(now, described)


def histories_for(distance: str, lengths: Sequence[int | None], empty_class: str) -> Histories:
    """Those that a distance needs, before any class is known."""
    shape = Shape(0, 1, lengths[0], False, empty_class)
    if distance == "features":
        from macro_engine.estimator.feature_histories import FeatureHistories

        return FeatureHistories(lengths, empty_class)
    return Histories(DISTANCES[distance].create(shape), lengths)
