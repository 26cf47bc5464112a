"""The events that the monitor has seen so far."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import replace

from macro_engine.run.view import KINDS, Event, RunView

Numbered = tuple[int, Event]
_FLIP = re.compile(r"FTL leader (\S+) -> (\S+)")
_FOLDED = 3  # so many flips or more are one line


class EventLog:
    """Takes in what is new, and keeps apart what passes the filter, in the order of steps.

    Bookmarks and alarms are noted later than the steps they belong to.
    """

    def __init__(self) -> None:
        self.events: list[Numbered] = []
        self.filter = ""
        self.chosen: list[Numbered] = []
        self.folded: list[Numbered] = []  # the same, with flips of the leader as one

    @property
    def seen(self) -> int:
        """The number of the last event; -1 before the first."""
        return self.events[-1][0] if self.events else -1

    def refresh(self, session: RunView) -> None:
        fresh = session.events(after=self.seen)
        if fresh:
            self.events += fresh
            for pair in fresh:
                if passes(pair[1], self.filter):
                    insort(self.chosen, pair, key=_step)
            self.folded = folded(self.chosen)

    def choose(self, text: str) -> None:
        self.filter = text
        chosen = [pair for pair in self.events if passes(pair[1], text)]
        self.chosen = sorted(chosen, key=_step)
        self.folded = folded(self.chosen)


def folded(events: Sequence[Numbered]) -> list[Numbered]:
    """Flips of the leader between the same two, one after the other, as one event: the last."""
    found: list[Numbered] = []
    pair, times = "", 0
    for number, event in events:
        match = _FLIP.fullmatch(event.text) if event.kind == "leader" else None
        between = "" if match is None else " / ".join(sorted(match.groups()))
        times = times + 1 if between and between == pair else 1
        pair = between
        if times >= _FOLDED:
            event = replace(event, text=f"FTL leader {pair}, {times} times")
            del found[-1 if times > _FOLDED else 1 - _FOLDED :]
        found.append((number, event))
    return found


def passes(event: Event, text: str) -> bool:
    """Whether an event is of that kind, or has the text in it."""
    text = text.strip().lower()
    return event.kind == text if text in KINDS else text in event.text.lower()


def after(events: Sequence[Numbered], moment: int) -> Numbered | None:
    """The first event later than the step before a moment."""
    place = bisect_right(events, moment - 1, key=_step)
    return events[place] if place < len(events) else None


def before(events: Sequence[Numbered], moment: int) -> Numbered | None:
    """The last event earlier than the step before a moment."""
    place = bisect_left(events, moment - 1, key=_step)
    return events[place - 1] if place else None


def before_moment(events: Sequence[Numbered], moment: int) -> int:
    """How many events are of steps before a moment."""
    return bisect_left(events, moment, key=_step)


def _step(pair: Numbered) -> int:
    return pair[1].step
