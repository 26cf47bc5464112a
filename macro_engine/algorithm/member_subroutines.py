"""The subroutines of one member of a family, and its decision for a step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from macro_engine.algorithm.macro import threshold_at
from macro_engine.core.checked import check_predictions, check_probabilities, class_of
from macro_engine.core.plugins import is_own
from macro_engine.core.rows import Floats, Ints, Rows
from macro_engine.core.steps import NEAREST
from macro_engine.subroutines import Subroutine


@dataclass(frozen=True)
class FamilySettings:
    """The settings common to all members of a family; as for `Macro`."""

    create: Callable[[], Subroutine]
    power: float = 0.0
    most: int | None = None


@dataclass(frozen=True, eq=False)
class MemberChoice:
    """The decision of one member for a step; subroutines are counted from 0.

    Attributes
    ----------
    active, close, born, forced
        As in `Choice`; a newborn has the next number.
    distance
        M of the active one; NaN at a birth.
    nearest, nearest_distances
        The subroutines with the smallest M before a birth, nearest first.
    known
        How many subroutines there were before a birth.
    parent
        At a birth, the subroutine that is copied; None for the very first one.
    """

    active: int
    close: Ints
    born: bool
    forced: bool
    distance: float
    nearest: Ints
    nearest_distances: Floats
    known: int
    parent: Subroutine | None

    @property
    def subroutines(self) -> int:
        """The number of subroutines, after a birth."""
        return self.known + self.born

    def newborn(self, settings: FamilySettings) -> Subroutine:
        return settings.create() if self.parent is None else self.parent.copy()


class MemberSubroutines:
    """The subroutines of one member, and where their references stand.

    Parameters
    ----------
    threshold
        The paper's epsilon.
    history
        The index of the member's history, whose references its subroutines have.
    """

    def __init__(self, threshold: float, history: int) -> None:
        self.threshold = threshold
        self.history = history
        self.subroutines: list[Subroutine] = []
        self.references: list[int] = []
        self.updates: list[int] = []  # steps that each has learned

    def choose(self, distances: Floats, step: int, settings: FamilySettings) -> MemberChoice:
        """Decide for a step, given the distance to each reference; changes nothing."""
        mine = distances[self.references]
        nearest = np.argsort(mine, kind="stable")[:NEAREST]
        close = np.flatnonzero(mine <= threshold_at(step, self.threshold, settings.power))
        is_full = len(mine) == settings.most
        born = len(close) == 0 and not is_full
        forced = len(close) == 0 and is_full
        parent = None
        if born:
            parent = self.subroutines[mine.argmin()] if len(mine) else None
            active, distance = len(mine), math.nan
            close = np.array([active])
        else:
            if forced:
                close = np.array([mine.argmin()])
            active = int(close[mine[close].argmin()])
            distance = float(mine[active])
        return MemberChoice(
            active, close, born, forced, distance, nearest, mine[nearest], len(mine), parent
        )

    def add(self, newborn: Subroutine, reference: int) -> None:
        self.subroutines.append(newborn)
        self.references.append(reference)
        self.updates.append(0)


class FamilyStep:
    """A step that has opened: what each member decided for it, and who predicts.

    Parameters
    ----------
    choices
        One for each member, and the last is the marginal baseline's.
    active
        The subroutine of each that predicts.
    classes
        How many classes there are.
    is_trial
        The step is only looked at: newborn subroutines are nobody's, and rows without an answer
        are not counted.
    """

    def __init__(
        self,
        choices: Sequence[MemberChoice],
        active: Sequence[Subroutine],
        classes: int,
        is_trial: bool = False,
    ) -> None:
        self.choices = choices
        self.active = active
        self.classes = classes
        self.is_trial = is_trial

    @property
    def numbers(self) -> Ints:
        """The active subroutine of each, from 1."""
        return np.array([choice.active + 1 for choice in self.choices])

    @property
    def called(self) -> list[tuple[int, int]]:
        """J: the pairs of member and subroutine, from 0, that learn the step."""
        return [(m, int(j)) for m, choice in enumerate(self.choices) for j in choice.close]

    def predict(self, rows: Rows) -> Ints:
        """Predicts rows of the step: one line for each member, the last for the baseline."""
        said = []
        for subroutine in self.active:
            before = subroutine.unanswered
            said.append(subroutine.predict(rows))
            if not is_own(type(subroutine)):
                who = f"the learner {class_of(subroutine)}"
                check_predictions(who, said[-1], len(rows), self.classes)
            if self.is_trial:
                subroutine.unanswered = before
        return np.array(said)

    def fill_probabilities(self, rows: Rows, lines: Floats) -> None:
        """Fills in probabilities, lines by rows by classes, of learners that have them."""
        for line, subroutine in zip(lines, self.active, strict=True):
            found = subroutine.probabilities(rows)
            if found is None:
                continue
            if not is_own(type(subroutine)):
                who = f"the learner {class_of(subroutine)}"
                check_probabilities(who, found, len(rows), self.classes)
            line[:] = found

    def finish(self) -> None:
        """Releases the resources that the newborns of a trial hold outside of Python."""
        for choice, subroutine in zip(self.choices, self.active, strict=True):
            if self.is_trial and choice.born:
                subroutine.finish()
