"""The interface between an ensemble and a family, however the family is computed."""

from __future__ import annotations

from typing import Protocol

from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.algorithm.late_block import LateBlock
from macro_engine.algorithm.learning_subroutines import LearningSubroutines
from macro_engine.core.members import Member
from macro_engine.core.rows import Block, Columns, Floats, Ints, Rows
from macro_engine.core.state import State
from macro_engine.subroutines.parameters import Parameters


class TrialStep(Protocol):
    """The family's choice for a step that is still open.

    `numbers` are the active subroutines of the members, from 1.
    """

    @property
    def numbers(self) -> Ints: ...

    def predict(self, rows: Rows) -> Ints:
        """Predicts rows of the step: one line for each member, the last for the baseline."""

    def fill_probabilities(self, rows: Rows, lines: Floats) -> None:
        """Fills in probabilities, lines by rows by classes, of learners that have them."""

    def finish(self) -> None:
        """Releases resources held outside of Python."""


class AnyFamily(Protocol):
    """The interface of a family, compiled or not."""

    members: tuple[Member, ...]
    classes: int
    step: int

    @property
    def distance_seconds(self) -> float:
        """The time spent on distances."""

    @property
    def reference_count(self) -> int:
        """The number of distinct references."""

    @property
    def unanswered(self) -> int:
        """The number of rows for which an active model gave no answer."""

    @property
    def always_has_probabilities(self) -> bool:
        """Whether its learners always have probabilities."""

    def run(self, block: Block, with_probabilities: bool = False) -> FamilyResult:
        """Runs a block of whole steps: choice, prediction and learning."""

    def look_ahead(self) -> TrialStep:
        """Decides for the next step, without changing the state."""

    def run_late(
        self, late: LateBlock, with_probabilities: bool = False
    ) -> tuple[FamilyResult, LearningSubroutines]:
        """Opens steps and completes others, in the given order."""

    def compile(self) -> None:
        """Switches to compiled loops, if there are any; between two blocks."""

    def finish(self) -> None:
        """Releases resources held outside of Python."""

    def parameters(self, member: int, number: int, columns: Columns) -> Parameters | None:
        """The parameters of a subroutine; None if its learner has none to show."""

    def updates(self, member: int) -> Ints:
        """The number of steps that each subroutine of a member has learned."""

    def state(self) -> State:
        """Returns the complete state."""

    def restore(self, state: State, columns: Columns) -> None:
        """Restores a state; the family must be new."""
