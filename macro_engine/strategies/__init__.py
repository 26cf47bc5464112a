"""Strategies that choose among the members of a run, by name."""

from __future__ import annotations

from collections.abc import Sequence

from macro_engine.core.names import Shown
from macro_engine.strategies.base import (
    LEADER,
    PULL,
    TURNING,
    WEIGHTS,
    Answer,
    Completion,
    Forecasts,
    LateSteps,
    Setup,
    Strategy,
)
from macro_engine.strategies.blend import BlendStrategy
from macro_engine.strategies.ewa import ExponentialWeights
from macro_engine.strategies.ftl import FollowTheLeader

__all__ = [
    "BASELINES",
    "DEFAULT",
    "LEADER",
    "PAPER",
    "PULL",
    "STRATEGIES",
    "TURNING",
    "WEIGHTS",
    "Answer",
    "Completion",
    "Forecasts",
    "LateSteps",
    "Setup",
    "Strategy",
    "register",
    "shown_by",
    "start",
]

BASELINES = ("marginal", "no_change")  # what strategies are set against; always computed

# in the order in which their series stand everywhere
STRATEGIES: dict[str, type[Strategy]] = {}
PAPER = ("ftl", "ewa")
DEFAULT = (*PAPER, "blend")  # unless a description or a preset asks for the paper's


def register(strategy: type[Strategy]) -> type[Strategy]:
    """Make a strategy known by its name; a decorator for classes."""
    name = strategy.name
    if not name.isidentifier() or name in BASELINES or name in STRATEGIES:
        raise ValueError(f"'{name}' is taken, or is no name for a strategy")
    STRATEGIES[name] = strategy
    return strategy


def shown_by(names: Sequence[str]) -> tuple[Shown, ...]:
    """What the strategies of these names show, but for leaders and weights of members."""
    return tuple(
        Shown(name, thing, part)
        for name, strategy in STRATEGIES.items()
        if name in names
        for thing in strategy.shows
        if thing not in (LEADER, WEIGHTS)
        for part in strategy.parts.get(thing, ("",))
    )


def start(names: Sequence[str], setup: Setup) -> list[Strategy]:
    """The strategies of these names, new, in the order of the registry."""
    return [strategy(setup) for name, strategy in STRATEGIES.items() if name in names]


register(FollowTheLeader)
register(ExponentialWeights)
register(BlendStrategy)


def macro_of(prediction: str, computed: Sequence[str]) -> str:
    """The series that stands for MACRO, given whose prediction it is and all that are computed.

    >>> macro_of("blend", ["ftl", "ewa", "blend"]), macro_of("ewa", ["ftl", "ewa"])
    ('ftl', 'ewa')
    """
    wanted = PAPER[::-1] if prediction == PAPER[1] else PAPER
    last = prediction if prediction in computed else computed[-1]
    return next((name for name in wanted if name in computed), last)
