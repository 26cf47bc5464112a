"""Online-to-batch conversion: the output hypothesis of a subroutine.

A hypothesis h_i is the learner's state after its i-th learned step, and s is how many there are so
far. Until the first, a newborn puts out the copy that it started from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from macro_engine.core.rows import Columns, Floats, Ints, Rows
from macro_engine.core.state import DamagedError, State, child, children, number, whole
from macro_engine.subroutines.base import Create, Subroutine
from macro_engine.subroutines.parameters import Parameters

OUTPUTS = ("last", "average", "score")


def converted(create: Create, output: str, delta: float) -> Create:
    """How to start a subroutine that puts out what `output` says."""
    if output == "average":
        return lambda classes: Averaged(create(classes))
    if output == "score":
        return lambda classes: Scored(create(classes), delta)
    return create


class Averaged(Subroutine):
    """Outputs the mean of h_1, ..., h_s: the conversion for convex losses (Theorem 2)."""

    def __init__(self, learner: Subroutine) -> None:
        self.learner = learner
        self.always_has_probabilities = learner.always_has_probabilities
        self.mean = learner.running_mean()
        self.steps = 0

    def predict(self, rows: Rows) -> Ints:
        return self.mean.predict(rows) if self.steps else self.learner.predict(rows)

    def probabilities(self, rows: Rows) -> Floats | None:
        return (self.mean if self.steps else self.learner).probabilities(rows)

    def learn(self, rows: Rows) -> None:
        if len(rows) == 0:  # no label of the step came: it is not learned, and gives no hypothesis
            return
        self.learner.learn(rows)
        self.steps += 1
        self.mean.add()

    def parameters(self, columns: Columns) -> Parameters | None:
        return self.learner.parameters(columns)

    def state(self) -> State:
        return {
            "learner": self.learner.state(),
            "mean": self.mean.state(),
            "steps": self.steps,
        }

    def restore(self, state: State, columns: Columns) -> None:
        self.learner.restore(child(state, "learner"), columns)
        self.mean.restore(child(state, "mean"), columns)
        self.steps = whole(state, "steps")

    def copy(self) -> Averaged:
        return Averaged(self.learner.copy())

    def finish(self) -> None:
        self.learner.finish()


@dataclass
class Candidate:
    """The hypothesis h_i and the sum of its losses in the steps learned after it."""

    i: int
    hypothesis: Subroutine
    losses: float = 0.0


class Scored(Subroutine):
    """Outputs the hypothesis with the least score u(i): the conversion for any loss (Theorem 3).

    The paper scores every hypothesis. Here the candidates are i = 1, 2, 4, 8, ... and s, an
    approximation that keeps their number logarithmic.
    """

    def __init__(self, learner: Subroutine, delta: float) -> None:
        self.learner = learner
        self.always_has_probabilities = learner.always_has_probabilities
        self.delta = delta
        self.steps = 0
        self.candidates: list[Candidate] = []

    def predict(self, rows: Rows) -> Ints:
        best = self.best()
        before = best.unanswered
        predictions = best.predict(rows)
        self.unanswered += best.unanswered - before
        return predictions

    def probabilities(self, rows: Rows) -> Floats | None:
        return self.best().probabilities(rows)

    def learn(self, rows: Rows) -> None:
        if len(rows) == 0:
            return
        for candidate in self.candidates:
            wrong = int((candidate.hypothesis.predict(rows) != rows.labels).sum())
            candidate.losses += wrong / len(rows)
        self.learner.learn(rows)
        self.steps += 1
        if self.steps & (self.steps - 1) == 0:
            self.candidates.append(Candidate(self.steps, self.learner.copy()))

    def best(self) -> Subroutine:
        """The candidate with the least score, the latest on ties."""
        chosen, least = self.learner, self.score(self.steps, 0.0) if self.steps else 0.0
        for candidate in reversed(self.candidates):
            score = self.score(candidate.i, candidate.losses)
            if score < least:
                chosen, least = candidate.hypothesis, score
        return chosen

    def score(self, i: int, losses: float) -> float:
        """u(i) = mean loss after i + sqrt(log(s^3 (s + 1) / delta) / (2 (s - i + 1)))."""
        s = self.steps
        mean = losses / (s - i) if s > i else 0.0
        return mean + math.sqrt(math.log(s**3 * (s + 1) / self.delta) / (2 * (s - i + 1)))

    def parameters(self, columns: Columns) -> Parameters | None:
        return self.learner.parameters(columns)

    def state(self) -> State:
        return {
            "learner": self.learner.state(),
            "steps": self.steps,
            "candidates": [
                {"i": c.i, "hypothesis": c.hypothesis.state(), "losses": c.losses}
                for c in self.candidates
            ],
        }

    def restore(self, state: State, columns: Columns) -> None:
        self.steps = whole(state, "steps")
        for kept in children(state, "candidates"):
            hypothesis = self.learner.copy()
            hypothesis.restore(child(kept, "hypothesis"), columns)
            losses = number(kept, "losses")
            i = whole(kept, "i", 1, max(self.steps, 1))
            self.candidates.append(Candidate(i, hypothesis, losses))
        if self.candidates and not self.steps:
            raise DamagedError("in its state a subroutine has candidates and no steps")
        self.learner.restore(child(state, "learner"), columns)

    def copy(self) -> Scored:
        return Scored(self.learner.copy(), self.delta)

    def finish(self) -> None:
        for candidate in self.candidates:
            candidate.hypothesis.finish()
        self.learner.finish()
