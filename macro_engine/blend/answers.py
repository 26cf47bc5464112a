"""What is said of the rows of a step, and all that learning from their labels needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from macro_engine.blend.shape import BlendShape, Evidence
from macro_engine.blend.tilings import CELLS, TILINGS
from macro_engine.core.rows import SLOTS, Floats, Ints
from macro_engine.core.state import State, array, child, indices

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

    def state(self) -> State:
        """For a step whose labels are awaited."""
        given = self.evidence
        return {
            "evidence": {
                "numbers": given.numbers,
                "units": given.units,
                "codes": given.codes,
                "marginal": given.marginal,
                "unchanged": given.unchanged,
                "members": given.members,
            },
            "probabilities": self.probabilities,
            "experts": self.experts,
            "filtered": self.filtered,
            "cells": self.cells.astype(np.int64),
            "pulls": self.pulls,
        }

    @staticmethod
    def restored(state: State, shape: BlendShape) -> Answers:
        c, e = shape.classes, shape.experts
        probabilities = array(state, "probabilities", np.float64, (None, c))
        n = len(probabilities)
        return Answers(
            _evidence(child(state, "evidence"), shape, n),
            probabilities,
            array(state, "experts", np.float64, (n, e, c)),
            array(state, "filtered", np.float64, (n, 2, c)),
            indices(state, "cells", (n, len(shape.plans), TILINGS), CELLS).astype(np.uint16),
            array(state, "pulls", np.float64, (n, e)),
        )


@dataclass(frozen=True, eq=False)
class BlendResult:
    """What a blend did in a block of whole steps.

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


def _evidence(state: State, shape: BlendShape, rows: int) -> Evidence:
    c = shape.classes
    return Evidence(
        array(state, "numbers", np.float64, (rows, shape.numbers)),
        array(state, "units", np.float64, (rows, shape.units)),
        indices(state, "codes", (rows, shape.categories), SLOTS),
        array(state, "marginal", np.float64, (rows, c)),
        array(state, "unchanged", np.float64, (rows, c)),
        array(state, "members", np.float64, (shape.members, rows, c)),
    )
