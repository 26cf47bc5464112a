"""A strategy that is none of the program's own."""

from __future__ import annotations

import numpy as np
import pytest

from macro_engine.strategies import STRATEGIES, Answer, Strategy, register


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
