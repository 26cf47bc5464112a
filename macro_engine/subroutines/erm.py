"""Empirical risk minimization as in the paper's Theorem 1: keeps all rows and minimises over them.

Each prediction after new rows minimises over all rows that the subroutine has learned: the cost of
a run grows with the square of its length. It is the reference that `logistic` approximates.
"""

from __future__ import annotations

import numpy as np

from macro_engine.core.declared import Array, Declared, Flag, Integer
from macro_engine.core.rows import Columns, Floats, Ints, Rows
from macro_engine.core.state import State, child
from macro_engine.subroutines.base import RunningMean, Subroutine, Widths, widened
from macro_engine.subroutines.parameters import WEIGHTS, Parameters, column_names
from macro_engine.subroutines.probabilities import of_classes, sigmoid

PENALTY = 1e-4
GRADIENT_NORM = 1e-8
_MOST_STEPS = 100  # a handful is enough unless numbers are so large that rounding forbids the norm

_WIDTHS = Widths("widths", before=(1,))
_WEIGHTS = Array("weights", np.float64, ("models", "columns"))


class Erm(Subroutine):
    """The minimum of mean logistic loss + 1e-4 / 2 ||(w, b)||^2 over the rows that it learned.

    Two classes: one model, for which the second class is positive. More: one model a class.
    """

    always_has_probabilities = True
    remembers = Declared(_WIDTHS, _WEIGHTS, Flag("solved"))

    def __init__(self, classes: int) -> None:
        self.classes = classes
        # a line a model, the intercept first; its part of the columns never grows
        self.weights = np.zeros((1 if classes == 2 else classes, 1))
        self.widths: list[int] = []
        self.steps: list[Rows] = []
        self.solved = True

    def predict(self, rows: Rows) -> Ints:
        self.solve(rows.columns)
        return predicted(rows, self.weights)

    def probabilities(self, rows: Rows) -> Floats:
        self.solve(rows.columns)
        return of_classes(sigmoid(with_intercept(rows) @ self.weights.T))

    def learn(self, rows: Rows) -> None:
        self.steps.append(rows)
        self.solved = False

    def copy(self) -> Erm:
        """A newborn has its parent's weights and no rows."""
        if self.steps:
            self.solve(self.steps[-1].columns)
        newborn = Erm(self.classes)
        newborn.weights, newborn.widths = self.weights.copy(), self.widths
        return newborn

    def parameters(self, columns: Columns) -> Parameters:
        names = column_names(columns, self.widths[1:] or [0] * len(columns.widths))
        values = self.weights[:, 1:].copy()
        return Parameters(WEIGHTS, names[: values.shape[1]], values, self.weights[:, 0].copy())

    def state(self) -> State:
        rows = Rows.join(self.steps, self.steps[-1].columns).state() if self.steps else None
        return self.remembers.state_of(self) | {"rows": rows}

    def restore(self, state: State, columns: Columns) -> None:
        self.remembers.restore(self, state, models=len(self.weights))
        _WIDTHS.check(self.widths, columns)
        if state.get("rows") is not None:
            self.steps = [Rows.restored(child(state, "rows"), columns, self.classes)]

    def running_mean(self) -> RunningMean:
        return MeanSolution(self)

    def solve(self, columns: Columns) -> None:
        """Minimise over the rows, if any came since the last time."""
        widths = [1, *columns.widths]
        self.weights = widened(self.weights, self.widths or [1] + [0] * len(columns.widths), widths)
        self.widths = widths
        if self.solved:
            return
        rows = Rows.join(self.steps, columns)
        self.steps = [rows]
        x = with_intercept(rows)
        for m, positive in enumerate([1] if self.classes == 2 else range(self.classes)):
            signs = np.where(rows.labels == positive, 1.0, -1.0)
            self.weights[m] = minimise(x, signs, self.weights[m])
        self.solved = True


class MeanSolution(RunningMean):
    """The mean of the minimisers after each learned step."""

    remembers = Declared(_WIDTHS, _WEIGHTS, Integer("count"))

    def __init__(self, learner: Erm) -> None:
        self.learner = learner
        self.count = 0
        self.weights = np.zeros((len(learner.weights), 1))
        self.widths: list[int] = []

    def add(self) -> None:
        learner = self.learner
        learner.solve(learner.steps[-1].columns)
        before = self.widths or [1] + [0] * (len(learner.widths) - 1)
        self.weights = widened(self.weights, before, learner.widths)
        self.widths = learner.widths
        self.count += 1
        self.weights += (learner.weights - self.weights) / self.count

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State, columns: Columns) -> None:
        self.remembers.restore(self, state, models=len(self.weights))
        _WIDTHS.check(self.widths, columns)

    def predict(self, rows: Rows) -> Ints:
        return predicted(rows, self._widened(rows))

    def probabilities(self, rows: Rows) -> Floats:
        return of_classes(sigmoid(with_intercept(rows) @ self._widened(rows).T))

    def _widened(self, rows: Rows) -> Floats:
        return widened(self.weights, self.widths, [1, *rows.columns.widths])


def minimise(x: Floats, signs: Floats, start: Floats) -> Floats:
    """The weights at which the gradient's norm is at most 1e-8, by Newton's method.

    Numbers far from 0 may not allow that norm in floating point; then the best found is returned.

    Parameters
    ----------
    x
        Rows by columns, the intercept's ones included.
    signs
        1 for rows of the positive class, -1 for the others.
    """
    weights = start
    value, gradient = risk(x, signs, weights)
    for _ in range(_MOST_STEPS):
        if np.linalg.norm(gradient) <= GRADIENT_NORM:
            break
        margin = np.clip(signs * (x @ weights), -500.0, 500.0)
        curvature = 1.0 / ((1.0 + np.exp(margin)) * (1.0 + np.exp(-margin)))
        hessian = (x.T * curvature) @ x / len(x) + PENALTY * np.eye(x.shape[1])
        step = np.linalg.solve(hessian, gradient)
        length, slope = 1.0, float(gradient @ step)
        while length > 1e-9:
            trial = weights - length * step
            value_there, gradient_there = risk(x, signs, trial)
            # near the minimum the value no longer resolves a decrease, the gradient does
            lower = value_there <= value - 1e-4 * length * slope
            flatter = np.linalg.norm(gradient_there) < 0.5 * np.linalg.norm(gradient)
            if lower or (flatter and value_there <= value + 1e-12):
                break
            length /= 2.0
        else:
            return weights  # rounding allows no further progress
        weights, value, gradient = trial, value_there, gradient_there
    return weights


def risk(x: Floats, signs: Floats, weights: Floats) -> tuple[float, Floats]:
    """The regularised mean logistic loss and its gradient."""
    margin = signs * (x @ weights)
    loss = np.logaddexp(0.0, -margin).mean() + 0.5 * PENALTY * weights @ weights
    doubt = 1.0 / (1.0 + np.exp(np.clip(margin, -500.0, 500.0)))
    gradient: Floats = -(x.T @ (signs * doubt)) / len(x) + PENALTY * weights
    return float(loss), gradient


def predicted(rows: Rows, weights: Floats) -> Ints:
    """The class with the largest margin, the first one on ties."""
    margins = with_intercept(rows) @ weights.T
    best: Ints = (margins[:, 0] > 0).astype(np.int64) if len(weights) == 1 else margins.argmax(1)
    return best


def with_intercept(rows: Rows) -> Floats:
    return np.concatenate([np.ones((len(rows), 1)), rows.dense], axis=1)
