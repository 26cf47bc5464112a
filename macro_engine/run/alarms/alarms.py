"""Alarms: the raised and the muted rules.

A rule over errors is raised when it has held for its time, and cleared only when the error has
fallen a twentieth below the limit: a curve that trembles around it rings once. A pause is one in
the stream's own time; on a live feed one by the clock on the wall, cleared by the next rows.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from macro_engine.core.declared import Declared, Flag, Integer, Text
from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.core.format import duration_text
from macro_engine.core.state import DamagedError, State
from macro_engine.run.alarms.rules import Rule, parse
from macro_engine.run.alarms.samples import Sample, Silence

__all__ = ["Alarm", "Alarms", "Change", "Rule", "Sample", "Silence", "parse"]

_BELOW = 0.95  # of the limit, where an alarm is cleared
_PASSING = ("error", "rejected", "unknown", "lag")  # kinds that are cleared by themselves


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

    @property
    def text(self) -> str:
        """In one line."""
        return f"{'raised' if self.is_raised else 'cleared'}: {self.rule.text} ({self.words})"


class Alarm:
    """One rule and whether it is raised.

    Attributes
    ----------
    is_muted
        Whether it is watched without calling anybody.
    is_kept
        Whether the run file keeps the rule: it was added while the run went on.
    raised
        What raised it, while it holds.
    call
        What the operator has not acknowledged yet.
    """

    def __init__(self, rule: Rule, is_kept: bool = False) -> None:
        self.rule = rule
        self.is_kept = is_kept
        self.is_muted = False
        self.raised: Change | None = None
        self.call: Change | None = None
        self.over_since: tuple[int, int | None] | None = None

    def acknowledge(self) -> None:
        self.call = None
        passes = self.rule.kind in _PASSING or (self.raised and self.raised.by_clock)
        if not passes:
            self.raised = None

    def check(self, sample: Sample) -> Change | None:
        """Checks a sample; returns the change, None if there is none."""
        match self.rule.kind:
            case "birth":
                return self._happened(sample, sample.born, "a subroutine was born")
            case "leader":
                return self._happened(sample, sample.led, "another threshold leads")
            case "silence":
                return self._check_silence(sample)
            case "error":
                return self._check_error(sample)
            case "lag":
                return self._check_lag(sample)
        share = sample.rejected if self.rule.kind == "rejected" else sample.unknown
        if share is None:
            return None
        limit = float(self.rule.limit)
        return self._check_value(sample, share, limit, f"{share:.1%} of rows, limit {limit:.1%}")

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
        return self._raised_by(change) if is_long else self._cleared_by(change)

    def _happened(self, sample: Sample, times: int, words: str) -> Change | None:
        if not times or self.raised is not None:
            return None
        return self._raise(sample, words)

    def _check_silence(self, sample: Sample) -> Change | None:
        """A pause in the stream's own time."""
        pause = sample.pause if self.rule.of == "row" else sample.step_pause
        if pause < self.rule.microseconds or self.raised is not None:
            return None
        return self._raise(sample, f"there were none for {duration_text(pause / 1e6)}")

    def _check_error(self, sample: Sample) -> Change | None:
        error = sample.errors.get(self.rule.series)
        limit = self.rule.limit
        against = sample.errors.get(limit) if isinstance(limit, str) else limit
        if error is None or against is None:
            return None
        name = limit if isinstance(limit, str) else "limit"
        words = f"{self.rule.series} {error:.1%}, {name} {against:.1%}"
        return self._check_value(sample, error, against + self.rule.margin, words)

    def _check_lag(self, sample: Sample) -> Change | None:
        if sample.lag is None:
            return None
        words = f"the newest row is {duration_text(max(sample.lag, 0.0) / 1e6)} old"
        return self._check_value(sample, sample.lag, float(self.rule.limit), words)

    def _check_value(self, sample: Sample, value: float, limit: float, words: str) -> Change | None:
        if not value > limit:
            self.over_since = None
        elif self.over_since is None:
            self.over_since = sample.step, sample.moment
        if self.raised is None and self.over_since is not None and self._lasted(sample):
            return self._raise(sample, words)
        if self.raised is not None and value < _BELOW * limit:
            return self._cleared_by(self._change(sample, False, words))
        return None

    def _lasted(self, sample: Sample) -> bool:
        assert self.over_since is not None
        step, time = self.over_since
        if sample.step - step < self.rule.steps:
            return False
        if not self.rule.microseconds:
            return True
        now = sample.moment
        return now is not None and time is not None and now - time >= self.rule.microseconds

    def _raise(self, sample: Sample, words: str) -> Change | None:
        return self._raised_by(self._change(sample, True, words))

    def _change(self, sample: Sample, is_raised: bool, words: str) -> Change:
        by_clock = sample.clock is not None
        return Change(self.rule, is_raised, sample.step, sample.time, words, by_clock)

    def _raised_by(self, change: Change) -> Change | None:
        self.raised = change
        if self.is_muted:
            return None
        self.call = change
        return change

    def _cleared_by(self, change: Change) -> Change | None:
        self.raised = None
        return None if self.is_muted else change

    remembers = Declared(
        Text("rule"),
        Flag("is_kept"),
        Flag("is_muted"),
        Flag("is_raised"),
        Integer("over_step", optional=True),
        Integer("over_time", -(1 << 62), optional=True),
        Integer("step"),
        Integer("time", -(1 << 62), optional=True),
        Text("words"),
    )

    def state(self) -> State:
        """Returns the alarms raised by the stream; those raised by a clock are checked again."""
        change = self.raised if self.raised and not self.raised.by_clock else None
        over_step, over_time = self.over_since or (None, None)
        return {
            "rule": self.rule.text,
            "is_kept": self.is_kept,
            "is_muted": self.is_muted,
            "is_raised": change is not None,
            "over_step": over_step,
            "over_time": over_time,
            "step": change.step if change else 0,
            "time": change.time if change else None,
            "words": change.words if change else "",
        }

    def restore(self, values: dict[str, Any]) -> None:
        self.is_kept, self.is_muted = values["is_kept"], values["is_muted"]
        change = Change(self.rule, True, values["step"], values["time"], visible(values["words"]))
        self.raised = change if values["is_raised"] else None
        self.call = self.raised
        over = values["over_step"]
        self.over_since = None if over is None else (over, values["over_time"])


