"""Rules that call the operator, such as `ftl > marginal for 2h`.

A rule over errors is raised when it has held for its time, and cleared only when the error has
fallen a twentieth below the limit: a curve that trembles around it rings once. A pause is one in
the stream's own time; on a live feed one by the clock on the wall, cleared by the next rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.core.format import duration_text

_BUILT_IN = ("ftl", "ewa", "blend", "marginal", "no_change")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_BELOW = 0.95  # of the limit, where an alarm is cleared
_EXAMPLES = "'ftl > marginal for 2h', 'ftl > 0.25', 'birth', 'no rows for 10m', 'no step for 1h'"


@dataclass(frozen=True)
class Rule:
    """What is watched.

    Attributes
    ----------
    series, limit
        An error and what it must not exceed: a share, or another series.
    of
        Of what there are none during a silence.
    microseconds, steps
        For how long it must have held, in the stream's time or in steps; 0 for at once.
    """

    text: str
    kind: Literal["error", "birth", "silence"]
    series: str = ""
    limit: float | str = 0.0
    of: Literal["row", "step"] = "row"
    microseconds: int = 0
    steps: int = 0


def parse(text: str) -> Rule:
    """Read a rule.

    >>> parse("ftl > marginal for 2h").microseconds
    7200000000
    >>> parse("birth").kind
    'birth'
    """
    words = " ".join(text.lower().split())
    if words == "birth":
        return Rule(words, "birth")
    if match := re.fullmatch(r"no (row|step)s? for (\d{1,9}(?:\.\d+)?) ?([smhd])", words):
        of: Literal["row", "step"] = "row" if match[1] == "row" else "step"
        return Rule(words, "silence", of=of, microseconds=_microseconds(match[2], match[3]))
    match = re.fullmatch(
        r"(\w+) ?> ?([\w.]+%?)(?: for (?:(\d{1,9}(?:\.\d+)?) ?([smhd])|(\d{1,9}) steps?))?", words
    )
    if match is None or not _is_series(match[1]):
        raise UsageError(f"--alarm '{visible(text)}' is no rule; write {_EXAMPLES}")
    duration = _microseconds(match[3], match[4]) if match[3] else 0
    limit = match[2] if _is_series(match[2]) else _share(match[2], text)
    steps = int(match[5] or 0)
    return Rule(words, "error", match[1], limit, microseconds=duration, steps=steps)


def _is_series(name: str) -> bool:
    """Whether a name is that of a baseline or strategy; those of plug-ins are looked up last."""
    if name in _BUILT_IN or not name.isidentifier():
        return name in _BUILT_IN
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


@dataclass(frozen=True)
class Sample:
    """What a rule is judged by at a moment.

    `born` is how many were born since the sample before, `pause` and `step_pause` are the longest
    times between two rows and between the first rows of two steps since then, in microseconds.
    """

    step: int
    time: int | None
    errors: dict[str, float]
    born: int = 0
    pause: int = 0
    step_pause: int = 0


@dataclass(frozen=True)
class Silence:
    """For how long no rows have come, or no step was closed, by the clock on the wall.

    Attributes
    ----------
    since, now
        In seconds since 1970.
    step, time
        Where the stream stands.
    """

    since: float
    now: float
    step: int
    time: int | None
    of: Literal["row", "step"] = "row"

    @property
    def microseconds(self) -> float:
        return 1e6 * (self.now - self.since)


@dataclass(frozen=True)
class Change:
    """A rule that was raised or cleared.

    `by_clock` tells that its words have the time, which is not the stream's.
    """

    rule: Rule
    is_raised: bool
    step: int
    time: int | None
    words: str
    by_clock: bool = False


class Alarm:
    """One rule and whether it is raised."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.raised: Change | None = None
        self.call: Change | None = None  # what the operator has not acknowledged yet
        self.over_since: tuple[int, int | None] | None = None

    def acknowledge(self) -> None:
        self.call = None
        passes_by_itself = self.rule.kind == "error" or (self.raised and self.raised.by_clock)
        if not passes_by_itself:
            self.raised = None

    def check(self, sample: Sample) -> Change | None:
        if self.rule.kind == "birth":
            return self._check_birth(sample)
        if self.rule.kind == "silence":
            return self._check_silence(sample)
        return self._check_error(sample)

    def check_clock(self, silence: Silence) -> Change | None:
        """A pause on a live feed: raised once, until rows come again, or a step is closed."""
        if self.rule.kind != "silence" or self.rule.of != silence.of:
            return None
        is_long = silence.microseconds >= self.rule.microseconds
        if is_long == (self.raised is not None):
            return None
        when = f"{datetime.fromtimestamp(silence.since):%b %d %H:%M}"
        words = f"none since {when}" if is_long else f"the next came {when}"
        change = Change(self.rule, is_long, silence.step, silence.time, words, by_clock=True)
        self.raised = change if is_long else None
        self.call = change if is_long else self.call
        return change

    def _check_birth(self, sample: Sample) -> Change | None:
        if not sample.born or self.raised is not None:
            return None
        return self._raise(sample, "a subroutine was born")

    def _check_silence(self, sample: Sample) -> Change | None:
        """A pause in the stream's own time."""
        pause = sample.pause if self.rule.of == "row" else sample.step_pause
        if pause < self.rule.microseconds or self.raised is not None:
            return None
        return self._raise(sample, f"there were none for {duration_text(pause / 1e6)}")

    def _check_error(self, sample: Sample) -> Change | None:
        error = sample.errors[self.rule.series]
        limit = self.rule.limit
        against = sample.errors[limit] if isinstance(limit, str) else limit
        if not error > against:
            self.over_since = None
        elif self.over_since is None:
            self.over_since = sample.step, sample.time
        name = limit if isinstance(limit, str) else "limit"
        words = f"{self.rule.series} {error:.1%}, {name} {against:.1%}"
        if self.raised is None and self.over_since is not None and self._lasted(sample):
            return self._raise(sample, words)
        if self.raised is not None and error < _BELOW * against:
            self.raised = None
            return Change(self.rule, False, sample.step, sample.time, words)
        return None

    def _lasted(self, sample: Sample) -> bool:
        assert self.over_since is not None
        step, time = self.over_since
        if sample.step - step < self.rule.steps:
            return False
        if not self.rule.microseconds:
            return True
        return (
            sample.time is not None
            and time is not None
            and (sample.time - time >= self.rule.microseconds)
        )

    def _raise(self, sample: Sample, words: str) -> Change:
        self.raised = self.call = Change(self.rule, True, sample.step, sample.time, words)
        return self.raised


