"""The family, the strategies that choose among its thresholds, and the baselines, side by side."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from macro_engine.algorithm.family import Family, FamilyResult
from macro_engine.algorithm.learnt import Learnt
from macro_engine.algorithm.no_change import NoChange
from macro_engine.algorithm.selection import ExponentialWeights, FollowTheLeader, vote
from macro_engine.rows import Block, Columns, Counts, Floats, Ints, Rows, counts_type
from macro_engine.state import DamagedError, State, child, whole

STRATEGIES = ("marginal", "no_change", "ftl", "ewa")


@dataclass(frozen=True, eq=False)
class Outcome:
    """What everyone said in a block.

    Attributes
    ----------
    predictions
        Class indices, series by rows: the strategies, then the thresholds.
    wrong
        Series by steps: rows that each got wrong.
    leaders
        The index of the threshold that FTL followed, by steps.
    weights
        EWA's weights, steps by thresholds.
    losses
        The share of rows that each threshold got wrong, steps by thresholds.
    """

    family: FamilyResult
    predictions: Counts
    wrong: Ints
    leaders: Ints
    weights: Floats
    losses: Floats

    def of(self, strategy: str) -> Counts:
        """What one of the strategies predicted."""
        predicted: Counts = self.predictions[STRATEGIES.index(strategy)]
        return predicted


class Ahead(Protocol):
    """The choice for a step that is still open."""

    def predict(self, rows: Rows) -> Ints:
        """What each threshold, and in the last line the baseline, says of rows of the step."""

    def finish(self) -> None:
        """Give back what is held outside of Python."""


class AnyFamily(Protocol):
    """A family, whichever way it is computed."""

    distance_seconds: float

    @property
    def reference_count(self) -> int:
        """How many distinct references there are."""

    @property
    def unanswered(self) -> int:
        """For how many rows an active model had no answer."""

    def run(self, block: Block) -> FamilyResult:
        """Take a block of whole steps through choice, prediction and update."""

    def look_ahead(self) -> Ahead:
        """Choose for the step that opens next, and change nothing."""

    def finish(self) -> None:
        """Give back what is held outside of Python."""

    def learnt(self, threshold: int, number: int, columns: Columns) -> Learnt | None:
        """What a subroutine has learnt so far, where its learner can tell."""

    def updates(self, threshold: int) -> Ints:
        """How many steps each subroutine of a threshold has learnt."""

    def state(self) -> State:
        """All that must be remembered to go on."""

    def restore(self, state: State, columns: Columns, classes: int) -> None:
        """Go on from a state; the family must be new."""


@dataclass(frozen=True)
class OpenStep:
    """What everyone says of the rows of a step that is still open."""

    ahead: Ahead
    last_label: int
    leader: int
    vote: Callable[[Ints, Block], Ints]

    def predict(self, rows: Rows) -> Ints:
        """Class indices: marginal, no-change, FTL, EWA and the thresholds, by rows."""
        said = self.ahead.predict(rows)
        by_thresholds, n = said[:-1], len(rows)
        step = Block(rows, np.array([0, n]), None, 0, 0)
        no_change = np.full(n, self.last_label)
        ewa = self.vote(by_thresholds, step)
        return np.vstack([said[-1], no_change, by_thresholds[self.leader], ewa, by_thresholds])


class Contest:
    """Runs blocks of steps through everyone who predicts."""

    def __init__(
        self, family: AnyFamily, ftl: FollowTheLeader, ewa: ExponentialWeights, classes: int
    ) -> None:
        self.family = family
        self.ftl = ftl
        self.ewa = ewa
        self.classes = classes
        self.no_change = NoChange()

    @staticmethod
    def of(family: Family, classes: int) -> Contest:
        """A contest on the general path, which takes any learner and any distance."""
        k = len(family.members)
        return Contest(family, FollowTheLeader(k), ExponentialWeights(k), classes)

    def run(self, block: Block) -> Outcome:
        result = self.family.run(block)
        lengths = np.diff(block.starts)
        others, k = len(STRATEGIES), len(result.predictions)
        predictions = np.empty((others + k, len(block.rows)), counts_type(self.classes - 1))
        wrong = np.empty((others + k, block.steps), np.int64)
        predictions[others:] = result.predictions
        self.count_wrong(predictions[others:], block, wrong[others:])
        losses = np.ascontiguousarray((wrong[others:] / lengths).T)
        leaders: Ints = self.ftl.run(losses).argmax(axis=1)
        weights = self.ewa.run(losses)
        predictions[0] = result.marginal
        predictions[1] = self.no_change.run(block)
        predictions[2] = self.take(leaders, result.predictions, block)
        predictions[3] = self.vote(weights, result.predictions, block)
        self.count_wrong(predictions[:others], block, wrong[:others])
        return Outcome(result, predictions, wrong, leaders, weights, losses)

    @property
    def steps(self) -> int:
        """How many steps it has been through."""
        return self.ftl.steps

    def look_ahead(self) -> OpenStep:
        """Choose for the step that opens next, and change nothing."""
        nothing = np.zeros((1, len(self.ftl.losses)))
        return OpenStep(
            self.family.look_ahead(),
            self.no_change.last,
            self.ftl.leader,
            partial(self.vote, copy(self.ewa).run(nothing)),
        )

    def state(self) -> dict[str, State]:
        """All that must be remembered to go on: the family, and everyone else."""
        return {
            "family": self.family.state(),
            "selection": {
                "ftl": self.ftl.state(),
                "ewa": self.ewa.state(),
                "no_change": self.no_change.last,
            },
        }

    def restore(self, state: State, columns: Columns) -> None:
        """Go on from a state; the contest must be new."""
        family = child(state, "family")
        self.family.restore(family, columns, self.classes)
        selection = child(state, "selection")
        self.ftl.restore(child(selection, "ftl"))
        self.ewa.restore(child(selection, "ewa"))
        if not self.ftl.steps == self.ewa.steps == whole(family, "step"):
            raise DamagedError("the parts of its state are of different moments")
        self.no_change.last = whole(selection, "no_change", 0, self.classes - 1)

    def count_wrong(self, predictions: Counts, block: Block, wrong: Ints) -> None:
        """Fill in how many of each step's rows each line of predictions got wrong."""
        misses = predictions != block.rows.labels
        wrong[:] = np.add.reduceat(misses, block.starts[:-1], axis=1, dtype=np.int64)

    def take(self, leaders: Ints, predictions: Counts, block: Block) -> Counts:
        """What the leader of its step said of each row."""
        rows = np.arange(len(block.rows))
        taken: Counts = predictions[np.repeat(leaders, np.diff(block.starts)), rows]
        return taken

    def vote(self, weights: Floats, predictions: Counts, block: Block) -> Ints:
        """The weighted vote for each row, given the weights at each step."""
        by_row = np.repeat(weights, np.diff(block.starts), axis=0)
        return vote(by_row, predictions, self.classes)