class Alarms:
    """All rules; safe to use from several threads.

    Attributes
    ----------
    rung
        How many were raised.
    """

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self.alarms = [Alarm(rule) for rule in dict.fromkeys(rules)]
        self.told: list[Change] = []  # calls of the process that makes the run
        self.answered: set[tuple[str, int]] = set()  # of these, by rule and step
        self.rung = 0
        self.lock = threading.RLock()

    def check_series(self, computed: Sequence[str], has_leader: bool = True) -> None:
        """Refuses a rule on a series, or on a leader, that a run does not have."""
        for rule in (alarm.rule for alarm in self.alarms):
            if rule.kind == "leader" and not has_leader:
                raise UsageError(
                    f"--alarm '{visible(rule.text)}': of {', '.join(computed)} none has a leader; "
                    "ftl has one"
                )
            for name in (rule.series, rule.limit) if rule.kind == "error" else ():
                if isinstance(name, str) and name not in computed:
                    raise UsageError(
                        f"--alarm '{visible(rule.text)}': {name} is not computed; "
                        f"there are {', '.join(computed)}"
                    )

    def add(self, rule: Rule, is_kept: bool = False) -> bool:
        """Watches for one more rule; returns False if it is watched already."""
        with self.lock:
            if any(alarm.rule == rule for alarm in self.alarms):
                return False
            self.alarms = [*self.alarms, Alarm(rule, is_kept)]
            return True

    def mute(self, rule: Rule, muted: bool) -> None:
        """Mutes a rule, or unmutes it."""
        with self.lock:
            for alarm in self.alarms:
                if alarm.rule == rule:
                    alarm.is_muted = muted
                    alarm.call = None

    def check(self, samples: Iterable[Sample]) -> Iterator[Change]:
        for sample in samples:
            yield from self._changes([alarm.check(sample) for alarm in self.alarms])

    def check_clock(self, silence: Silence) -> Iterator[Change]:
        yield from self._changes([alarm.check_clock(silence) for alarm in self.alarms])

    def _changes(self, found: Sequence[Change | None]) -> Iterator[Change]:
        for change in found:
            if change is not None:
                self.rung += change.is_raised
                yield change

    @property
    def calling(self) -> list[Change]:
        """Returns the alarms that are not acknowledged, even if they have cleared."""
        with self.lock:
            own = [alarm.call for alarm in self.alarms if alarm.call is not None]
            others = [c for c in self.told if (c.rule.text, c.step) not in self.answered]
            known = {change.rule.text for change in own}
            return own + [change for change in others if change.rule.text not in known]

    @property
    def holding(self) -> list[Change]:
        """Returns acknowledged alarms that still hold."""
        with self.lock:
            return [
                alarm.raised
                for alarm in self.alarms
                if alarm.raised is not None and alarm.call is None and not alarm.is_muted
            ]

    def as_texts(self) -> tuple[dict[str, str], ...]:
        """Returns unacknowledged alarms as text, for other processes."""
        return tuple(
            {"rule": change.rule.text, "step": str(change.step), "words": change.words}
            for change in self.calling
        )

    def hear(self, texts: Iterable[dict[str, str]]) -> list[Change]:
        """Takes over the alarms that call in the process of the run; returns the new ones."""
        told = [_told(found) for found in texts]
        with self.lock:
            known = {(change.rule.text, change.step) for change in self.told}
            self.told = told
        return [change for change in told if (change.rule.text, change.step) not in known]

    def acknowledge(self) -> None:
        with self.lock:
            for alarm in self.alarms:
                alarm.acknowledge()
            self.answered |= {(change.rule.text, change.step) for change in self.told}

    def forget_past_calls(self) -> None:
        """Forgets the alarms until now, unless they still hold."""
        with self.lock:
            for alarm in self.alarms:
                alarm.acknowledge()
                alarm.call = alarm.raised

    def state(self) -> list[State]:
        with self.lock:
            return [alarm.state() for alarm in self.alarms]

    def restore(self, states: Sequence[State]) -> None:
        """Takes up the rules of a stored run: those watched for now, and those that it keeps."""
        for state in states:
            values = Alarm.remembers.read(state)
            try:
                rule = parse(values["rule"])
            except UsageError:
                raise DamagedError("in its state a rule of an alarm cannot be read") from None
            if values["is_kept"]:
                self.add(rule, is_kept=True)
            for alarm in self.alarms:
                if alarm.rule == rule:
                    alarm.restore(values)
        self.forget_past_calls()


def _told(found: dict[str, str]) -> Change:
    """A call of another process, whose texts anybody may have written."""
    rule, step, words = (visible(found.get(name, "")) for name in ("rule", "step", "words"))
    number = int(step) if step.isascii() and step.isdigit() and len(step) < 19 else 0
    return Change(Rule(rule, "birth"), True, number, None, words)
