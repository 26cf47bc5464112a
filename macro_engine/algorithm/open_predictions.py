"""What everyone says of rows whose labels are not known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.names import Names
from macro_engine.core.rows import Counts


@dataclass(frozen=True, eq=False)
class OpenPredictions:
    """What everyone says of rows of an open step.

    Attributes
    ----------
    predictions, probabilities
        As in `Steps`.
    member, active
        As `Steps.shown_members`, and the number of its active subroutine.
    """

    names: Names
    predictions: Counts
    probabilities: NDArray[np.float32] | None
    member: int
    active: int
