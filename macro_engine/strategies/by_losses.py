"""Strategies in which the members vote, with weights that depend on their summed losses alone."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

import numpy as np

from macro_engine.core.declared import Array, Declared
from macro_engine.core.state import State
from macro_engine.strategies.answer import Answer
from macro_engine.strategies.base import LateSteps, Setup, Strategy
from macro_engine.strategies.forecasts import Completion


class ByLosses(Strategy):
    """Keeps the loss of each member, summed over completed steps in their order."""

    remembers = Declared(Array("losses", np.float64, ("members",), as_list=True))

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.losses = [0.0] * len(setup.members)

    @abstractmethod
    def weights(self, step: int) -> list[float]:
        """The weights in force at a step; not negative, with sum 1."""

    def complete(self, completion: Completion, answer: Answer) -> None:  # noqa: ARG002
        self.update(completion.losses[0].tolist())

    def update(self, losses: list[float]) -> None:
        """Learns a step, given the loss of each member."""
        self.losses = [total + loss for total, loss in zip(self.losses, losses, strict=True)]

    def run_late(self, late: LateSteps) -> Answer | None:
        answer = super().run_late(late)
        return None if answer is None else replace(answer, kept=None)  # of which there is nothing

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State) -> None:
        self.remembers.restore(self, state, members=len(self.losses))
