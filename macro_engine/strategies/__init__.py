"""Strategies that choose among the members of a run, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from macro_engine.core.errors import MacroError
from macro_engine.core.members import Member
from macro_engine.core.names import BASELINES, LEADER, PULL, TURNING, WEIGHTS, Names, Shown
from macro_engine.core.rows import Ints
from macro_engine.strategies.answer import Answer
from macro_engine.strategies.base import LateSteps, Setup, Strategy
from macro_engine.strategies.blend import BlendStrategy
from macro_engine.strategies.checked import check_class, check_name
from macro_engine.strategies.ewa import ExponentialWeights
from macro_engine.strategies.forecasts import Completion, Forecasts
from macro_engine.strategies.ftl import FollowTheLeader

__all__ = [
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
    "leaders_of",
    "macro_of",
    "names_along",
    "prediction_of",
    "register",
    "shown_members",
    "start",
]

# in the order in which their series stand everywhere
STRATEGIES: dict[str, type[Strategy]] = {}
PAPER = ("ftl", "ewa")
DEFAULT = (*PAPER, "blend")  # unless a description or a preset asks for the paper's


def register(strategy: type[Strategy]) -> type[Strategy]:
    """Registers a strategy class under its name; a decorator."""
    check_class(strategy)
    name = strategy.name
    check_name(name)
    if name in BASELINES or name in STRATEGIES:
        raise ValueError(f"'{name}' is taken; take another name")
    STRATEGIES[name] = strategy
    return strategy


def names_along(
    computed: Sequence[str], members: Sequence[Member], classes: int, prediction: str = ""
) -> Names:
    """Returns the names along the axes of results, given the strategies of a run.

    Where several show a leader, or weights of the members, those of the one whose prediction is
    the prediction are looked at, or else those of the first.
    """
    found = {name: STRATEGIES[name] for name in STRATEGIES if name in computed}

    def first(thing: str) -> str:
        showing = [name for name, strategy in found.items() if thing in strategy.shows]
        return prediction if prediction in showing else next(iter(showing), "")

    names = Names((*BASELINES, *found), tuple(members), classes)
    shown = tuple(
        Shown(name, thing, part)
        for name, strategy in found.items()
        for thing in strategy.shows
        if thing != LEADER and (thing != WEIGHTS or _stores_weights(strategy))
        for part in (names.member_names if thing == WEIGHTS else strategy.parts.get(thing, ("",)))
    )
    return replace(names, shown=shown, leading=first(LEADER), weighing=first(WEIGHTS))


def _stores_weights(strategy: type[Strategy]) -> bool:
    return strategy.weights_by_losses is Strategy.weights_by_losses


def leaders_of(names: Names, shown: Mapping[str, Mapping[str, Any]], steps: int) -> Ints | None:
    """The member that is followed at each step, given what strategies show; None where none is."""
    if not names.leading:
        return None
    found, k = np.asarray(shown[names.leading].get(LEADER)), len(names.members)
    if found.shape != (steps,) or not np.isin(found, np.arange(k)).all():
        raise MacroError(
            f"the strategy '{names.leading}' shows '{LEADER}' as {found}, where the index of one "
            f"of {k} members is expected for each of {steps} steps"
        )
    return found.astype(np.int64)


def shown_members(names: Names, shown: Mapping[str, Mapping[str, Any]], steps: int) -> Ints:
    """The same, or the last member; as `Steps.shown_members`."""
    leaders = leaders_of(names, shown, steps)
    return np.full(steps, len(names.members) - 1) if leaders is None else leaders


def start(names: Sequence[str], setup: Setup) -> list[Strategy]:
    """The strategies of these names, new, in the order of the registry."""
    return [strategy(setup) for name, strategy in STRATEGIES.items() if name in names]


def prediction_of(named: str, computed: Sequence[str]) -> str:
    """Returns the strategy that makes the prediction.

    It is the one that is named; where that is not computed blend, else FTL, else the first.

    >>> prediction_of("ewa", ["ftl", "ewa"]), prediction_of("blend", ["ewa", "toy"])
    ('ewa', 'ewa')
    """
    wanted = (named, "blend", "ftl", *computed)
    return next((name for name in wanted if name in computed), "")


register(FollowTheLeader)
register(ExponentialWeights)
register(BlendStrategy)


def macro_of(prediction: str, computed: Sequence[str]) -> str:
    """The series that stands for MACRO, given whose prediction it is and all that are computed.

    >>> macro_of("blend", ["ftl", "ewa", "blend"]), macro_of("ewa", ["ftl", "ewa"])
    ('ftl', 'ewa')
    """
    wanted = PAPER[::-1] if prediction == PAPER[1] else PAPER
    others = prediction_of(prediction, computed)
    return next((name for name in wanted if name in computed), others)
