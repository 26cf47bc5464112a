"""What MACRO asks of a learning algorithm."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from macro_engine.errors import UsageError
from macro_engine.rows import Floats, Ints, Rows


class Subroutine(ABC):
    """An online learner with a current hypothesis.

    `unanswered` counts the rows for which the model had no answer; the first class stood in.
    """

    unanswered = 0

    @abstractmethod
    def predict(self, rows: Rows) -> Ints:
        """The class index that the output hypothesis gives each row. Changes nothing it learnt."""

    @abstractmethod
    def learn(self, rows: Rows) -> None:
        """Learn the rows of one step, in their order."""

    @abstractmethod
    def copy(self) -> Subroutine:
        """A newborn that starts from what this one knows and shares nothing with it afterwards."""

    def running_mean(self) -> RunningMean:
        """An empty mean of this learner's hypotheses, where a mean of them makes sense."""
        raise UsageError(
            "--output average needs hypotheses that can be averaged: logistic, erm or "
            "nearest-mean; take one of them, or --output score"
        )

    def finish(self) -> None:  # noqa: B027
        """Give back what is held outside of Python; nothing is asked of it afterwards."""


class RunningMean(ABC):
    """The mean of a learner's hypotheses so far: m += (h_i - m) / i."""

    @abstractmethod
    def add(self) -> None:
        """Take in the hypothesis that the learner has now."""

    @abstractmethod
    def predict(self, rows: Rows) -> Ints:
        """The class index that the mean gives each row."""


# Starts a subroutine from scratch, given the names of the classes.
Create = Callable[[tuple[str, ...]], Subroutine]


def widened(values: Floats, before: list[int], after: list[int]) -> Floats:
    """Values by encoded columns, with zeros for the columns that have appeared since.

    `before` and `after` are the widths of the parts in which the columns stand; new columns come
    at the end of a part.
    """
    if before == after:
        return values
    wider = np.zeros((*values.shape[:-1], sum(after)))
    old = new = 0
    for width, now in zip(before, after, strict=True):
        wider[..., new : new + width] = values[..., old : old + width]
        old, new = old + width, new + now
    return wider
