"""MACRO for a whole grid of thresholds in one pass over the stream.

The thresholds share their references: the distance between the present history and that before
step tau is computed once, whichever thresholds had a birth at tau. The marginal baseline, which is
MACRO at an infinite threshold, runs along.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.algorithm.learnt import Learnt
from macro_engine.algorithm.macro import threshold_at
from macro_engine.algorithm.past import Past
from macro_engine.discrepancy import Discrepancy
from macro_engine.rows import Block, Bools, Columns, Floats, Ints, Rows
from macro_engine.state import State, array, child, children, indices, whole
from macro_engine.subroutines import Subroutine

NEAREST = 5  # how many of the nearest subroutines are told


@dataclass(frozen=True, eq=False)
class FamilyResult:
    """What a family did in a block; thresholds first, in rising order, then rows or steps.

    Attributes
    ----------
    predictions, marginal
        Class indices: thresholds by rows, and by rows for the marginal baseline.
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
        Thresholds by steps by 5: the subroutines with the smallest M before a birth, nearest first
        and 0 where there are fewer, and about 7 digits of M. A negative M says that it is at least
        so much: the compiled path need not compute what is beyond all thresholds.
    """

    predictions: Ints
    marginal: Ints
    active: Ints
    born: Bools
    distance: Floats
    close: Ints
    subroutines: Ints
    nearest: NDArray[np.int32]
    nearest_distances: NDArray[np.float32]


@dataclass(frozen=True)
class Rules:
    """What holds for every threshold of a family; as for `Macro`."""

    create: Callable[[], Subroutine]
    power: float = 0.0
    most: int | None = None


class Member:
    """One threshold of the family: its subroutines, and where their references stand."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self.subroutines: list[Subroutine] = []
        self.references: list[int] = []
        self.updates: list[int] = []  # steps that each has learnt
        self.close: Ints = np.empty(0, np.int64)
        self.active = -1
        self.born = self.forced = False
        self.distance = math.nan
        self.nearest: Ints = np.empty(0, np.int64)
        self.nearest_distances: Floats = np.empty(0)

    def copy(self) -> Member:
        """One that may choose for itself; the subroutines are the same."""
        member = Member(self.threshold)
        member.subroutines = list(self.subroutines)
        member.references = list(self.references)
        member.updates = list(self.updates)
        return member

    def choose(self, distances: Floats, step: int, newest: int, rules: Rules) -> None:
        """Decide for the step that opens, given the distance to each shared reference.

        A newborn's reference is the shared one numbered `newest`.
        """
        mine = distances[self.references]
        self.nearest = np.argsort(mine, kind="stable")[:NEAREST]
        self.nearest_distances = mine[self.nearest]
        self.close = np.flatnonzero(mine <= threshold_at(step, self.threshold, rules.power))
        full = len(mine) == rules.most
        self.born = len(self.close) == 0 and not full
        self.forced = len(self.close) == 0 and full
        if self.born:
            parent = self.subroutines[mine.argmin()] if len(mine) else None
            self.subroutines.append(rules.create() if parent is None else parent.copy())
            self.references.append(newest)
            self.updates.append(0)
            self.active = len(mine)
            self.close = np.array([self.active])
            self.distance = math.nan
            return
        if self.forced:
            self.close = np.array([mine.argmin()])
        self.active = int(self.close[mine[self.close].argmin()])
        self.distance = float(mine[self.active])


class FamilyAhead:
    """The choice for a step that is still open, made by copies of the members."""

    def __init__(self, trials: Sequence[Member]) -> None:
        self.trials = trials

    def predict(self, rows: Rows) -> Ints:
        """What each threshold, and in the last line the baseline, says of rows of the step."""
        said = []
        for trial in self.trials:
            active = trial.subroutines[trial.active]
            before = active.unanswered
            said.append(active.predict(rows))
            active.unanswered = before  # counted when the step closes
        return np.array(said)

    def finish(self) -> None:
        """Give back what the newborn hold outside of Python."""
        for trial in self.trials:
            if trial.born:
                trial.subroutines[trial.active].finish()


