"""Alarm rules such as `ftl > marginal + 1pp for 2h`, and their parser."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible

UNKNOWN_LABELS = "unknown labels > 1%"  # watched in every run
EXAMPLES = (
    "'ftl > marginal + 1pp for 4h', 'blend > 25%', 'no rows for 5m', 'no step for 1h', "
    "'rejected > 5% for 10m', 'lag > 2m', 'birth', 'leader changed'"
)
_BUILT_IN = ("ftl", "ewa", "blend", "marginal", "no_change")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LENGTH = r"(\d{1,9}(?:\.\d+)?) ?([smhd])"
_FOR = rf"(?: for (?:{_LENGTH}|(\d{{1,9}}) steps?))?"
_ERROR = re.compile(rf"(\w+) ?> ?([\w.]+%?)(?: ?\+ ?(\d{{1,3}}(?:\.\d+)?) ?pp)?{_FOR}")
_SHARE = re.compile(rf"(rejected|unknown labels) ?> ?([\w.]+%?){_FOR}")
_LAG = re.compile(rf"lag ?> ?{_LENGTH}{_FOR}")
_SILENCE = re.compile(rf"no (row|step)s? for {_LENGTH}")

Kind = Literal["error", "birth", "leader", "silence", "rejected", "unknown", "lag"]


@dataclass(frozen=True)
class Rule:
    """What is watched.

    Attributes
    ----------
    series, limit, margin
        An error and what it must not exceed: a share, or another series and so much more. For
        shares of rows and for the lag, in microseconds, only the limit.
    of
        Of what there are none during a silence.
    microseconds, steps
        For how long it must have held, in the stream's time or in steps; 0 for at once.
    """

    text: str
    kind: Kind
    series: str = ""
    limit: float | str = 0.0
    margin: float = 0.0
    of: Literal["row", "step"] = "row"
    microseconds: int = 0
    steps: int = 0


def parse(text: str, series: Collection[str] = ()) -> Rule:
    """Reads a rule; `series` are those of a run, whose strategies need not be known here.

    >>> parse("ftl > marginal + 1pp for 2h").microseconds
    7200000000
    >>> parse("birth").kind
    'birth'
    """
    words = " ".join(text.lower().split())
    if words == "birth":
        return Rule(words, "birth")
    if words == "leader changed":
        return Rule(words, "leader")
    if match := _SILENCE.fullmatch(words):
        of: Literal["row", "step"] = "row" if match[1] == "row" else "step"
        return Rule(words, "silence", of=of, microseconds=_microseconds(match[2], match[3]))
    if match := _LAG.fullmatch(words):
        limit = float(_microseconds(match[1], match[2]))
        return replace(Rule(words, "lag", limit=limit), **_held(match, 3))
    if match := _SHARE.fullmatch(words):
        kind: Kind = "rejected" if match[1] == "rejected" else "unknown"
        return replace(Rule(words, kind, limit=_share(match[2], text)), **_held(match, 3))
    match = _ERROR.fullmatch(words)
    if match is None or not _is_series(match[1], series):
        raise UsageError(f"--alarm '{visible(text)}' is not a rule; write {EXAMPLES}")
    against = match[2] if _is_series(match[2], series) else _share(match[2], text)
    if match[3] and not isinstance(against, str):
        raise UsageError(
            f"--alarm '{visible(text)}': a margin stands behind a series, as in "
            "'ftl > marginal + 1pp'"
        )
    margin = float(match[3] or 0) / 100
    return replace(Rule(words, "error", match[1], against, margin), **_held(match, 4))


def _held(match: re.Match[str], group: int) -> dict[str, Any]:
    """For how long a rule must have held, from the groups of `_FOR`."""
    number, unit, steps = match[group], match[group + 1], match[group + 2]
    return {"microseconds": _microseconds(number, unit) if number else 0, "steps": int(steps or 0)}


def _is_series(name: str, series: Collection[str]) -> bool:
    """Whether a name is that of a baseline or strategy; those of plug-ins are looked up last."""
    if name in _BUILT_IN or name in series or not name.isidentifier():
        return name in _BUILT_IN or name in series
    from macro_engine.core import plugins
    from macro_engine.strategies import STRATEGIES

    plugins.load()
    return name in STRATEGIES


def _microseconds(number: str, unit: str) -> int:
    return round(float(number) * _SECONDS[unit] * 1_000_000)


def _share(number: str, rule: str) -> float:
    try:
        share = float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(
            f"--alarm '{visible(rule)}': '{visible(number)}' is neither a share such as 0.25 or "
            f"25% nor a series such as {', '.join(_BUILT_IN)}"
        )
    return share
