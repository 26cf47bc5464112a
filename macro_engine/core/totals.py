"""Sums over all steps before a moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from macro_engine.core.declared import Array, Declared, Integer
from macro_engine.core.names import Names
from macro_engine.core.rows import Floats, Ints
from macro_engine.core.tally import numbers


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over all steps before some moment.

    Attributes
    ----------
    wrong
        Rows that each predictor got wrong.
    losses
        The summed losses of each member, by which strategies choose.
    sums
        Those of `Tally`.
    """

    names: Names
    rows: int
    wrong: Ints
    losses: Floats
    sums: Floats

    remembers: ClassVar = Declared(
        Integer("rows"),
        Array("wrong", np.int64, ("predictors",), low=0, shared=True),
        Array("losses", np.float64, ("members",), shared=True),
        Array("sums", np.float64, ("sums",), shared=True),
    )

    @staticmethod
    def nothing(names: Names) -> Totals:
        wrong, losses = np.zeros(names.predictors, np.int64), np.zeros(len(names.members))
        return Totals(names, 0, wrong, losses, np.zeros(numbers(names)))

    @staticmethod
    def lengths(names: Names) -> dict[str, int]:
        """Those of the arrays, by the names of their axes."""
        return {
            "members": len(names.members),
            "predictors": names.predictors,
            "sums": numbers(names),
        }
