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
        """What each member, and in the last line the baseline, says of rows of the step."""

    def fill_probabilities(self, rows: Rows, lines: Floats) -> None:
        """Set lines by rows by classes, where the learners have probabilities."""

    def finish(self) -> None:
        """Give back what is held outside of Python."""


class AnyFamily(Protocol):
    """A family, whichever way it is computed."""

    members: tuple[Member, ...]
    classes: int
    step: int

    @property
    def distance_seconds(self) -> float:
        """What distances have cost."""

    @property
    def reference_count(self) -> int:
        """How many distinct references there are."""

    @property
    def unanswered(self) -> int:
        """For how many rows an active model had no answer."""

    @property
    def always_has_probabilities(self) -> bool:
        """Whether its learners always give probabilities, so that none need be earned."""

    def run(self, block: Block, with_probabilities: bool = False) -> FamilyResult:
        """Take a block of whole steps through choice, prediction and learning."""

    def look_ahead(self) -> TrialStep:
        """Choose for the step that opens next, and change nothing."""

    def run_late(
        self, late: LateBlock, with_probabilities: bool = False
    ) -> tuple[FamilyResult, LearningSubroutines]:
        """Open steps while others are completed, in the order that is asked for."""

    def compile(self) -> None:
        """Go over to compiled loops, where there are any; between two blocks."""

    def finish(self) -> None:
        """Give back what is held outside of Python."""

    def parameters(self, member: int, number: int, columns: Columns) -> Parameters | None:
        """The parameters of a subroutine, where its learner can tell."""

    def updates(self, member: int) -> Ints:
        """How many steps each subroutine of a member has learned."""

    def state(self) -> State:
        """All that must be remembered to go on."""

    def restore(self, state: State, columns: Columns) -> None:
        """Go on from a state; the family must be new."""
