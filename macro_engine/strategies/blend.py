"""Blend: ten experts, members and baselines among them, stacked on log loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from macro_engine.blend.answers import Answers, KeptAnswers
from macro_engine.blend.blend import Blend
from macro_engine.blend.journal import Journal
from macro_engine.blend.pull import by_group, mean_after
from macro_engine.blend.shape import GROUPS, MOST_CLASSES, NO_LABEL, BlendShape, Evidence
from macro_engine.core.names import PULL, TURNING
from macro_engine.core.rows import Floats
from macro_engine.core.smallest_type import counts_type
from macro_engine.core.state import State
from macro_engine.strategies.answer import Answer
from macro_engine.strategies.base import LateSteps, Setup, Strategy
from macro_engine.strategies.forecasts import Completion, Forecasts

if TYPE_CHECKING:
    from macro_engine.blend.compiled import CompiledBlend


class BlendStrategy(Strategy):
    """Answers with the likeliest class of the blend.

    It shows two things by steps, as they are when a step's rows are answered. `pull` is steps by
    the groups of `blend.shape.GROUPS` (linear, shares, persistence, macro, tiles): how strongly
    each moved the answers, the mean of |w l| over the last hundred steps; divided by their sum
    they are shares. `turning` is the share of the fast filter in what both filters weigh: above
    one half the blend follows the fast one.

    Attributes
    ----------
    blend
        The definition, or its compiled twin, which gives the same bits.
    """

    name = "blend"
    title = "blend of ten experts"
    wants_probabilities = True
    wants_units = True
    is_slow_uncompiled = True
    most_classes = MOST_CLASSES
    shows = (PULL, TURNING)
    parts: ClassVar = {PULL: GROUPS}

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        # the marginal baseline is an expert of its own: the family's are the finite members
        self.members = sum(not member.is_marginal for member in setup.members)
        self.shape = self._shape()
        self.blend = self._started()
        self.journal = Journal()

    def _shape(self) -> BlendShape:
        columns = self.setup.columns
        numbers, categories = len(columns.numbers), len(columns.categories)
        return BlendShape.of(self.setup.classes, numbers, categories, self.members)

    def _started(self) -> Blend | CompiledBlend:
        if not self.setup.compiled:
            return Blend(self.shape)
        from macro_engine.blend.compiled import CompiledBlend

        return CompiledBlend(self.shape)

    def answer(self, forecasts: Forecasts) -> Answer:
        answers = self.blend.answer(self._evidence(forecasts))
        pulls = mean_after(*self.blend.recent_pulls, answers.pulls.tolist())
        shown = self._shown(np.array([pulls]), np.array([self.blend.weights]))
        return self._answer(answers.probabilities, shown, answers)

    def close(self, forecasts: Forecasts, answer: Answer) -> None:  # noqa: ARG002
        self.blend.close(answer.kept)

    def complete(self, completion: Completion, answer: Answer) -> None:
        self.blend.learn(answer.kept, completion.labels)

    def run_compiled(self, completion: Completion) -> Answer:
        if isinstance(self.blend, Blend):
            return self.run(completion)
        forecasts = completion.forecasts
        outcome = self.blend.run(self._evidence(forecasts), completion.labels, forecasts.starts)
        return self._answer(outcome.probabilities, self._shown(outcome.pulls, outcome.weights))

    def run_late(self, late: LateSteps) -> Answer | None:
        completed, starts = late.completion.forecasts, late.completion.forecasts.starts
        answers: list[Answer] = []
        done = 0
        for s, before in enumerate(late.before.tolist()):
            for c in range(done, before):
                step, own = late.completion.step(c), c - late.opened_before
                if own >= 0:
                    said = answers[own].kept
                else:
                    assert late.earlier is not None
                    kept = late.earlier.kept.cut(c, c + 1, starts)
                    said = Answers.again(self._evidence(completed.step(c)), kept)
                self.blend.learn(said, step.labels)
            done = before
            if s < late.opening.steps:
                opening = late.opening.step(s)
                answers.append(self.answer(opening))
                self.close(opening, answers[-1])
        if not answers:
            return None
        first, *later = [answer.kept.to_keep() for answer in answers]
        return replace(Answer.join(answers), kept=first.followed_by(later))

    def run_late_compiled(self, late: LateSteps) -> Answer | None:
        if isinstance(self.blend, Blend):
            return self.run_late(late)
        completed, opening, earlier = late.completion.forecasts, late.opening, late.earlier
        steps = opening
        if late.opened_before:
            before = completed.cut(0, late.opened_before)
            steps = Forecasts.join([before, opening]) if opening.steps else before
        labels = np.full(len(steps.rows), NO_LABEL)
        labels[: len(completed.rows)] = late.completion.labels
        kept = KeptAnswers.none(self.shape) if earlier is None else earlier.kept
        outcome, fresh = self.blend.run_late(
            self._evidence(steps), labels, steps.starts, late.before, kept
        )
        if not opening.steps:
            return None
        shown = self._shown(outcome.pulls, outcome.weights)
        return self._answer(outcome.probabilities, shown, fresh)

    def state(self) -> State:
        return self.blend.state()

    def restore(self, state: State) -> None:
        self.blend.restore(state)

    def compile(self) -> None:
        from macro_engine.blend.compiled import CompiledBlend

        if isinstance(self.blend, Blend):
            compiled = CompiledBlend(self.shape)
            compiled.restore(self.blend.state())
            compiled.mark_as_changed()  # which cells are not stored yet is not in a state
            self.blend = compiled

    def commit(self, whole: bool) -> tuple[State, dict[str, State | None]]:
        return self.blend.state_without_tables(), self.journal.parts(self.blend, whole)

    def joined(self, state: State, parts: Mapping[str, State]) -> State:
        return state | {"tiles": self.journal.joined(parts, self.shape)}

    def kept_states(self, kept: KeptAnswers) -> State:
        return kept.state()

    def kept_of(self, state: State, forecasts: Forecasts) -> KeptAnswers:
        return KeptAnswers.restored(state, self.shape, len(forecasts.rows))

    def _evidence(self, forecasts: Forecasts) -> Evidence:
        """Returns the inputs of the experts."""
        rows = forecasts.rows
        assert rows.units is not None
        assert forecasts.marginal_probabilities is not None
        assert forecasts.no_change_probabilities is not None
        assert forecasts.member_probabilities is not None
        return Evidence(
            rows.numbers,
            rows.units,
            rows.slots,
            forecasts.marginal_probabilities,
            forecasts.no_change_probabilities,
            forecasts.member_probabilities[: self.members],
        )

    def _shown(self, pulls: Floats, weights: Floats) -> dict[str, Floats]:
        """Given steps by experts, and steps by experts and the two filters."""
        slow, fast = weights[:, -2], weights[:, -1]
        return {PULL: by_group(pulls, self.shape), TURNING: fast / (slow + fast)}

    def _answer(
        self,
        probabilities: Floats,
        shown: dict[str, Floats],
        kept: Answers | KeptAnswers | None = None,
    ) -> Answer:
        likeliest = probabilities.argmax(axis=1).astype(counts_type(self.setup.classes - 1))
        return Answer(likeliest, probabilities, shown, kept)
