"""The interface of a learner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from macro_engine.core.declared import Field, Lengths
from macro_engine.core.errors import UsageError
from macro_engine.core.rows import Columns, Floats, Ints, Rows
from macro_engine.core.state import DamagedError, State
from macro_engine.subroutines.parameters import Parameters


class Subroutine(ABC):
    """An online learner with a current hypothesis.

    `unanswered` counts the rows for which the model gave no answer; they get the first class.
    `always_has_probabilities` says that `probabilities` never returns None.
    """

    unanswered = 0
    always_has_probabilities = False

    @abstractmethod
    def predict(self, rows: Rows) -> Ints:
        """Returns the class index of each row, by the output hypothesis; does not learn."""

    def probabilities(self, rows: Rows) -> Floats | None:  # noqa: ARG002
        """Returns probabilities, rows by classes; None for a learner that has none."""
        return None

    @abstractmethod
    def learn(self, rows: Rows) -> None:
        """Learns the rows of one step, in their order."""

    @abstractmethod
    def copy(self) -> Subroutine:
        """Returns an independent copy, which starts from the same hypothesis."""

    def running_mean(self) -> RunningMean:
        """Returns an empty mean of this learner's hypotheses, if they can be averaged."""
        raise UsageError(
            "--output average needs hypotheses that can be averaged: logistic, erm or "
            "nearest-mean; take one of them, or --output score"
        )

    def parameters(self, columns: Columns) -> Parameters | None:  # noqa: ARG002
        """Returns the parameters for display; None if the learner has none to show."""
        return None

    def state(self) -> State:
        """Returns everything learned, if the learner can be stored."""
        raise NotImplementedError

    def restore(self, state: State, columns: Columns) -> None:
        """Restores a state; `columns` are those known by now."""
        raise NotImplementedError

    def finish(self) -> None:  # noqa: B027
        """Releases resources held outside of Python; the learner is not used afterwards."""


class RunningMean(ABC):
    """The mean of a learner's hypotheses so far: m += (h_i - m) / i."""

    @abstractmethod
    def add(self) -> None:
        """Adds the learner's current hypothesis."""

    @abstractmethod
    def predict(self, rows: Rows) -> Ints:
        """Returns the class index of each row, by the mean."""

    def probabilities(self, rows: Rows) -> Floats | None:  # noqa: ARG002
        """As for the learner."""
        return None

    @abstractmethod
    def state(self) -> State:
        """The mean so far."""

    @abstractmethod
    def restore(self, state: State, columns: Columns) -> None:
        """Restores a state."""


# Starts a subroutine from scratch, given the names of the classes.
Create = Callable[[tuple[str, ...]], Subroutine]


def widened(values: Floats, before: list[int], after: list[int]) -> Floats:
    """Values by encoded columns, with zeros for the columns that have appeared since.

    `before` and `after` are the widths of the parts in which the columns stand; new columns come
    at the end of a part.
    """
    if before == after:
        return values
    if any(width > now for width, now in zip(before, after, strict=True)):
        raise ValueError("encoded columns never disappear")
    wider = np.zeros((*values.shape[:-1], sum(after)))
    old = new = 0
    for width, now in zip(before, after, strict=True):
        wider[..., new : new + width] = values[..., old : old + width]
        old, new = old + width, new + now
    return wider


@dataclass(frozen=True)
class Widths(Field):
    """The widths of the parts in which a learner's columns stand; none before it saw any.

    Their sum is the length `columns`.

    Parameters
    ----------
    before
        The widths of parts that stand in front of the columns.
    """

    name: str
    before: tuple[int, ...] = ()
    optional: bool = False

    def taken(self, state: State, lengths: Lengths) -> list[int]:
        widths = state.get(self.name)
        if not isinstance(widths, list) or not all(type(n) is int and n >= 0 for n in widths):
            raise DamagedError(f"in its state '{self.name}' is not a list of widths")
        lengths["columns"] = sum(widths or self.before)
        return widths

    def check(self, widths: list[int], columns: Columns) -> None:
        """Refuse widths that are not those of columns which are known."""
        known = [*self.before, *columns.widths]
        if widths and (
            len(widths) != len(known)
            or any(width > most for width, most in zip(widths, known, strict=True))
        ):
            raise DamagedError("in its state the widths of a learner are out of range")
