"""The strategies that support a stream's number of classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from macro_engine.core.errors import MacroError
from macro_engine.strategies import STRATEGIES, prediction_of


def usable_strategies(
    strategies: Sequence[str], strategy: str, classes: int, announce: Callable[[str], None]
) -> tuple[list[str], str]:
    """Returns the strategies that support this number of classes, and the one that predicts."""
    left = list(strategies)
    for name in strategies:
        most = STRATEGIES[name].most_classes
        if most is None or classes <= most:
            continue
        left.remove(name)
        reason = f"{name} supports at most {most} classes, and there are {classes}"
        if not left:
            raise MacroError(f"{reason}: add another strategy, as in --strategies ftl,ewa")
        strategy = prediction_of(strategy, left)
        announce(f"{reason}: it is left out; the prediction is that of {strategy}")
    return left, strategy
