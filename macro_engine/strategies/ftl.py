"""Follow-The-Leader: the member with the least summed loss answers."""

from __future__ import annotations

import numpy as np

from macro_engine.core.declared import Declared, Whole
from macro_engine.core.rows import Counts, Ints
from macro_engine.strategies.base import LEADER, Answer, Completion, Forecasts, Setup
from macro_engine.strategies.by_losses import ByLosses


class FollowTheLeader(ByLosses):
    """Answers as the member with the least cumulative loss does.

    The leader stays on ties. When it is beaten, the last member among the best takes over; at the
    start the last one leads.
    """

    name = "ftl"
    title = "Follow-The-Leader"
    shows = (LEADER,)
    remembers = Declared(*ByLosses.remembers.fields, Whole("leader", below="members"))

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.leader = len(setup.members) - 1

    def weights(self, step: int) -> list[float]:  # noqa: ARG002
        return [float(k == self.leader) for k in range(len(self.losses))]

    def answer(self, forecasts: Forecasts) -> Answer:
        leaders = np.array([self.leader])
        return _answer(forecasts, leaders, forecasts.members[self.leader])

    def update(self, losses: list[float]) -> None:
        super().update(losses)
        best = min(self.losses)
        if best < self.losses[self.leader]:
            self.leader = max(k for k, loss in enumerate(self.losses) if loss == best)

    def run_compiled(self, completion: Completion) -> Answer:
        from macro_engine.strategies.kernels import follow_the_leader, take_leaders

        forecasts, totals = completion.forecasts, np.array(self.losses)
        leaders = follow_the_leader(completion.losses, totals, self.leader)
        self.losses, self.leader = totals.tolist(), int(leaders[-1])
        taken = take_leaders(leaders[:-1], forecasts.members, forecasts.starts)
        return _answer(forecasts, leaders[:-1], taken)


def _answer(forecasts: Forecasts, leaders: Ints, taken: Counts) -> Answer:
    """The leaders' predictions with their probabilities, where there are any."""
    probabilities = None
    if forecasts.member_probabilities is not None:
        by_row = np.repeat(leaders, forecasts.lengths)
        probabilities = forecasts.member_probabilities[by_row, np.arange(len(by_row))]
    return Answer(taken, probabilities, {LEADER: leaders})
