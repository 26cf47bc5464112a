"""The lead over the baseline: which subroutines earned it, and its confidence.

For every member its subroutines, which stand for situations, share out what a strategy gained on
the marginal baseline: a step counts for the subroutine that was active in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from macro_engine.core.declared import Array, Declared, Integer, StatePart
from macro_engine.core.escape import visible
from macro_engine.core.names import Names
from macro_engine.core.rows import Floats, Ints
from macro_engine.core.state import State, child
from macro_engine.core.steps import Steps
from macro_engine.run.history.usage import Usage
from macro_engine.run.identity import plain
from macro_engine.run.score.confidence import Confidence
from macro_engine.stream.label import is_rule

_CLASSES = 4  # of a situation that are remembered: the most frequent
_LONGEST = 10_000  # steps of a history that are looked back at
_MOST_COUNTS = 1 << 18  # label counts that are remembered for that
_NAMED = 24  # subroutines that a summary names
_LEVEL = 0.5  # points: so near is level
COUNTS = ("uses", "rows", "wrong", "marginal_wrong", "last_used")


def differences(results: Steps) -> Floats:
    """Strategies by steps: the baseline's share of rows wrong less the strategy's."""
    baseline = results.wrong_of("marginal").astype(np.int64)
    wrong = [results.wrong_of(name) for name in results.names.strategies]
    shares: Floats = (baseline - np.array(wrong, np.int64)) / np.maximum(results.judged, 1)
    return shares


class Situations:
    """The classes of the history by which each subroutine was born, its most frequent first.

    Attributes
    ----------
    classes, counts
        Members by subroutines (from 1 on) by rank: the class, and its rows.
    rows
        Members by subroutines: the rows of that history.
    recent
        The rows of each class before each of the last steps, newest last.
    """

    remembers = Declared(
        Array("classes", np.int64, ("members", "room", _CLASSES), low=0),
        Array("counts", np.int64, ("members", "room", _CLASSES), low=0),
        Array("rows", np.int64, ("members", "room"), low=0),
        Array("recent", np.int64, (None, "of_classes"), low=0),
    )

    def __init__(self, names: Names) -> None:
        self.names = names
        most = max(_MOST_COUNTS // names.classes, 1)
        lengths = [m.history for m in names.members if isinstance(m.history, int)]
        self.longest = min(max(lengths, default=1), _LONGEST, most)
        k = len(names.members)
        self.classes = np.zeros((k, 1, _CLASSES), np.int64)
        self.counts = np.zeros((k, 1, _CLASSES), np.int64)
        self.rows = np.zeros((k, 1), np.int64)
        self.recent = np.zeros((1, names.classes), np.int64)

    def update(self, results: Steps) -> None:
        """Looks at the steps that follow."""
        classes = self.names.classes
        steps = np.repeat(np.arange(results.steps), results.lengths)
        places = steps * classes + results.labels
        known = places if results.known is None else places[results.known]
        labels = np.bincount(known, minlength=results.steps * classes)
        after = self.recent[-1] + np.cumsum(labels.reshape(-1, classes), axis=0)
        before = np.concatenate(
            [self.recent, after]
        )  # the rows before each step, and after the last
        seen = len(self.recent) - 1
        room = int(results.subroutines[:, -1].max()) + 1
        self._grow(max(room, self.rows.shape[1]))
        for s, k in np.argwhere(results.born.T).tolist():
            self._remember(k, int(results.active[k, s]), before, seen + s)
        self.recent = before[-(self.longest + 1) :]

    def _remember(self, member: int, number: int, before: Ints, step: int) -> None:
        wanted = self.names.members[member].history
        counts = before[step]
        if isinstance(wanted, int):
            counts = counts - before[max(step - min(wanted, self.longest), 0)]
        ranked = np.argsort(-counts, kind="stable")[:_CLASSES]
        ranked = ranked[counts[ranked] > 0]
        self.classes[member, number, : len(ranked)] = ranked
        self.counts[member, number, : len(ranked)] = counts[ranked]
        self.rows[member, number] = counts.sum()

    def state(self) -> State:
        """Without spare room, so that it does not depend on when the run was stored before."""
        known = np.flatnonzero(self.rows.any(axis=0))
        room = int(known[-1]) + 1 if len(known) else 1
        state = self.remembers.state_of(self)
        return state | {name: state[name][:, :room] for name in ("classes", "counts", "rows")}

    def restore(self, state: State) -> None:
        lengths = {"members": len(self.names.members), "of_classes": self.names.classes}
        self.remembers.restore(self, state, **lengths)

    def _grow(self, room: int) -> None:
        lacking = room - self.rows.shape[1]
        if lacking > 0:
            lacking = max(lacking, self.rows.shape[1])
            self.classes = np.pad(self.classes, ((0, 0), (0, lacking), (0, 0)))
            self.counts = np.pad(self.counts, ((0, 0), (0, lacking), (0, 0)))
            self.rows = np.pad(self.rows, ((0, 0), (0, lacking)))

    def shares(self, member: int, number: int) -> list[tuple[int, float]]:
        """The most frequent classes with their shares; empty where nothing was seen before."""
        rows = int(self.rows[member, number]) if number < self.rows.shape[1] else 0
        if not rows:  # there may be no room for it in what was stored
            return []
        pairs = zip(self.classes[member, number], self.counts[member, number], strict=True)
        return [(int(c), int(n) / rows) for c, n in pairs if n]


class Lead:
    """The lead over the baseline, computed from recorded steps.

    Attributes
    ----------
    begin
        The first step that is counted: not 0 where a run goes on that did not count before.
    usage
        One for each member.
    confidence
        One sequence for each strategy.
    leader
        The index of the member that was shown last.
    """

    remembers = Declared(
        Integer("begin"),
        Integer("leader", below="members"),
        Array("counts", np.int64, (len(COUNTS), "members", "room"), low=0),
        Array("gained", np.int64, ("strategies", "members", "room")),
        StatePart("situations"),
        StatePart("confidence"),
    )

    def __init__(self, names: Names, begin: int = 0) -> None:
        self.names = names
        self.strategies = names.strategies
        self.begin = begin
        self.usage = [Usage(k, begin) for k in range(len(names.members))]
        self.situations = Situations(names)
        self.confidence = Confidence(len(self.strategies))
        self.leader = len(names.members) - 1

    def update(self, results: Steps) -> None:
        """Takes in the steps that follow."""
        for usage in self.usage:
            usage.add(results)
        self.situations.update(results)
        self.confidence.update(differences(results))
        self.leader = int(results.shown_members[-1])

    @property
    def counts(self) -> Ints:
        return np.array([_padded([getattr(u, name) for u in self.usage]) for name in COUNTS])

    @property
    def gained(self) -> Ints:
        return np.array([_padded([u.of(name) for u in self.usage]) for name in self.strategies])

    def state(self) -> State:
        return self.remembers.state_of(self)

    @staticmethod
    def restored(names: Names, state: State, steps: int) -> Lead:
        """Goes on from the state of a run; one that did not count it begins now."""
        if "lead" not in state:
            return Lead(names, begin=steps)
        lead = Lead(names)
        lead.restore(child(state, "lead"))
        return lead

    def restore(self, state: State) -> None:
        lengths = {"members": len(self.names.members), "strategies": len(self.strategies)}
        found = self.remembers.read(state, **lengths)
        self.begin, self.leader = found["begin"], found["leader"]
        for k, usage in enumerate(self.usage):
            for name, counts in zip(COUNTS, found["counts"], strict=True):
                setattr(usage, name, counts[k])
            for name, gained in zip(self.strategies, found["gained"], strict=True):
                usage.gained[name] = gained[k]
        self.situations.restore(child(state, "situations"))
        self.confidence.restore(child(state, "confidence"))

    def document(self, strategy: str, titles: Sequence[str]) -> dict[str, Any]:
        """Where a strategy's lead comes from, as `--json` writes it.

        Of the subroutines of the member that leads, those that earned or cost most are named; the
        rest is summed.
        """
        k, place = self.leader, self.strategies.index(strategy)
        usage, member = self.usage[k], self.names.members[k]
        points, rows = usage.points(strategy), int(usage.rows.sum())
        order = [n for n in np.argsort(-np.abs(points), kind="stable").tolist() if usage.uses[n]]
        rest = order[_NAMED:]
        return {
            "strategy": strategy,
            "points": math.fsum(points),
            "since": self.begin,
            "low": 100 * float(self.confidence.low[place]),
            "high": 100 * float(self.confidence.high[place]),
            "history": member.history,
            "threshold": plain(member.threshold),
            "subroutines": [
                {
                    "number": n,
                    "steps": int(usage.uses[n]),
                    "rows": int(usage.rows[n]) / max(rows, 1),
                    "points": float(points[n]),
                    "situation": self.situation(k, n, titles),
                }
                for n in sorted(order[:_NAMED], key=lambda n: -points[n])
            ],
            "others": {"subroutines": len(rest), "points": math.fsum(points[rest])},
        }

    def situation(self, member: int, number: int, titles: Sequence[str]) -> str:
        """The history by which a subroutine was born, in words."""
        return situation_text(self.situations.shares(member, number), titles)


def standing(lead: float, low: float, high: float) -> str:
    """What may be said of a lead in points, which is taken to lie between `low` and `high` a step.

    `better` or `worse` if that is no luck, `level` if it is near; else it is too `early` to tell.
    Where steps differ in length a lead over rows may have another sign than that over steps.

    >>> standing(1.8, 0.9, 2.6), standing(-0.1, 0.1, 2.6), standing(0.0, -0.2, 0.3)
    ('better', 'early', 'level')
    """
    if low > 0 and lead > 0:
        return "better"
    if high < 0 and lead < 0:
        return "worse"
    return "level" if max(-low, high) <= _LEVEL else "early"


def situation_text(shares: Sequence[tuple[int, float]], titles: Sequence[str]) -> str:
    """Classes and their shares in words; of a label rule what is asked for.

    >>> from macro_engine.stream.label import class_titles
    >>> situation_text([(0, 0.56), (1, 0.44)], class_titles(("0", "1"), "delay > 15"))
    "'delay > 15' 44 %"
    >>> situation_text([(2, 0.5), (0, 0.5)], ("a", "b", "c"))
    "'c' 50 %, 'a' 50 %"
    """
    if is_rule(titles):
        asked = sum(share for place, share in shares if place)
        return f"'{visible(titles[1], 30)}' {asked:.0%}".replace("%", " %") if shares else ""
    named = [f"'{visible(titles[place], 12)}' {share:.0%}" for place, share in shares]
    return ", ".join(named).replace("%", " %")


def exceptional(uses: Ints, updates: Ints) -> dict[str, int]:
    """How many subroutines were used, and the least that one of them learned, in steps.

    >>> exceptional(np.array([0, 5, 0, 2]), np.array([7, 1, 3]))
    {'used': 2, 'least_learned': 3}
    """
    used = np.flatnonzero(uses[1 : len(updates) + 1])
    return {"used": len(used), "least_learned": int(updates[used].min()) if len(used) else 0}


def _padded(rows: Sequence[Ints]) -> Ints:
    padded = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for place, row in zip(padded, rows, strict=True):
        place[: len(row)] = row
    return padded