class Alarms:
    """All rules."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.alarms = [Alarm(rule) for rule in rules]

    def check_series(self, computed: Sequence[str]) -> None:
        """Refuse a rule on a series that a run does not compute."""
        for rule in (alarm.rule for alarm in self.alarms if alarm.rule.kind == "error"):
            for name in (rule.series, rule.limit):
                if isinstance(name, str) and name not in computed:
                    raise UsageError(
                        f"--alarm '{visible(rule.text)}': {name} is not computed; "
                        f"there are {', '.join(computed)}"
                    )

    def check(self, samples: Sequence[Sample]) -> Iterator[Change]:
        for sample in samples:
            for alarm in self.alarms:
                if (change := alarm.check(sample)) is not None:
                    yield change

    def check_clock(self, silence: Silence) -> Iterator[Change]:
        for alarm in self.alarms:
            if (change := alarm.check_clock(silence)) is not None:
                yield change

    @property
    def calling(self) -> list[Change]:
        """What was raised, even if it has been cleared since, and not been acknowledged."""
        return [alarm.call for alarm in self.alarms if alarm.call is not None]

    def acknowledge(self) -> None:
        for alarm in self.alarms:
            alarm.acknowledge()

    def forget_past_calls(self) -> None:
        """What was raised until now is past, unless it still holds."""
        for alarm in self.alarms:
            alarm.acknowledge()
            alarm.call = alarm.raised
