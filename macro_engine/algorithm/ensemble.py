"""The family, the strategies that choose among its members, and the baselines, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from macro_engine.algorithm.any_family import AnyFamily, TrialStep
from macro_engine.algorithm.closed_steps import ClosedSteps, joined_blocks
from macro_engine.algorithm.earned_probabilities import EarnedProbabilities
from macro_engine.algorithm.family import with_marginal
from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.algorithm.late_block import late_block
from macro_engine.algorithm.no_change import NoChange
from macro_engine.algorithm.open_predictions import OpenPredictions
from macro_engine.algorithm.persistence import Persistence
from macro_engine.algorithm.to_steps import all_predictions, to_steps
from macro_engine.core.names import BASELINES, Names
from macro_engine.core.plugins import is_own
from macro_engine.core.rows import Block, Columns, Counts, Floats, Ints, Rows
from macro_engine.core.state import DamagedError, State, child, whole
from macro_engine.core.steps import Steps
from macro_engine.core.totals import Totals
from macro_engine.strategies import (
    PAPER,
    Answer,
    Completion,
    Forecasts,
    LateSteps,
    Setup,
    Strategy,
    names_along,
    shown_members,
    start,
)

_Given = TypeVar("_Given", Forecasts, Completion)


@dataclass(frozen=True, eq=False)
class OpenStep:
    """A step that has opened, and is not closed yet."""

    ensemble: Ensemble
    family: TrialStep
    step: int

    def predict(self, rows: Rows) -> OpenPredictions:
        """What everyone says of rows of the step; changes nothing."""
        ensemble, names = self.ensemble, self.ensemble.names
        forecasts, _ = self.forecasts(rows)
        answers = ensemble.answers(forecasts)
        shown = {name: answer.shown for name, answer in answers.items()}
        member = int(shown_members(names, shown, 1)[0])
        active = int(self.family.numbers[member])
        predictions, probabilities = all_predictions(names, forecasts, answers)
        return OpenPredictions(names, predictions, probabilities, member, active)

    def forecasts(self, rows: Rows) -> tuple[Forecasts, Ints]:
        """What members and baselines say of rows of the step; and the family's lines."""
        ensemble = self.ensemble
        lines = self.family.predict(rows)
        probabilities = None
        if ensemble.earned is not None:
            probabilities = np.full((*lines.shape, ensemble.classes), np.nan)
            self.family.fill_probabilities(rows, probabilities)
            ensemble.earned.fill(lines, probabilities)
        no_change = np.full(len(rows), ensemble.no_change.prediction)
        unchanged = ensemble.no_change.probabilities()
        if unchanged is not None:
            unchanged = np.tile(unchanged, (len(rows), 1))
        starts = np.array([0, len(rows)])
        forecasts = ensemble.forecasts_of(
            rows, starts, self.step, lines, probabilities, no_change, unchanged
        )
        return forecasts, lines

    def finish(self) -> None:
        """Give back what is held outside of Python."""
        self.family.finish()


