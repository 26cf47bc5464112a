"""Creates strategies whose columns and classes may grow."""

from __future__ import annotations

from typing import Any

from macro_engine.estimator.growing_blend import GrowingBlend
from macro_engine.estimator.growing_columns import GrowingColumns
from macro_engine.strategies import STRATEGIES, Setup, Strategy

_TWINS = {"blend": GrowingBlend}  # of strategies that want to know all columns beforehand


def check_strategy(name: str) -> None:
    """Refuse a strategy that cannot be used here."""
    if name not in STRATEGIES:
        raise ValueError(f"the strategy '{name}' is unknown; one of: {', '.join(STRATEGIES)}")
    strategy = STRATEGIES[name]
    if name not in _TWINS and (strategy.wants_units or not strategy.grows):
        raise ValueError(f"the strategy '{name}' needs all classes and columns in advance")


def check_class(name: str, known: int, y: Any) -> None:
    """Refuse a class more than a strategy can have."""
    most = STRATEGIES[name].most_classes
    if known == most:
        raise ValueError(
            f"the strategy '{name}' supports at most {most} classes, and {y!r} is one more: "
            "take another strategy, as in MacroClassifier(strategy='ftl')"
        )


def growing_strategy(name: str, setup: Setup, layout: GrowingColumns) -> Strategy:
    """A new strategy, over the columns that there are."""
    if name in _TWINS:
        return _TWINS[name](setup, layout)
    return STRATEGIES[name](setup)
