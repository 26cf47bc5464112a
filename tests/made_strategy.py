"""A strategy that is none of the program's own."""

from __future__ import annotations

import numpy as np
import pytest

from macro_engine.strategies import (
    LEADER,
    PULL,
    STRATEGIES,
    TURNING,
    WEIGHTS,
    Answer,
    Strategy,
    register,
)


@pytest.fixture
def toy():
    """A strategy that takes the likeliest class of the mean of all that it is told."""

    class Toy(Strategy):
        name = "toy"
        title = "the mean of everything"
        wants_probabilities = True
        shows = ("surprise",)

        def __init__(self, setup):
            super().__init__(setup)
            self.surprise = 0.0

        def answer(self, forecasts):
            p = np.concatenate(
                [
                    forecasts.member_probabilities,
                    forecasts.marginal_probabilities[None],
                    forecasts.no_change_probabilities[None],
                ]
            ).mean(axis=0)
            return Answer(p.argmax(axis=1), p, {"surprise": np.array([self.surprise])}, kept=p)

        def complete(self, completion, answer):
            chosen = answer.kept[np.arange(len(completion.labels)), completion.labels]
            self.surprise -= float(np.log(chosen).mean())

        def state(self):
            return {"surprise": np.array([self.surprise])}

        def restore(self, state):
            self.surprise = float(state["surprise"][0])

    register(Toy)
    yield Toy
    del STRATEGIES["toy"]


@pytest.fixture
def mixed():
    """A strategy that says what pulls it, in turn tiles and MACRO, and how often it turned."""

    class Mixed(Strategy):
        name = "mixed"
        title = "the marginal baseline, and what would pull it"
        shows = (PULL, TURNING, "turns")
        parts = {PULL: ("linear", "shares", "macro", "tiles")}  # noqa: RUF012
        period = 40  # steps

        def __init__(self, setup):
            super().__init__(setup)
            self.steps = 0

        def answer(self, forecasts):
            turns = self.steps // self.period
            pull = [0.1, 0.0, 0.2, 0.5] if turns % 2 else [0.1, 0.0, 0.6, 0.3]
            shown = {
                PULL: np.array([pull]),
                TURNING: np.array([0.25 + 0.5 * (turns % 2)]),
                "turns": np.array([turns]),
            }
            return Answer(np.array(forecasts.marginal), None, shown)

        def complete(self, completion, answer):  # noqa: ARG002
            self.steps += 1

        def state(self):
            return {"steps": self.steps}

        def restore(self, state):
            self.steps = state["steps"]

    register(Mixed)
    yield Mixed
    del STRATEGIES["mixed"]


class _AfterTheLast(Strategy):
    """Goes by what each member got wrong in the last step alone."""

    def __init__(self, setup):
        super().__init__(setup)
        self.losses = np.zeros(len(setup.members))

    def complete(self, completion, answer):  # noqa: ARG002
        self.losses = completion.losses[0]

    def state(self):
        return {"losses": self.losses}

    def restore(self, state):
        self.losses = state["losses"]


@pytest.fixture
def newest():
    """A strategy that follows the first of the members that were best in the last step."""

    class Newest(_AfterTheLast):
        name = "newest"
        title = "the best of the last step"
        shows = (LEADER,)

        def answer(self, forecasts):
            leader = int(self.losses.argmin())
            return Answer(forecasts.members[leader], None, {LEADER: np.array([leader])})

    register(Newest)
    yield Newest
    del STRATEGIES["newest"]


@pytest.fixture
def halves():
    """A strategy by which a member weighs half as much as one that was right in the last step."""

    class Halves(_AfterTheLast):
        name = "halves"
        title = "a vote by the last step"
        shows = (WEIGHTS,)

        def answer(self, forecasts):
            weights = np.where(self.losses > 0, 0.5, 1.0)
            weights /= weights.sum()
            votes = [weights @ (forecasts.members == c) for c in range(self.setup.classes)]
            return Answer(np.argmax(votes, axis=0), None, {WEIGHTS: weights[None]})

    register(Halves)
    yield Halves
    del STRATEGIES["halves"]
