"""What a strategy is: it chooses among members, or builds an answer of its own on theirs.

A strategy lives through three moments of a step. While the step is open it answers rows and changes
nothing. When the step closes no more rows come. When the step is complete its labels are known and
the strategy learns; further steps may have opened by then, and steps are completed in their order.
`run` takes a block of steps through all of it, each step completed before the next one opens;
`run_late` one whose labels come late.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from macro_engine.core.errors import MacroError
from macro_engine.core.members import Member
from macro_engine.core.plugins import is_own
from macro_engine.core.rows import Columns, Floats, Ints
from macro_engine.core.state import State, child, children
from macro_engine.strategies.answer import Answer
from macro_engine.strategies.checked import check_answer
from macro_engine.strategies.forecasts import Completion, Forecasts
from macro_engine.strategies.kept import Kept, KeptList


@dataclass(frozen=True)
class Setup:
    """What a strategy is told of a run before it starts."""

    members: tuple[Member, ...]
    classes: int
    columns: Columns
    compiled: bool = False  # whether blocks are run by compiled loops


@dataclass(frozen=True, eq=False)
class LateSteps:
    """Steps that open, and the steps that are completed meanwhile.

    Attributes
    ----------
    opening
        What is said of the steps that open.
    completion
        The steps that are completed. Some of those that open may be the last of them.
    opened_before, earlier
        How many of those that are completed had opened before, and the answer to them; None where
        there are none.
    before
        For each step that opens: how many others are complete by then. One more at the end: how
        many are in all.
    """

    opening: Forecasts
    completion: Completion
    opened_before: int
    earlier: Answer | None
    before: Ints

    def earlier_answer(self, c: int) -> Answer:
        """The answer to a step that had opened before."""
        assert self.earlier is not None
        answer = self.earlier.cut(c, c + 1, self.completion.forecasts.starts)
        return replace(answer, kept=None if answer.kept is None else answer.kept.steps[0])


class Strategy(ABC):
    """Makes one prediction from those of members and baselines.

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
    grows
        Whether it takes in classes and columns that appear later; the estimator takes no other.
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
    grows: ClassVar[bool] = True
    shows: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    @abstractmethod
    def answer(self, forecasts: Forecasts) -> Answer:
        """Answer rows of one open step; changes nothing."""

    def reply(self, forecasts: Forecasts) -> Answer:
        """What it answers; checked, unless the strategy is this program's own."""
        answer = self.answer(forecasts)
        if not is_own(type(self)):
            check_answer(self, forecasts, answer)
        return answer

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

    def weights(self, step: int) -> list[float] | None:  # noqa: ARG002
        """The weights by which the members vote at a step; None where they do not."""
        return None

    @staticmethod
    def weights_by_losses(losses: Floats, moments: Ints) -> Floats | None:  # noqa: ARG004
        """The `WEIGHTS`, where they follow from the summed losses of the members alone.

        A strategy that has this has its weights computed when they are looked at, and not stored.
        Losses and weights are members by moments; a moment is a number of steps.
        """
        return None

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

    def kept_states(self, kept: Any) -> State:
        """What must be stored of `Answer.kept` for several steps that wait."""
        return {"steps": [{"kept": self.kept_state(one)} for one in kept.steps]}

    def kept_of(self, state: State, forecasts: Forecasts) -> Kept:
        """What `kept_states` gave, for steps of which members and baselines said these."""
        steps = children(state, "steps", forecasts.steps)
        return KeptList(
            None if one.get("kept") is None else self.kept(child(one, "kept")) for one in steps
        )

    def compile(self) -> None:  # noqa: B027
        """Go over to compiled loops, where there are any; between two blocks."""

    def run(self, completion: Completion) -> Answer:
        """Answer a block of steps, and complete each before the next one opens."""
        answers = []
        for s in range(completion.forecasts.steps):
            step = completion.step(s)
            answer = self.reply(step.forecasts)
            self.close(step.forecasts, answer)
            self.complete(step, answer)
            answers.append(answer)
        return Answer.join(answers)

    def run_compiled(self, completion: Completion) -> Answer:
        """What `run` gives, to the last bit, by compiled loops where there are any."""
        return self.run(completion)

    def run_late(self, late: LateSteps) -> Answer | None:
        """Answer steps that open, and complete others in the order that is asked for.

        None where no step opens.
        """
        answers: list[Answer] = []
        done = 0
        for s, before in enumerate(late.before.tolist()):
            for c in range(done, before):
                own = c - late.opened_before
                answer = answers[own] if own >= 0 else late.earlier_answer(c)
                self.complete(late.completion.step(c), answer)
            done = before
            if s < late.opening.steps:
                step = late.opening.step(s)
                answers.append(self.reply(step))
                self.close(step, answers[-1])
        if not answers:
            return None
        return replace(Answer.join(answers), kept=KeptList([answer.kept for answer in answers]))

    def run_late_compiled(self, late: LateSteps) -> Answer | None:
        """What `run_late` gives, to the last bit, by compiled loops where there are any."""
        return self.run_late(late)