class Ensemble:
    """Runs steps through everyone who predicts.

    Parameters
    ----------
    family
        The members and the marginal baseline.
    columns
        The encoded columns known at the start.
    strategies
        The names of those that are computed.
    with_probabilities
        Whether probabilities are computed even if no strategy wants them.
    compiled
        Whether the loops outside of the family are the compiled ones; may change between blocks.
    prediction
        The strategy whose prediction is the prediction.
    """

    def __init__(
        self,
        family: AnyFamily,
        columns: Columns,
        strategies: Sequence[str] = PAPER,
        with_probabilities: bool = False,
        compiled: bool = False,
        prediction: str = "",
    ) -> None:
        self.family = family
        self.prediction = prediction
        self.classes = family.classes
        setup = Setup(family.members, family.classes, columns, compiled)
        self.strategies = start(strategies, setup)
        self.series = (*BASELINES, *(s.name for s in self.strategies))
        self.with_probabilities = with_probabilities or any(
            strategy.wants_probabilities for strategy in self.strategies
        )
        self.compiled = compiled
        self.no_change = NoChange()
        self.earned: EarnedProbabilities | None = None
        if self.with_probabilities:
            self.no_change.table = Persistence(family.classes)
            lines = len(with_marginal(family.members))
            self.earned = EarnedProbabilities(lines, family.classes)

    @property
    def names(self) -> Names:
        """What its results run along."""
        return names_along(self.series, self.family.members, self.classes, self.prediction)

    def run(self, block: Block, before: Totals) -> Steps:
        """Take a block of whole steps through, each completed before the next one opens.

        Parameters
        ----------
        before
            The totals before the first of the steps.
        """
        return to_steps(block, self.names, *self._complete(block), before)

    def learn(self, block: Block) -> None:
        """Take a block through as `run` does, where nobody wants to know what was said."""
        self._complete(block)

    def _complete(self, block: Block) -> tuple[FamilyResult, Completion, dict[str, Answer]]:
        first_step, labels, starts = self.family.step, block.rows.labels, block.starts
        result = self.family.run(block, self.with_probabilities)
        if self.earned is not None and not self.family.always_has_probabilities:
            assert result.probabilities is not None
            earn = self.earned.run_compiled if self.compiled else self.earned.run
            earn(result.predictions, labels, starts, result.probabilities)
        expect = self.no_change.run_compiled if self.compiled else self.no_change.run
        forecasts = self.forecasts_of(
            block.rows, starts, first_step, result.predictions, result.probabilities,
            *expect(labels, starts),
        )  # fmt: skip
        completion = Completion(forecasts, labels)
        answers = {}
        for strategy in self.strategies:
            run = strategy.run_compiled if self.compiled else strategy.run
            answers[strategy.name] = run(_shared_with(strategy, completion))
        return result, completion, answers

    def compile(self) -> None:
        """Go over to compiled loops, between two blocks."""
        self.compiled = True
        self.family.compile()
        for strategy in self.strategies:
            strategy.compile()

    def look_ahead(self) -> OpenStep:
        """Choose for the step that opens next, and change nothing."""
        return OpenStep(self, self.family.look_ahead(), self.family.step)

    def run_late(
        self,
        block: Block,
        earlier: Sequence[ClosedSteps],
        labels: Ints,
        before: Ints,
        totals: Totals,
    ) -> tuple[ClosedSteps | None, Steps | None]:
        """Open and close the steps of a block while others are completed.

        Parameters
        ----------
        earlier
            The steps that are completed and had closed before. The first ones of the block may
            follow.
        labels
            Of the rows of all steps that are completed; -1 for one that never came.
        before
            For each step of the block: how many others are complete when it opens. One more at the
            end: how many are in all.
        totals
            Those before the first of the steps that are completed.

        Returns
        -------
        The steps of the block, if it has any, and those that are completed, if any are.
        """
        opened_before = sum(part.steps for part in earlier)
        own = int(before[-1]) - opened_before  # how many of the block are completed
        blocks = [e.block for e in earlier] + ([block.cut(0, own)] if own else [])
        late = late_block(block, blocks, [e.called for e in earlier], labels, before)
        result, called = self.family.run_late(late, self.with_probabilities)
        results = [*(e.result for e in earlier), result.cut(0, own, block.starts)]
        completed = FamilyResult.join(results)
        if self.earned is not None and not self.family.always_has_probabilities:
            earn = self.earned.run_late_compiled if self.compiled else self.earned.run_late
            earn(result, late, completed.predictions[:, labels >= 0])
        expect = self.no_change.run_late_compiled if self.compiled else self.no_change.run_late
        lasts = [e.lasts for e in earlier]
        own_lasts, no_change, unchanged = expect(
            late, np.concatenate([np.empty(0, np.int64), *lasts])
        )
        forecasts = self.forecasts_of(
            block.rows, block.starts, block.first_step, result.predictions, result.probabilities,
            no_change, unchanged,
        )  # fmt: skip
        parts = [e.forecasts for e in earlier] + ([forecasts.cut(0, own)] if own else [])
        completion = Completion(Forecasts.join(parts or [forecasts.cut(0, 0)]), labels)
        answers: dict[str, Answer] = {}
        done: dict[str, Answer] = {}
        for strategy in self.strategies:
            name, said = strategy.name, [e.answers[strategy.name] for e in earlier]
            run = strategy.run_late_compiled if self.compiled else strategy.run_late
            before_block = Answer.join_late(said) if said else None
            opening = _shared_with(strategy, forecasts)
            completing = _shared_with(strategy, completion)
            answer = run(LateSteps(opening, completing, opened_before, before_block, before))
            if answer is not None:
                answers[name] = answer
                said += [answer.cut(0, own, block.starts)] if own else []
            if said:
                done[name] = Answer.join(said)
        closed = None
        if block.steps:
            result.probabilities = None
            closed = ClosedSteps(block, result, called, forecasts, answers, own_lasts)
        if not blocks:
            return closed, None
        steps = to_steps(
            joined_blocks(blocks), self.names, completed, completion, done, totals, late=True
        )
        return closed, steps

    def answers(self, forecasts: Forecasts) -> dict[str, Answer]:
        """What each strategy says of rows of an open step."""
        return {s.name: s.reply(_shared_with(s, forecasts)) for s in self.strategies}

    def forecasts_of(
        self,
        rows: Rows,
        starts: Ints,
        first_step: int,
        lines: Counts,
        probabilities: Floats | None,
        no_change: Ints,
        unchanged: Floats | None,
    ) -> Forecasts:
        """What strategies get to know, from the family's lines and the baseline's."""
        k = len(self.family.members)
        return Forecasts(
            rows, starts, first_step, lines[:k], lines[-1], no_change,
            None if probabilities is None else probabilities[:k],
            None if probabilities is None else probabilities[-1],
            unchanged,
        )  # fmt: skip

    def state(self, whole: bool = True) -> dict[str, State | None]:
        """All that must be remembered to go on, between two steps: by parts.

        Without `whole`, a part of a strategy that is not there is as it was at the last call, and
        None stands for one that is no more.
        """
        step = self.family.step
        baselines: State = {"step": step, "no_change": self.no_change.state()}
        if self.earned is not None:
            baselines["earned"] = self.earned.state()
        named: State = {}
        apart: dict[str, State | None] = {}
        for strategy in self.strategies:
            named[strategy.name], parts = strategy.commit(whole)
            apart |= {f"{strategy.name}/{part}": state for part, state in parts.items()}
        return {
            "family": self.family.state(),
            "strategies": {"step": step, "named": named},
            "baselines": baselines,
            **apart,
        }

    def restore(self, state: State, columns: Columns) -> None:
        """Go on from a state; the ensemble must be new."""
        self.family.restore(child(state, "family"), columns)
        strategies, baselines = child(state, "strategies"), child(state, "baselines")
        if not whole(strategies, "step") == whole(baselines, "step") == self.family.step:
            raise DamagedError("the parts of its state are of different moments")
        for strategy in self.strategies:
            start_of_name = f"{strategy.name}/"
            parts = {
                name.removeprefix(start_of_name): child(state, name)
                for name in state
                if name.startswith(start_of_name)
            }
            kept = child(child(strategies, "named"), strategy.name)
            strategy.restore(strategy.joined(kept, parts))
        self.no_change.restore(child(baselines, "no_change"), self.classes)
        if self.earned is not None:
            self.earned.restore(child(baselines, "earned"))


def _shared_with(strategy: Strategy, given: _Given) -> _Given:
    """What a strategy is given; one that is not this program's own cannot write into it."""
    return given if is_own(type(strategy)) else given.read_only()