class Family:
    """Runs `Macro` for each of several thresholds, and the marginal baseline, side by side.

    Parameters
    ----------
    thresholds
        The grid, rising.
    discrepancy, history, create, columns, power, most
        As for `Macro`.
    """

    def __init__(
        self,
        thresholds: Sequence[float],
        discrepancy: Discrepancy[Any],
        history: int | None,
        create: Callable[[], Subroutine],
        columns: Columns,
        power: float = 0.0,
        most: int | None = None,
    ) -> None:
        self.discrepancy = discrepancy
        self.rules = Rules(create, power, most)
        self.step = 0
        self.members = [Member(threshold) for threshold in thresholds]
        self.marginal = Member(math.inf)
        self.references: list[Any] = []
        self.distance_seconds = 0.0
        self.past = Past(history, columns)

    @property
    def unanswered(self) -> int:
        """For how many rows an active model, the baseline's included, had no answer."""
        return sum(s.unanswered for m in [*self.members, self.marginal] for s in m.subroutines)

    @property
    def reference_count(self) -> int:
        """How many distinct references there are."""
        return len(self.references)

    def distances(self) -> tuple[Any, Floats]:
        """The present history, described, and its distance to each reference."""
        started = perf_counter()
        now = self.discrepancy.describe(self.past.rows())
        distances = np.array([self.discrepancy.between(now, r) for r in self.references])
        self.distance_seconds += perf_counter() - started
        return now, distances

    def choose(self) -> None:
        """Decide for the step that opens."""
        now, distances = self.distances()
        newest = len(self.references)
        everyone = [*self.members, self.marginal]
        for member in everyone:
            member.choose(distances, self.step, newest, self.rules)
        if any(member.born for member in everyone):
            self.references.append(now)

    def look_ahead(self) -> FamilyAhead:
        """Choose for the step that opens next, and change nothing."""
        _, distances = self.distances()
        trials = [member.copy() for member in [*self.members, self.marginal]]
        for trial in trials:
            trial.choose(distances, self.step, len(self.references), self.rules)
        return FamilyAhead(trials)

    def predict(self, rows: Rows) -> Ints:
        """What each threshold, and in the last line the baseline, says of rows of the open step."""
        return np.array(
            [m.subroutines[m.active].predict(rows) for m in [*self.members, self.marginal]]
        )

    def update(self, rows: Rows) -> None:
        """Close the step."""
        for member in [*self.members, self.marginal]:
            for j in member.close:
                member.subroutines[j].learn(rows)
                member.updates[j] += 1
        self.past.append(rows)
        self.step += 1

    def learnt(self, threshold: int, number: int, columns: Columns) -> Learnt | None:
        """What a subroutine has learnt so far, where its learner can tell."""
        return self.members[threshold].subroutines[number - 1].learnt(columns)

    def updates(self, threshold: int) -> Ints:
        """How many steps each subroutine of a threshold has learnt."""
        return np.array(self.members[threshold].updates, np.int64)

    def state(self) -> State:
        """All that the family must remember to go on."""
        return {
            "step": self.step,
            "past": self.past.state(),
            "references": [self.discrepancy.state(r) for r in self.references],
            "members": [
                {
                    "references": np.array(m.references, np.int64),
                    "updates": np.array(m.updates, np.int64),
                    "subroutines": [subroutine.state() for subroutine in m.subroutines],
                }
                for m in [*self.members, self.marginal]
            ],
        }

    def restore(self, state: State, columns: Columns, classes: int) -> None:
        """Go on from a state; the family must be new."""
        self.step = whole(state, "step")
        self.past.restore(child(state, "past"), columns, classes)
        self.references = [self.discrepancy.restored(r) for r in children(state, "references")]
        everyone = [*self.members, self.marginal]
        for member, kept in zip(everyone, children(state, "members", len(everyone)), strict=True):
            subroutines = children(kept, "subroutines")
            n, known = len(subroutines), len(self.references)
            member.references = indices(kept, "references", (n,), known).tolist()
            member.updates = array(kept, "updates", np.int64, (n,)).tolist()
            for stored in subroutines:
                subroutine = self.rules.create()
                subroutine.restore(stored, columns)
                member.subroutines.append(subroutine)

    def finish(self) -> None:
        """Give back what the subroutines hold outside of Python."""
        for member in [*self.members, self.marginal]:
            for subroutine in member.subroutines:
                subroutine.finish()

    def run(self, block: Block) -> FamilyResult:
        """Take a block of whole steps through choice, prediction and update."""
        k, steps = len(self.members), block.steps
        predictions = np.empty((k + 1, len(block.rows)), np.int64)
        active, close, subroutines = (np.empty((k, steps), np.int64) for _ in range(3))
        born = np.empty((k, steps), np.bool_)
        distance = np.empty((k, steps))
        nearest = np.zeros((k, steps, NEAREST), np.int32)
        nearest_distances = np.full((k, steps, NEAREST), math.nan, np.float32)
        for s in range(steps):
            rows = block.step(s)
            self.choose()
            predictions[:, block.starts[s] : block.starts[s + 1]] = self.predict(rows)
            for m, member in enumerate(self.members):
                active[m, s] = member.active + 1
                born[m, s] = member.born
                distance[m, s] = member.distance
                close[m, s] = 0 if member.forced else len(member.close)
                subroutines[m, s] = len(member.subroutines)
                nearest[m, s, : len(member.nearest)] = member.nearest + 1
                nearest_distances[m, s, : len(member.nearest)] = member.nearest_distances
            self.update(rows)
        return FamilyResult(
            predictions[:k],
            predictions[k],
            active,
            born,
            distance,
            close,
            subroutines,
            nearest,
            nearest_distances,
        )
