"""MACRO for a whole grid of members in one pass over the stream.

Members with the same history share their references: the distance between the present history and
that before step tau is computed once, whichever of them had a birth at tau. The marginal baseline,
which is MACRO at an infinite threshold, runs along; where the grid names infinity, that member is
the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from macro_engine.algorithm.completed_steps import CompletedSteps
from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.algorithm.late_block import LateBlock
from macro_engine.algorithm.learning_subroutines import LearningSubroutines
from macro_engine.algorithm.member_subroutines import (
    FamilySettings,
    FamilyStep,
    MemberChoice,
    MemberSubroutines,
)
from macro_engine.core.members import MARGINAL, Member
from macro_engine.core.rows import Block, Columns, Floats, Ints, Rows
from macro_engine.core.state import State, array, child, children, indices, whole
from macro_engine.discrepancy import Discrepancy
from macro_engine.subroutines import Subroutine
from macro_engine.subroutines.parameters import Parameters


def histories_of(members: Sequence[Member]) -> list[int | None]:
    """Each distinct H of the finite members, in their order; None is all steps.

    The marginal baseline takes its only subroutine however far it is: any history will do for it.
    """
    return list(dict.fromkeys(m.steps for m in members if not m.is_marginal)) or [1]


def with_marginal(members: Sequence[Member]) -> list[Member]:
    """The members, and the marginal baseline at the end unless the grid names it."""
    return [*members] if members[-1].is_marginal else [*members, MARGINAL]


class Family:
    """Runs `Macro` for each member of a grid, and the marginal baseline, side by side.

    Parameters
    ----------
    members
        The grid, in its order.
    classes
        How many classes there are.
    discrepancy, create, columns, power, most
        As for `Macro`.
    """

    def __init__(
        self,
        members: Sequence[Member],
        discrepancy: Discrepancy[Any],
        create: Callable[[], Subroutine],
        columns: Columns,
        classes: int,
        power: float = 0.0,
        most: int | None = None,
    ) -> None:
        self.members = tuple(members)
        self.discrepancy = discrepancy
        self.classes = classes
        self.settings = FamilySettings(create, power, most)
        self.step = 0
        self.histories = histories_of(members)
        # one for each member, and the last is the marginal baseline's
        self.everyone = [
            MemberSubroutines(m.threshold, 0 if m.is_marginal else self.histories.index(m.steps))
            for m in with_marginal(members)
        ]
        # for each history: what was described before the births of its members
        self.references: list[list[Any]] = [[] for _ in self.histories]
        self.distance_seconds = 0.0
        self.completed = CompletedSteps(self.histories, columns)

    @property
    def unanswered(self) -> int:
        """The number of rows for which an active model, or the baseline's, gave no answer."""
        return sum(s.unanswered for member in self.everyone for s in member.subroutines)

    @property
    def always_has_probabilities(self) -> bool:
        """Whether its learners always have probabilities."""
        started = self.everyone[-1].subroutines
        return bool(started) and started[0].always_has_probabilities

    @property
    def reference_count(self) -> int:
        """The number of distinct references."""
        return sum(map(len, self.references))

    def present(self) -> list[tuple[Any, Floats]]:
        """For each history: the present one, described, and its distance to each reference."""
        started = perf_counter()
        found = []
        for history, references in zip(self.histories, self.references, strict=True):
            now = self.discrepancy.describe(self.completed.rows(history))
            found.append((now, self.discrepancy.distances(now, references)))
        self.distance_seconds += perf_counter() - started
        return found

    def open(self) -> FamilyStep:
        """Decide for the step that opens: newborn subroutines are started, and J is fixed."""
        present = self.present()
        choices = self._choices(present)
        for history, (now, _) in enumerate(present):
            newest = len(self.references[history])
            born = False
            for member, choice in zip(self.everyone, choices, strict=True):
                if member.history == history and choice.born:
                    member.add(choice.newborn(self.settings), newest)
                    born = True
            if born:
                self.references[history].append(now)
        self.step += 1
        active = [m.subroutines[c.active] for m, c in zip(self.everyone, choices, strict=True)]
        return FamilyStep(choices, active, self.classes)

    def complete(self, opened: FamilyStep, rows: Rows) -> None:
        """The labels of a step are known; steps are completed in the order of their opening."""
        self._learn(opened.called, rows)

    def run_late(
        self, late: LateBlock, with_probabilities: bool = False
    ) -> tuple[FamilyResult, LearningSubroutines]:
        """Opens steps and completes others, in the given order."""
        opening = late.opening
        result = self._room(opening.steps, len(opening.rows), with_probabilities)
        called = [late.earlier.step(c) for c in range(late.earlier.steps)]
        done = 0
        for s, before in enumerate(late.before.tolist()):
            for c in range(done, before):
                self._learn(called[c], late.step(c))
            done = before
            if s < opening.steps:
                opened = self.open()
                self._say(s, opened, opening, result)
                called.append(opened.called)
        return result, LearningSubroutines.of(called[late.earlier.steps :])

    def look_ahead(self) -> FamilyStep:
        """Decides for the next step, without changing the state."""
        choices = self._choices(self.present())
        active = [
            choice.newborn(self.settings) if choice.born else member.subroutines[choice.active]
            for member, choice in zip(self.everyone, choices, strict=True)
        ]
        return FamilyStep(choices, active, self.classes, is_trial=True)

    def _choices(self, present: list[tuple[Any, Floats]]) -> list[MemberChoice]:
        return [m.choose(present[m.history][1], self.step, self.settings) for m in self.everyone]

    def parameters(self, member: int, number: int, columns: Columns) -> Parameters | None:
        """The parameters of a subroutine; None if its learner has none to show."""
        return self.everyone[member].subroutines[number - 1].parameters(columns)

    def updates(self, member: int) -> Ints:
        """The number of steps that each subroutine of a member has learned."""
        return np.array(self.everyone[member].updates, np.int64)

    def state(self) -> State:
        """Returns the complete state; between two steps."""
        return {
            "step": self.step,
            "completed": self.completed.state(),
            "references": [
                {"of_history": [self.discrepancy.state(r) for r in references]}
                for references in self.references
            ],
            "members": [
                {
                    "references": np.array(m.references, np.int64),
                    "updates": np.array(m.updates, np.int64),
                    "subroutines": [subroutine.state() for subroutine in m.subroutines],
                }
                for m in self.everyone
            ],
        }

    def restore(self, state: State, columns: Columns) -> None:
        """Restores a state; the family must be new."""
        self.step = whole(state, "step")
        self.completed.restore(child(state, "completed"), columns, self.classes)
        self.references = [
            [self.discrepancy.restored(r) for r in children(kept, "of_history")]
            for kept in children(state, "references", len(self.histories))
        ]
        stored_members = children(state, "members", len(self.everyone))
        for member, kept in zip(self.everyone, stored_members, strict=True):
            subroutines = children(kept, "subroutines")
            n, known = len(subroutines), len(self.references[member.history])
            member.references = indices(kept, "references", (n,), known).tolist()
            member.updates = array(kept, "updates", np.int64, (n,)).tolist()
            for stored in subroutines:
                subroutine = self.settings.create()
                subroutine.restore(stored, columns)
                member.subroutines.append(subroutine)

    def compile(self) -> None:
        """It has no loops to compile."""

    def finish(self) -> None:
        """Releases the resources that subroutines hold outside of Python."""
        for member in self.everyone:
            for subroutine in member.subroutines:
                subroutine.finish()

    def run(self, block: Block, with_probabilities: bool = False) -> FamilyResult:
        """Runs a block of whole steps: choice, prediction and learning."""
        result = self._room(block.steps, len(block.rows), with_probabilities)
        for s in range(block.steps):
            opened = self.open()
            self._say(s, opened, block, result)
            self.complete(opened, block.step(s))
        return result

    def _learn(self, called: Sequence[tuple[int, int]], rows: Rows) -> None:
        for m, j in called:
            self.everyone[m].subroutines[j].learn(rows)
            self.everyone[m].updates[j] += 1
        if len(rows) or not self.discrepancy.counts_rows:
            self.completed.append(rows)

    def _room(self, steps: int, rows: int, with_probabilities: bool) -> FamilyResult:
        result = FamilyResult.empty(len(self.members), len(self.everyone), steps, rows)
        if with_probabilities:
            result.probabilities = np.full((len(self.everyone), rows, self.classes), math.nan)
        return result

    def _say(self, s: int, opened: FamilyStep, block: Block, result: FamilyResult) -> None:
        """Predict the rows of a step, and write down what was decided for it."""
        rows, span = block.step(s), slice(int(block.starts[s]), int(block.starts[s + 1]))
        result.predictions[:, span] = opened.predict(rows)
        if result.probabilities is not None:
            opened.fill_probabilities(rows, result.probabilities[:, span])
        self._write_down(s, opened, result)

    def _write_down(self, s: int, opened: FamilyStep, result: FamilyResult) -> None:
        for m, choice in enumerate(opened.choices[: len(self.members)]):
            result.active[m, s] = choice.active + 1
            result.born[m, s] = choice.born
            result.distance[m, s] = choice.distance
            result.close[m, s] = 0 if choice.forced else len(choice.close)
            result.subroutines[m, s] = choice.subroutines
            result.nearest[m, s, : len(choice.nearest)] = choice.nearest + 1
            result.nearest_distances[m, s, : len(choice.nearest)] = choice.nearest_distances
