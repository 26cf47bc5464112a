"""The answers of strategies that are not this program's own: anything may come from those."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from macro_engine.core.checked import (
    are_shares,
    as_array,
    check_predictions,
    check_probabilities,
)
from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.names import LEADER, WEIGHTS
from macro_engine.strategies.answer import Answer

if TYPE_CHECKING:
    from macro_engine.strategies.base import Strategy
    from macro_engine.strategies.forecasts import Forecasts

_COLUMNS = re.compile("row|step|time|label|t[0-9]+|p_.*")  # of predictions, beside the series


def check_class(strategy: type[Strategy]) -> None:
    """Refuse what is no strategy, or does not say what every strategy says of itself."""
    from macro_engine.strategies.base import Strategy

    if not (isinstance(strategy, type) and issubclass(strategy, Strategy)):
        raise TypeError(f"{visible(strategy, 60)} is no class that derives from Strategy")
    if missing := sorted(strategy.__abstractmethods__):
        raise TypeError(f"the strategy {strategy.__name__} lacks {', '.join(missing)}")
    for thing in ("name", "title"):
        if not isinstance(getattr(strategy, thing, None), str):
            raise TypeError(f"the strategy {strategy.__name__} has no {thing}; write {thing} = ...")
    parts = strategy.parts
    if not _are_names(strategy.shows) or not isinstance(parts, Mapping):
        raise TypeError(f"{strategy.name}: shows is a tuple of names, and parts a dict by these")
    if not all(_are_names(names) and names for names in parts.values()):
        raise TypeError(f"{strategy.name}: parts are tuples of names, as in ('slow', 'fast')")


def check_name(name: str) -> None:
    """Refuse a name that no series may have: of a column, or one that alarms do not read."""
    if not name.isidentifier() or name != name.lower():
        raise ValueError(
            f"'{visible(name)}' is not a valid name for a strategy; write one as in my_vote"
        )
    if _COLUMNS.fullmatch(name):
        raise ValueError(f"'{name}' is a column of the predictions; take another name")


def _are_names(found: Any) -> bool:
    return isinstance(found, tuple | list) and all(isinstance(name, str) for name in found)


def check_answer(strategy: Strategy, forecasts: Forecasts, answer: Answer) -> None:
    """Refuse an answer to one step that is none, or that does not fit the step."""
    if not isinstance(answer, Answer):
        raise _refusal(strategy, f"answers a {type(answer).__name__}", "an Answer is expected")
    who, size = f"the strategy '{strategy.name}'", (len(forecasts.rows), strategy.setup.classes)
    check_predictions(who, answer.predictions, *size)
    if answer.probabilities is not None:
        check_probabilities(who, answer.probabilities, *size)
    if {*answer.shown} != {*strategy.shows}:
        raise _refusal(
            strategy,
            f"shows {_listed(answer.shown)}",
            f"{_listed(strategy.shows)} is expected at every step, as its `shows` says",
        )
    for thing in strategy.shows:
        _check_shown(strategy, thing, answer.shown[thing])


def _check_shown(strategy: Strategy, thing: str, said: Any) -> None:
    """Check what is shown at one step."""
    found, members = as_array(said), len(strategy.setup.members)
    if thing == LEADER:
        if found.shape != (1,) or found[0] not in range(members):
            raise _refusal(
                strategy,
                f"shows 'leader' as {visible(said, 60)}",
                f"the index of one of {members} members is expected for each of 1 steps",
            )
        return
    parts = members if thing == WEIGHTS else len(strategy.parts.get(thing, ("",)))
    if found.shape not in {(1, parts), (parts,) if parts == 1 else (1, parts)}:
        raise _refusal(
            strategy,
            f"shows '{thing}' as {found.shape}",
            f"1 steps by {parts} parts are expected; see Strategy.parts",
        )
    if found.dtype.kind not in "biuf":
        raise _refusal(strategy, f"shows '{thing}' of type {found.dtype}", "numbers are expected")
    if thing == WEIGHTS and not are_shares(found).all():
        raise _refusal(
            strategy,
            f"shows the weights {visible(found.tolist(), 60)}",
            "numbers from 0 to 1 with sum 1 are expected",
        )


def _listed(names: Any) -> str:
    return " and ".join(f"'{visible(name, 30)}'" for name in names) or "nothing"


def _refusal(strategy: Strategy, found: str, expected: str) -> MacroError:
    return MacroError(f"the strategy '{strategy.name}' {found}, where {expected}")
