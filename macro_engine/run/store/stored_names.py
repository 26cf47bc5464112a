"""The names of series, members and classes in a run file."""

from __future__ import annotations

import math
from typing import Any

from macro_engine.core.members import ALL, Member
from macro_engine.core.names import BASELINES, Names, Shown
from macro_engine.core.state import DamagedError

_MOST_MEMBERS = 10_000
_MOST_NAMES = 1 << 16
_SHOWING = {"leading": "ftl", "weighing": "ewa"}  # and who it was before that was stored


def names_of(info: dict[str, Any], classes: int) -> Names:
    """Returns the names along the axes of a run's results."""
    series = tuple(texts_of(info.get("series"), "series"))
    if series[: len(BASELINES)] != BASELINES or len({*series}) < max(len(series), 3):
        raise DamagedError("its series are not baselines and then strategies")
    leading, weighing = (_of_series(info, name, was, series) for name, was in _SHOWING.items())
    shown = _shown(info.get("shown", []))
    return Names(series, members_of(info.get("members")), classes, shown, leading, weighing)


def told(names: Names) -> dict[str, Any]:
    """All but the number of classes as JSON; infinity, which JSON has not, as text."""
    members = [
        [member.history, "inf" if math.isinf(member.threshold) else member.threshold]
        for member in names.members
    ]
    shown = [[one.strategy, one.thing, one.part] for one in names.shown]
    showing = {name: getattr(names, name) for name in _SHOWING}
    return {"series": list(names.series), "members": members, "shown": shown} | showing


def members_of(pairs: Any) -> tuple[Member, ...]:
    if not isinstance(pairs, list) or len(pairs) > _MOST_MEMBERS:
        raise DamagedError("its thresholds are missing")
    try:
        members = [Member(_history(h, float(t)), float(t)) for h, t in pairs]
    except (TypeError, ValueError, OverflowError):
        raise DamagedError("its thresholds are not numbers") from None
    if any(math.isnan(member.threshold) for member in members):
        raise DamagedError("its thresholds are not numbers")
    return tuple(members)


def _shown(told: Any) -> tuple[Shown, ...]:
    if not isinstance(told, list) or len(told) > _MOST_NAMES:
        raise DamagedError("its strategies show values without names")
    for names in told:
        if not isinstance(names, list) or len(names) != 3:
            raise DamagedError("its strategies show values without names")
    return tuple(Shown(*map(str, names)) for names in told)


def _of_series(info: dict[str, Any], name: str, was: str, series: tuple[str, ...]) -> str:
    """One of the series, or none."""
    found = str(info.get(name, was if was in series else ""))
    if found and found not in series:
        raise DamagedError(f"what is {name} is none of its series")
    return found


def _history(told: Any, threshold: float) -> int | str | None:
    if math.isinf(threshold):
        return None
    return ALL if told in (None, ALL) else int(told)


def texts_of(value: Any, what: str) -> list[str]:
    if not isinstance(value, list) or len(value) > _MOST_NAMES:
        raise DamagedError(f"its {what} are missing")
    return [str(name) for name in value]
