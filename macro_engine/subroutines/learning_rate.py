"""The learning rate of stochastic gradient descent: falling or constant."""

from __future__ import annotations

SQRT = "sqrt"  # 1 / sqrt(n + 1) after n rows
LearningRate = float | str
MOST = 1000.0  # far beyond any use, and no sum of weights overflows


def factor_and_power(rate: LearningRate | None) -> tuple[float, float]:
    """The step after n rows is factor / (n + 1)^power; None where a learner takes no steps.

    >>> factor_and_power("sqrt"), factor_and_power(0.05)
    ((1.0, 0.5), (0.05, 0.0))
    """
    return (1.0, 0.5) if rate is None or isinstance(rate, str) else (float(rate), 0.0)
