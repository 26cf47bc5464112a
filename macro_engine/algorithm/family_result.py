"""What a family gives for a block of steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.declared import Array, Declared, Indices
from macro_engine.core.rows import Bools, Counts, Floats, Ints
from macro_engine.core.steps import NEAREST


@dataclass(eq=False)
class FamilyResult:
    """What a family did in a block; members first, in their order, then rows or steps.

    Attributes
    ----------
    predictions
        Class indices by rows. The last line is the marginal baseline's, whether it is a member of
        the grid or not.
    probabilities
        The same lines by rows by classes, NaN in rows of which a learner only names the class;
        None where nobody asked for them.
    active
        The number of the active subroutine, from 1.
    born
        Whether it was started for the step.
    distance
        Its M; NaN at a birth.
    close
        |J|, 1 at a birth, 0 where the closest had to stand in because no more may be started.
    subroutines
        How many there are, after a birth.
    nearest, nearest_distances
        Members by steps by 5: the subroutines with the smallest M before a birth, nearest first
        and 0 where there are fewer, and about 7 digits of M. A negative M says that it is at least
        so much: the compiled path need not compute what is beyond all thresholds.
    """

    predictions: Counts
    probabilities: Floats | None
    active: Ints
    born: Bools
    distance: Floats
    close: Ints
    subroutines: Ints
    nearest: NDArray[np.int32]
    nearest_distances: NDArray[np.float32]

    remembers: ClassVar = Declared(  # but for probabilities
        Indices("predictions", ("lines", "rows"), below="classes"),
        Indices("active", ("members", "steps")),
        Array("born", np.bool_, ("members", "steps"), shared=True),
        Array("distance", np.float64, ("members", "steps"), shared=True),
        Indices("close", ("members", "steps")),
        Indices("subroutines", ("members", "steps")),
        Indices("nearest", ("members", "steps", NEAREST), below=1 << 31),
        Array("nearest_distances", np.float32, ("members", "steps", NEAREST), shared=True),
    )

    @staticmethod
    def empty(members: int, lines: int, steps: int, rows: int) -> FamilyResult:
        """Room for the results of so many steps and rows, without probabilities."""
        return FamilyResult(
            predictions=np.empty((lines, rows), np.int64),
            probabilities=None,
            active=np.empty((members, steps), np.int64),
            born=np.empty((members, steps), np.bool_),
            distance=np.empty((members, steps)),
            close=np.empty((members, steps), np.int64),
            subroutines=np.empty((members, steps), np.int64),
            nearest=np.zeros((members, steps, NEAREST), np.int32),
            nearest_distances=np.full((members, steps, NEAREST), math.nan, np.float32),
        )

    @staticmethod
    def join(parts: Sequence[FamilyResult]) -> FamilyResult:
        """Results of steps that follow each other, as one, without probabilities."""

        def along(name: str) -> Any:
            return np.concatenate([getattr(part, name) for part in parts], axis=1)

        names = ("active", "born", "distance", "close", "subroutines", "nearest")
        found = {name: along(name) for name in (*names, "nearest_distances")}
        return FamilyResult(predictions=along("predictions"), probabilities=None, **found)

    def cut(self, start: int, stop: int, starts: Ints) -> FamilyResult:
        """Those of some of the steps, which begin at `starts` among the rows."""
        a, b = int(starts[start]), int(starts[stop])
        return FamilyResult(
            self.predictions[:, a:b],
            None if self.probabilities is None else self.probabilities[:, a:b],
            self.active[:, start:stop],
            self.born[:, start:stop],
            self.distance[:, start:stop],
            self.close[:, start:stop],
            self.subroutines[:, start:stop],
            self.nearest[:, start:stop],
            self.nearest_distances[:, start:stop],
        )

    @property
    def marginal(self) -> Counts:
        """What the marginal baseline predicts, by rows."""
        line: Counts = self.predictions[-1]
        return line

    @property
    def members(self) -> Counts:
        """What the members predict, by rows."""
        lines: Counts = self.predictions[: len(self.active)]
        return lines
