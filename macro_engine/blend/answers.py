"""The blend's predictions for the rows of a step, with what learning from the labels needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from macro_engine.blend.shape import BlendShape, Evidence
from macro_engine.blend.tilings import CELLS, TILINGS
from macro_engine.core.rows import Floats, Ints
from macro_engine.core.state import State, array, indices

Cells = NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers to some rows of one step; the state of the blend when they were given.

    Attributes
    ----------
    probabilities
        Q, rows by classes.
    experts
        The experts' probabilities, rows by experts by classes.
    filtered
        Those of the slow and the fast filter, rows by filters by classes.
    cells
        The cell of each tiling, rows by sets by tilings.
    pulls
        How strongly each expert pulls the answer, rows by experts.
    """

    evidence: Evidence
    probabilities: Floats
    experts: Floats
    filtered: Floats
    cells: Cells
    pulls: Floats

    def __len__(self) -> int:
        return len(self.probabilities)

    @property
    def classes(self) -> Ints:
        """The likeliest class of each row, the first on ties."""
        likeliest: Ints = self.probabilities.argmax(axis=1)
        return likeliest

    def to_keep(self) -> KeptAnswers:
        """Returns the part that learning needs."""
        return KeptAnswers(self.experts, self.filtered, self.cells)

    @staticmethod
    def again(evidence: Evidence, kept: KeptAnswers) -> Answers:
        """Answers that were given before, without what learning does not need."""
        nothing = np.empty((len(kept), 0))
        return Answers(evidence, nothing, kept.experts, kept.filtered, kept.cells, nothing)


@dataclass(frozen=True, eq=False)
class KeptAnswers:
    """The part of the answers that learning needs later, without the evidence."""

    experts: Floats
    filtered: Floats
    cells: Cells

    def __len__(self) -> int:
        return len(self.cells)

    @staticmethod
    def none(shape: BlendShape) -> KeptAnswers:
        """Returns answers to no rows."""
        c, e = shape.classes, shape.experts
        cells = np.empty((0, len(shape.tiling_sets), TILINGS), np.uint16)
        return KeptAnswers(np.empty((0, e, c)), np.empty((0, 2, c)), cells)

    def cut(self, start: int, stop: int, starts: Ints) -> KeptAnswers:
        """That of some steps, which begin at `starts` among the rows."""
        a, b = int(starts[start]), int(starts[stop])
        return KeptAnswers(self.experts[a:b], self.filtered[a:b], self.cells[a:b])

    def followed_by(self, later: Sequence[KeptAnswers]) -> KeptAnswers:
        """With that of the steps that follow."""
        parts = (self, *later)
        return KeptAnswers(
            np.concatenate([part.experts for part in parts]),
            np.concatenate([part.filtered for part in parts]),
            np.concatenate([part.cells for part in parts]),
        )

    def state(self) -> State:
        return {"experts": self.experts, "filtered": self.filtered, "cells": self.cells}

    @staticmethod
    def restored(state: State, shape: BlendShape, rows: int) -> KeptAnswers:
        c, e, sets = shape.classes, shape.experts, len(shape.tiling_sets)
        return KeptAnswers(
            array(state, "experts", np.float64, (rows, e, c)),
            array(state, "filtered", np.float64, (rows, 2, c)),
            indices(state, "cells", (rows, sets, TILINGS), CELLS).astype(np.uint16),
        )


@dataclass(frozen=True, eq=False)
class BlendResult:
    """The results of a blend for a block of whole steps.

    Attributes
    ----------
    probabilities
        Q, rows by classes.
    weights
        The shares with which each step was answered: steps by experts and the two filters.
    pulls
        After each step, how strongly each expert pulled of late: steps by experts.
    """

    probabilities: Floats
    weights: Floats
    pulls: Floats

    @property
    def classes(self) -> Ints:
        """The likeliest class of each row, the first on ties."""
        likeliest: Ints = self.probabilities.argmax(axis=1)
        return likeliest
