"""Events of a run for the operator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from macro_engine.core.declared import Array, Declared, Integer, StatePart
from macro_engine.core.format import count_text, duration_text, series_title
from macro_engine.core.names import Names
from macro_engine.core.rows import Bools, Ints
from macro_engine.core.state import State
from macro_engine.core.steps import Steps
from macro_engine.run.pulls import PullLeads

KINDS = (
    "birth",
    "growth",
    "leader",
    "pull",
    "gap",
    "late",
    "rejected",
    "source",
    "run",
    "bookmark",
    "alarm",
)

_PAUSES = 1000  # between steps, that a gap is judged by
_FEWEST_PAUSES = 20
_LONG = 10  # times the mean pause
_LEADERS = re.compile(r"(\S+) leader (\S+) -> (\S+)")
_MANY = 10 ** np.arange(3, 18)  # subroutines of a threshold


@dataclass(frozen=True)
class Event:
    """Something that happened at a step, and its time if the stream has times."""

    step: int
    time: int | None
    kind: str
    text: str


def leader_text(strategy: str, old: str, new: str) -> str:
    """In words, that a strategy follows another member than before.

    >>> leader_text("ftl", "0.10", "0.30")
    'FTL leader 0.10 -> 0.30'
    """
    return f"{series_title(strategy)} leader {old} -> {new}"


def parse_leader_change(text: str) -> tuple[str, str, str] | None:
    """The title of the strategy and the two members of which `leader_text` told.

    >>> parse_leader_change("FTL leader 0.10 -> 0.30")
    ('FTL', '0.10', '0.30')
    """
    match = _LEADERS.fullmatch(text)
    return None if match is None else (match[1], match[2], match[3])


class EventFinder:
    """Births, changes of the leader and of what pulls most, gaps, late and rejected rows.

    At most one event a step for each kind. Growth is a threshold's 1,000th subroutine, its
    10,000th and so on. A gap is a pause between steps that is half as long again as the longest of
    the last thousand, and ten times as long as they were on average.
    """

    remembers = Declared(
        Integer("leader", below="members"),
        Array("pauses", np.int64, (None,), low=0, shared=True),
        Integer("last_time", -(1 << 62), optional=True),
        StatePart("pulls"),
    )

    def __init__(self, names: Names) -> None:
        self.members = names.member_names
        self.leader = len(self.members) - 1
        self.pauses = np.empty(0, np.int64)
        self.last_time: int | None = None
        self.pulls = PullLeads(names)

    def find(self, results: Steps) -> Iterator[Event]:
        born = results.born
        before = np.concatenate([[self.leader], results.shown_members])
        changed = before[1:] != before[:-1]
        self.leader = int(before[-1])
        times = results.first_times
        gaps, pulls = self._gaps(results), self.pulls.changes(results)
        noteworthy = born.any(axis=0) | changed | (results.late > 0) | (results.rejected > 0)
        noteworthy[[*gaps, *pulls]] = True
        for s in np.flatnonzero(noteworthy).tolist():
            step = results.first_step + s
            time = None if times is None else int(times[s])
            if s in gaps:
                yield Event(step, time, "gap", f"no rows for {duration_text(gaps[s] / 1e6)}")
            if results.rejected[s]:
                yield Event(
                    step, time, "rejected", f"{count_text(results.rejected[s], 'row')} rejected"
                )
            if results.late[s]:
                yield Event(step, time, "late", f"{count_text(results.late[s], 'row')} came late")
            if changed[s]:
                old, new = self.members[before[s]], self.members[before[s + 1]]
                text = leader_text(results.names.leading, old, new)
                yield Event(step, time, "leader", text)
            if s in pulls:
                yield Event(step, time, "pull", pulls[s])
            if born[:, s].any():
                text = self._births(results.active[:, s] * born[:, s])
                yield Event(step, time, "birth", text)
                grown = born[:, s] & np.isin(results.subroutines[:, s], _MANY)
                if grown.any():
                    yield Event(
                        step, time, "growth", self._growth(results.subroutines[:, s], grown)
                    )

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State) -> None:
        self.remembers.restore(self, state, members=len(self.members))

    def _gaps(self, results: Steps) -> dict[int, int]:
        """The length in microseconds of each gap, by the step before which it lies."""
        if results.times is None or not results.steps:
            return {}
        starts = results.starts
        lasts = results.times[starts[1:] - 1]
        firsts = results.times[starts[:-1]]
        known = len(self.pauses)
        before = firsts[0] if self.last_time is None else self.last_time
        fresh = np.maximum(firsts - np.concatenate([[before], lasts[:-1]]), 0)
        self.last_time = int(lasts[-1])
        pauses = np.concatenate([self.pauses, fresh])
        self.pauses = pauses[-_PAUSES:]
        summed = np.concatenate([[0], np.cumsum(pauses)])
        places = np.arange(known, len(pauses))
        oldest = np.maximum(places - _PAUSES, 0)
        counts = places - oldest
        long = pauses[places] * counts > _LONG * (summed[places] - summed[oldest])
        candidates = places[long & (counts >= _FEWEST_PAUSES)].tolist()
        longest = {p: int(pauses[max(p - _PAUSES, 0) : p].max()) for p in candidates}
        return {  # the first tick of a coarse clock is no gap
            place - known: int(pauses[place])
            for place, before in longest.items()
            if before > 0 and 2 * pauses[place] > 3 * before
        }

    def _growth(self, counts: Ints, grown: Bools) -> str:
        """In words, given how many subroutines each threshold has, and which are to be named."""
        many = []
        for count in np.unique(counts[grown]).tolist():
            where = [self.members[k] for k in np.flatnonzero(grown & (counts == count)).tolist()]
            many.append(f"{count:,} subroutines at {', '.join(where)}")
        return f"{'; '.join(many)}: each slows every step; --max-subroutines N sets a limit"

    def _births(self, numbers: Ints) -> str:
        """In words, given the number of each member's newborn, 0 where there is none."""
        everyone = "every threshold" if len(numbers) > 1 else self.members[0]
        newborns = []
        for number in np.unique(numbers[numbers > 0]).tolist():
            where = [self.members[k] for k in np.flatnonzero(numbers == number).tolist()]
            at = ", ".join(where) if len(where) < len(numbers) else everyone
            newborns.append(f"#{number} at {at}")
        return f"new subroutine {'; '.join(newborns)}"
