"""Follow-The-Leader: the member with the least summed loss predicts."""

from __future__ import annotations

import numpy as np

from macro_engine.core.declared import Declared, Integer
from macro_engine.core.names import LEADER
from macro_engine.core.rows import Ints
from macro_engine.strategies.answer import Answer
from macro_engine.strategies.base import LateSteps, Setup
from macro_engine.strategies.by_losses import ByLosses
from macro_engine.strategies.forecasts import Completion, Forecasts


class FollowTheLeader(ByLosses):
    """Answers as the member with the least cumulative loss does.

    The leader stays on ties. When it is beaten, the last member among the best takes over; at the
    start the last one leads.
    """

    name = "ftl"
    title = "Follow-The-Leader"
    shows = (LEADER,)
    remembers = Declared(*ByLosses.remembers.fields, Integer("leader", below="members"))

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.leader = len(setup.members) - 1

    def weights(self, step: int) -> list[float]:  # noqa: ARG002
        return [float(k == self.leader) for k in range(len(self.losses))]

    def answer(self, forecasts: Forecasts) -> Answer:
        return _answer(forecasts, np.array([self.leader]))

    def update(self, losses: list[float]) -> None:
        super().update(losses)
        best = min(self.losses)
        if best < self.losses[self.leader]:
            self.leader = max(k for k, loss in enumerate(self.losses) if loss == best)

    def run_compiled(self, completion: Completion) -> Answer:
        from macro_engine.strategies.kernels import follow_the_leader

        forecasts, totals = completion.forecasts, np.array(self.losses)
        leaders = np.full(len(completion.losses) + 1, self.leader)
        follow_the_leader(completion.losses, totals, leaders)
        self.losses, self.leader = totals.tolist(), int(leaders[-1])
        return _answer(forecasts, leaders[:-1])

    def run_late_compiled(self, late: LateSteps) -> Answer | None:
        from macro_engine.strategies.kernels import follow_the_leader

        losses, totals = late.completion.losses, np.array(self.losses)
        leaders = np.full(len(losses) + 1, self.leader)
        follow_the_leader(losses, totals, leaders)
        self.losses, self.leader = totals.tolist(), int(leaders[-1])
        return _answer(late.opening, leaders[late.before[:-1]]) if late.opening.steps else None


def _answer(forecasts: Forecasts, leaders: Ints) -> Answer:
    """The predictions of each step's leader with its probabilities, where there are any."""
    where = np.repeat(leaders, forecasts.lengths), np.arange(len(forecasts.rows))
    probabilities = None
    if forecasts.member_probabilities is not None:
        probabilities = forecasts.member_probabilities[where]
    return Answer(forecasts.members[where], probabilities, {LEADER: leaders})
