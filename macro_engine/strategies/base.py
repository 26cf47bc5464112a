"""What a strategy is: it chooses among members, or builds an answer of its own on theirs.

A strategy lives through three moments of a step. While the step is open it answers rows and changes
nothing. When the step closes no more rows come. When the step is complete its labels are known and
the strategy learns; further steps may have opened by then, and steps are completed in their order.
`run` takes a block of steps through all of it, each step completed before the next one opens.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.errors import MacroError
from macro_engine.core.members import Member
from macro_engine.core.rows import Columns, Counts, Floats, Ints, Rows
from macro_engine.core.state import State


@dataclass(frozen=True)
class Setup:
    """What a strategy is told of a run before it starts."""

    members: tuple[Member, ...]
    classes: int
    columns: Columns
    compiled: bool = False  # whether blocks are run by compiled loops


@dataclass(frozen=True, eq=False)
class Forecasts:
    """What members and baselines say of the rows of whole steps.

    Attributes
    ----------
    rows
        The encoded rows. Their labels mean nothing here.
    starts
        Where each step begins in `rows`, and at the end the number of rows.
    first_step
        The number of the first step, from 0 for the whole stream.
    members, marginal, no_change
        Class indices: members by rows, and by rows.
    member_probabilities, marginal_probabilities, no_change_probabilities
        The same by classes, with sum 1; None in a run that computes none.
    """

    rows: Rows
    starts: Ints
    first_step: int
    members: Counts
    marginal: Counts
    no_change: Counts
    member_probabilities: Floats | None = None
    marginal_probabilities: Floats | None = None
    no_change_probabilities: Floats | None = None

    @property
    def steps(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        return np.diff(self.starts)

    def step(self, s: int) -> Forecasts:
        """One of the steps, counted from 0 here."""
        a, b = int(self.starts[s]), int(self.starts[s + 1])
        return Forecasts(
            self.rows.cut(a, b),
            np.array([0, b - a]),
            self.first_step + s,
            self.members[:, a:b],
            self.marginal[a:b],
            self.no_change[a:b],
            None if self.member_probabilities is None else self.member_probabilities[:, a:b],
            None if self.marginal_probabilities is None else self.marginal_probabilities[a:b],
            None if self.no_change_probabilities is None else self.no_change_probabilities[a:b],
        )


class Completion:
    """Steps that are complete: what was said of their rows, and the labels.

    Parameters
    ----------
    labels
        Class indices by rows; -1 for a label that never came.
    losses
        Steps by members: the share of the labelled rows that each got wrong, 0 where there are
        none. Computed when it is asked for, unless given.
    """

    def __init__(self, forecasts: Forecasts, labels: Ints, losses: Floats | None = None) -> None:
        self.forecasts = forecasts
        self.labels = labels
        self._losses = losses

    @property
    def losses(self) -> Floats:
        if self._losses is None:
            wrong, known = count_wrong(self.forecasts.members, self.labels, self.forecasts.starts)
            self._losses = np.ascontiguousarray((wrong / np.maximum(known, 1)).T)
        return self._losses

    def step(self, s: int) -> Completion:
        forecasts, starts = self.forecasts, self.forecasts.starts
        losses = None if self._losses is None else self._losses[s : s + 1]
        return Completion(forecasts.step(s), self.labels[starts[s] : starts[s + 1]], losses)


def count_wrong(predictions: Counts, labels: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """How many labelled rows of each step each line got wrong, and how many have a label."""
    known = labels >= 0
    misses = (predictions != labels) & known
    wrong: Ints = np.add.reduceat(misses, starts[:-1], axis=1, dtype=np.int64)
    labelled: Ints = np.add.reduceat(known, starts[:-1], dtype=np.int64)
    return wrong, labelled


@dataclass(frozen=True, eq=False)
class Answer:
    """What a strategy says of the rows of whole steps.

    Attributes
    ----------
    predictions
        Class indices by rows.
    probabilities
        Rows by classes, with sum 1; None where there are none.
    shown
        What the strategy says that it can show, by name, each by steps.
    kept
        Anything that the strategy wants to see again when the step is complete.
    """

    predictions: Counts
    probabilities: Floats | None = None
    shown: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    kept: Any = None

    @staticmethod
    def join(parts: Sequence[Answer]) -> Answer:
        """Answers to steps that follow each other, as one."""
        probabilities = [p.probabilities for p in parts if p.probabilities is not None]
        return Answer(
            np.concatenate([part.predictions for part in parts]),
            np.concatenate(probabilities) if len(probabilities) == len(parts) else None,
            {n: np.concatenate([part.shown[n] for part in parts]) for n in parts[0].shown},
        )


class Strategy(ABC):
    """One way to make a prediction of what members and baselines say.

    Attributes
    ----------
    name
        As the user writes it, and as its series is called everywhere.
    title
        In words, for people who choose one.
    wants_probabilities
        Whether it needs the probabilities of members and baselines.
    wants_units
        Whether it needs the numbers as tiles see them: `Rows.units`.
    is_slow_uncompiled
        Whether a run should take its compiled loops even where the family has none.
    most_classes
        How many classes it answers at most; None for any number.
    shows
        What it can show beside its answers: `LEADER`, `WEIGHTS`, `PULL`, or names of its own, each
        a number a step, or as many as it has `parts`.
    parts
        The names of the parts of what is more than a number a step.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    wants_probabilities: ClassVar[bool] = False
    wants_units: ClassVar[bool] = False
    is_slow_uncompiled: ClassVar[bool] = False
    most_classes: ClassVar[int | None] = None
    shows: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    @abstractmethod
    def answer(self, forecasts: Forecasts) -> Answer:
        """Answer rows of one open step; changes nothing."""

    def close(self, forecasts: Forecasts, answer: Answer) -> None:  # noqa: B027
        """No more rows of a step come; its labels may be unknown."""

    @abstractmethod
    def complete(self, completion: Completion, answer: Answer) -> None:
        """Learn one step, given the answer from when it was open."""

    @abstractmethod
    def state(self) -> State:
        """All that it must remember to go on."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Go on from a state; the strategy must be new."""

    def grow(self, setup: Setup) -> None:
        """Take in classes and columns that were not known; only the estimator has such."""
        self.setup = setup

    def commit(self, whole: bool) -> tuple[State, dict[str, State | None]]:  # noqa: ARG002
        """What a run file must hold: a state, and by name the parts of it that are stored apart.

        A part that is not named is as it was at the last commit; None stands for one that is no
        more. With `whole` the parts do not depend on earlier commits.
        """
        return self.state(), {}

    def joined(self, state: State, parts: Mapping[str, State]) -> State:  # noqa: ARG002
        """What `restore` takes, given what a run file holds; the strategy must be new."""
        return state

    def kept_state(self, kept: Any) -> State | None:
        """What must be stored of `Answer.kept` for a step that waits for its labels."""
        if kept is None:
            return None
        raise MacroError(
            f"the strategy {self.name} cannot be stored while labels are awaited; leave out --run, "
            "or give it kept_state and kept"
        )

    def kept(self, state: State) -> Any:
        """What `kept_state` gave."""
        raise NotImplementedError

    def compile(self) -> None:  # noqa: B027
        """Go over to compiled loops, where there are any; between two blocks."""

    def run(self, completion: Completion) -> Answer:
        """Answer a block of steps, and complete each before the next one opens."""
        answers = []
        for s in range(completion.forecasts.steps):
            step = completion.step(s)
            answer = self.answer(step.forecasts)
            self.close(step.forecasts, answer)
            self.complete(step, answer)
            answers.append(answer)
        return Answer.join(answers)

    def run_compiled(self, completion: Completion) -> Answer:
        """What `run` gives, to the last bit, by compiled loops where there are any."""
        return self.run(completion)


LEADER = "leader"  # the index of the member that it follows, by steps
WEIGHTS = "weights"  # steps by members, not negative, with sum 1
TURNING = "turning"  # by steps, from 0 to 1: how much the fast one of two filters leads
PULL = "pull"  # steps by parts, not negative: how strongly each moves the answers
