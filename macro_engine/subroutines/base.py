"""What MACRO asks of a learning algorithm."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from macro_engine.rows import Ints, Rows


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


# Starts a subroutine from scratch, given the names of the classes.
Create = Callable[[tuple[str, ...]], Subroutine]
