"""An immutable snapshot of the state of a run, for any thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from macro_engine.core.escape import visible
from macro_engine.core.state import DamagedError, State
from macro_engine.stream.times import FIRST_TIME, LAST_TIME

ENDED = ("finished", "stopped", "failed")
COMPILING = "compiling the fast path"  # `warming` of a run that waits for that
_LARGEST = 1 << 62
_LONGEST_TEXT = 200
_WALL = (0, LAST_TIME // 1_000_000)
_MOMENTS = dict.fromkeys(("time", "pending_oldest"), (FIRST_TIME, LAST_TIME)) | dict.fromkeys(
    ("came", "closed", "seen", "gone"), _WALL
)
PENDING_WORDS = {
    "key", "row", "time", "p", "prediction", "step", "member", "active", "distance", "close"
}  # fmt: skip
_COMPLETE = {"open_errors": "marginal", "said": "label"}  # with the strategy, unless empty


@dataclass(frozen=True)
class Snapshot:
    """The newest state of affairs.

    Attributes
    ----------
    state
        In a word: `starting`, `learning`, `running`, `quiet`, `paused`, `waiting`, `gone` (who
        writes the run file that is watched), `finished`, `stopped`, `failed`.
    words
        The same in a sentence for the user.
    steps, rows, time
        Closed steps, their rows, and the time of the newest row in microseconds since 1970.
    done
        The share of the input that has been played; None where there is no end.
    rate
        Rows a second, of late.
    speed
        How fast it is asked to play, in words.
    strategy
        Whose prediction is the prediction.
    errors
        By series; with `member_errors` and `subroutines`, one for each member.
    came
        On a live feed: when rows last came, or it was begun, in seconds since 1970.
    closed
        On a live feed: when a step was last closed, or it was begun, in seconds since 1970.
    gone
        On a live feed: since when it cannot be read, in seconds since 1970; None if it can.
    behind
        On a live feed: how many rows wait there, about; None if unknown.
    open_rows, open_errors
        On a live feed: the rows of the open step so far, and the share of them that each series
        got wrong.
    said
        For the newest row of the open step: the label, and what each series said, by name.
    seen
        On a live feed: until when it is known whether rows came, in seconds since 1970; None if
        that is now. Rows that cannot be written are not read, or not seen by who watches.
    recording
        The state of the run file in words; empty where there is none to speak of.
    warming
        How long it takes until the run is as fast as it can be, in words; empty if it is.
    trouble
        Why the run file cannot be written; empty if it can.
    alarms
        What calls the operator: for each the rule, the step and what was found.
    pending_rows, pending_oldest, pending_class, pending_expected, pending_likely
        Rows that wait for labels, as `Pending` has them.
    errors_at_once
        The errors by series if every label had been known at once; empty if unknown, or if no
        label comes late.
    """

    state: str = "starting"
    words: str = "starting"
    steps: int = 0
    rows: int = 0
    time: int | None = None
    done: float | None = None
    rate: float = 0.0
    speed: str = "max"
    path: str = ""
    rejected: int = 0
    late: int = 0
    unanswered: int = 0
    references: int = 0
    distance_share: float = 0.0
    strategy: str = ""
    errors: dict[str, float] = field(default_factory=dict)
    member_errors: tuple[float, ...] = ()
    subroutines: tuple[int, ...] = ()
    came: float | None = None
    closed: float | None = None
    gone: float | None = None
    behind: int | None = None
    open_rows: int = 0
    open_errors: dict[str, float] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    seen: float | None = None
    recording: str = ""
    warming: str = ""
    trouble: str = ""
    alarms: tuple[dict[str, str], ...] = ()
    pending_rows: int = 0
    pending_oldest: int | None = None
    pending_class: str = ""
    pending_expected: dict[str, float] = field(default_factory=dict)
    pending_likely: tuple[dict[str, str], ...] = ()
    errors_at_once: dict[str, float] = field(default_factory=dict)

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED

    @staticmethod
    def restored(told: State) -> Snapshot:
        """Restores a snapshot from a run file, which is not trusted."""
        values: dict[str, Any] = {}
        for name, kind in _KINDS.items():
            if name in told:
                value = told[name]
                if not _is_a(value, kind):
                    raise DamagedError(f"its entry '{name}' is invalid")
                values[name] = visible(value, _LONGEST_TEXT) if kind is str else value
        for name, (first, last) in _MOMENTS.items():
            moment = values.get(name)
            if moment is not None and not first <= moment <= last:
                raise DamagedError(f"its entry '{name}' is not a time")
        values["said"] = {n: visible(v) for n, v in values.get("said", {}).items()}
        likely = values.get("pending_likely", ())
        if not all(row.keys() == PENDING_WORDS for row in likely):
            raise DamagedError("its description of the rows that wait for labels is incomplete")
        values["pending_likely"] = tuple(likely)
        strategy = values.get("strategy", Snapshot.strategy)
        for name, other in _COMPLETE.items():
            if (found := values.get(name)) and not found.keys() >= {strategy, other}:
                raise DamagedError(f"its entry '{name}' is incomplete")
        return Snapshot(**values)


_KINDS = get_type_hints(Snapshot)


def _is_a(value: Any, kind: Any) -> bool:
    """Whether a value from JSON is of a type, where a list may stand for a tuple."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return any(_is_a(value, part) for part in parts)
    if origin is dict:
        return isinstance(value, dict) and all(_is_a(v, parts[1]) for v in value.values())
    if origin is tuple:
        return isinstance(value, list) and all(_is_a(v, parts[0]) for v in value)
    if kind is float:
        return type(value) in (int, float) and abs(value) <= _LARGEST
    if kind is int:
        return type(value) is int and abs(value) <= _LARGEST
    return type(value) is kind
