"""The interface of a distance between histories.

The paper bounds the discrepancy between the distributions at two moments by a distance between
what preceded them: M = D(history(t), history(tau)).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.checked import class_of
from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.plugins import is_own
from macro_engine.core.rows import Floats, Rows
from macro_engine.core.state import State

Description = TypeVar("Description")


class Discrepancy(ABC, Generic[Description]):
    """A distance between two histories.

    `describe` runs once for each history, and `between` compares two descriptions, so that a
    reference is not described again for each comparison.

    Attributes
    ----------
    counts_rows
        Whether H counts rows instead of steps: the newest rows of the last H steps that have
        labelled rows.
    """

    counts_rows: ClassVar[bool] = False

    @abstractmethod
    def describe(self, history: Rows) -> Description:
        """Returns an immutable description of a history, for `between`."""

    @abstractmethod
    def between(self, now: Description, reference: Description) -> float:
        """Returns D(S, T), given the descriptions of S and T."""

    def distances(self, now: Description, references: Sequence[Description]) -> Floats:
        """D(S, T) for several T; checked, unless the distance is this program's own."""
        found = np.array([self.between(now, reference) for reference in references])
        if not is_own(type(self)):
            check_distances(class_of(self), found, len(references))
        return found

    def grow(self, classes: int) -> None:
        """Sets a larger number of classes; the caller then describes all histories again.

        Only the estimator calls it.
        """

    @abstractmethod
    def state(self, description: Description) -> State:
        """Returns a description as a state to store."""

    @abstractmethod
    def restored(self, state: State) -> Description:
        """Returns the description that was stored."""


def check_distances(who: str, found: NDArray[Any], references: int) -> None:
    """Refuse what is no distance."""
    if found.shape != (references,) or found.dtype.kind not in "biuf":
        raise MacroError(f"the distance {who} gives no number")
    for wrong in found[~(found >= 0)][:1]:
        raise MacroError(
            f"the distance {who} gives {wrong}, where a number from 0, or infinity, is expected"
        )


def require_numeric_columns(distance: str, columns: int) -> None:
    """Raises `UsageError` if a distance over numeric columns has none to compare."""
    if columns == 0:
        raise UsageError(
            f"the distance '{distance}' needs at least one numeric column; "
            "name some with --features or take --distance labels"
        )
