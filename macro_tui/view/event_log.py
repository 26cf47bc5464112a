"""The events so far, sorted, filtered and folded."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from macro_engine.core.format import count_text
from macro_engine.run.view import KINDS, Event, RunView, parse_leader_change

Numbered = tuple[int, Event]
TROUBLE, BIRTH, NOTE = range(3)  # how much an event matters
_TROUBLE = ("alarm", "growth", "rejected", "late", "gap", "source", "run")  # kinds
_OVER = re.compile(  # texts of events that end trouble or are none; old run files have "going on"
    r"\bagain\b|nothing was lost|^cleared:|classes from|thresholds from|times in |"
    r"(?:going on|continuing) with the new file|repeats the header|resumed"
)
_ROWS = re.compile(r"([\d,]+) rows? (rejected|came late)")
_MORE = {"rejected": "; 8 shows why"}
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
        self.ranked: list[Numbered] = []  # these, trouble and births first

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
            self._fold()

    def choose(self, text: str) -> None:
        self.filter = text
        chosen = [pair for pair in self.events if passes(pair[1], text)]
        self.chosen = sorted(chosen, key=_step)
        self._fold()

    def _fold(self) -> None:
        self.folded = folded(self.chosen)
        self.ranked = summed(sorted(self.folded, key=_rank))


def _rank(pair: Numbered) -> tuple[int, int, int]:
    """What matters most first, of that the newest."""
    return severity(pair[1]), -pair[1].step, -pair[0]


def severity(event: Event) -> int:
    """How much an event matters: trouble, then births, then the rest.

    >>> severity(Event(4, None, "source", "a.csv: is gone, waiting")) == TROUBLE
    True
    >>> severity(Event(5, None, "source", "a.csv: is there again")) == NOTE
    True
    """
    if event.kind == "birth":
        return BIRTH
    return TROUBLE if event.kind in _TROUBLE and not _OVER.search(event.text) else NOTE


def folded(events: Sequence[Numbered]) -> list[Numbered]:
    """Flips of the leader between the same two, one after the other, as one event: the last."""
    found: list[Numbered] = []
    pair, times = "", 0
    for number, event in events:
        told = parse_leader_change(event.text) if event.kind == "leader" else None
        between = "" if told is None else f"{told[0]} leader {' / '.join(sorted(told[1:]))}"
        times = times + 1 if between and between == pair else 1
        pair = between
        if times >= _FOLDED:
            event = replace(event, text=f"{pair}, {times} times")
            del found[-1 if times > _FOLDED else 1 - _FOLDED :]
        found.append((number, event))
    return found


def summed(ranked: Sequence[Numbered]) -> list[Numbered]:
    """Steps with rejected or late rows, one after the other in a list, as one event: the newest."""
    found: list[Numbered] = []
    for what, group in groupby(ranked, key=lambda pair: _counted(pair[1])[1]):
        pairs = list(group)
        if what and len(pairs) >= _FOLDED:
            number, event = pairs[0]
            rows = count_text(sum(_counted(event)[0] for _, event in pairs), "row")
            text = f"{rows} {what} in {len(pairs):,} steps{_MORE.get(event.kind, '')}"
            pairs = [(number, replace(event, text=text))]
        found += pairs
    return found


def _counted(event: Event) -> tuple[int, str]:
    """How many rows an event counts, and what became of them; 0 for any other event."""
    match = _ROWS.fullmatch(event.text) if event.kind in ("rejected", "late") else None
    return (0, "") if match is None else (int(match[1].replace(",", "")), match[2])


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
