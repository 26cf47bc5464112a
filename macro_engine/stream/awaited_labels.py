"""Rows that wait for their labels, and when each label becomes known.

Moments are row numbers: a label is known at row i if it is when row i comes, before the step of
row i opens. A step is complete once each of its rows has its label, or was given up.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from macro_engine.core.declared import Array, Declared, Integer
from macro_engine.core.escape import visible
from macro_engine.core.format import count_text
from macro_engine.core.growing_array import GrowingArray
from macro_engine.core.late_labels import NEVER, Completions, Outcomes
from macro_engine.core.rows import Bools, Ints
from macro_engine.core.state import DamagedError, State, child, texts
from macro_engine.stream import labels_by_key
from macro_engine.stream.labels_by_key import NO_LABEL
from macro_engine.stream.spec import LateLabels

MOST_KEPT = 100_000  # labels without a row, and keys of complete rows, that are remembered
# what may be wrong with labels, and the words of its event
KINDS = {
    "unknown": "for a key without a row, kept in case the row comes",
    "early": "that came before its row and was used with it",
    "disagrees": "for a row that already has a different one, ignored",
    "repeated": "for a row that already has the same one",
    "outside": "outside the classes (--classes names them all), ignored",
    "too_late": "for a row that no longer waits (--label-timeout), ignored",
    "twice": "row with the key of a row that still waits, rejected",
    "never": "row that no longer waits for its label (--label-timeout)",
}
_OF_ROWS = ("twice", "never")
_ARRAYS: dict[str, type] = {"given": np.bool_} | dict.fromkeys(
    ("starts", "labels", "known", "due", "came", "times"), np.int64
)
TWICE = "is the key of a row that still waits"


class LoneLabel(NamedTuple):
    """A label that comes by itself, before the row at a place among rows that come with it."""

    place: int
    key: str
    label: int | None  # None: outside the classes


class AwaitedLabels:
    """Keeps the rows from the first step on that is not complete.

    Parameters
    ----------
    late
        How labels come.
    say
        Takes a line of text for the user.

    Attributes
    ----------
    first_row, first_step
        The numbers of the first row and the first step that are kept.
    next_row
        The number of the row that comes next.
    counts
        How often each of `KINDS` happened.
    """

    remembers = Declared(
        Integer("first_row"),
        Integer("first_step"),
        Integer("matched"),
        Integer("clock", -NEVER),
        Array("starts", np.int64, ("steps",), low=0),
        Array("labels", np.int64, ("rows",), low=NO_LABEL),
        Array("known", np.int64, ("rows",), low=0),
        Array("due", np.int64, ("rows",)),
        Array("came", np.int64, ("rows",)),
        Array("given", np.bool_, ("rows",)),
        Array("times", np.int64, ("rows",), optional=True),
    )

    def __init__(self, late: LateLabels, say: Callable[[str], None] = lambda _text: None) -> None:
        self.late = late
        self.say = say
        self.first_row = self.first_step = 0
        self.has_dates = False  # whether a label in its row was ever known later than that
        self.matched = 0  # rows that have their label from a second file
        self.clock = -NEVER  # the largest time so far, or rows where there are none
        self.room = {name: GrowingArray(dtype) for name, dtype in _ARRAYS.items()}
        self.starts: Ints = self.room["starts"].values  # row numbers
        self.labels: Ints = self.room["labels"].values  # known or not; -1 for none
        self.known: Ints = self.room["known"].values  # at which row; NEVER if it is not
        self.due: Ints = self.room["due"].values  # by the clock; NEVER where it must be told
        self.came: Ints = self.room["came"].values  # the clock at which the row came
        self.given: Bools = self.room["given"].values  # whether the label was given out
        self.times: Ints | None = None
        self.keys: list[str] = []
        self.row_of: dict[str, int] = {}  # of keys that are kept; -1 before the row is taken
        self.complete: dict[str, int] = {}  # labels of the last complete keys
        self.early: OrderedDict[str, int] = OrderedDict()  # labels without a row
        self.counts: Counter[str] = Counter()
        self.news: Counter[str] = Counter()
        self.examples: dict[str, str] = {}

    @property
    def next_row(self) -> int:
        return self.first_row + len(self.labels)

    @property
    def waiting_rows(self) -> int:
        """The number of rows without a label."""
        return int(np.count_nonzero(self.known == NEVER))

    def note(self, kind: str, key: str = "", count: int = 1) -> None:
        """Count something that a user should know of."""
        self.counts[kind] += count
        self.news[kind] += count
        if key:
            self.examples.setdefault(kind, key)

    def sort_out(
        self, keys: Sequence[str], labels: Sequence[str], blank: Bools, bad: set[int]
    ) -> tuple[Bools, list[int]]:
        """Which rows are labels that come alone, and which have a key that is taken.

        Parameters
        ----------
        labels
            As they stand in the stream; empty where there is none.
        blank
            Rows that have neither a number nor a category.
        bad
            Rows that cannot be rows of the stream.
        """
        alone, twice = np.zeros(len(keys), np.bool_), []
        row_of, complete = self.row_of, self.complete
        for i, key in enumerate(keys):
            if key in row_of:
                if labels[i]:
                    alone[i] = True
                else:
                    twice.append(i)
                    self.note("twice", key)
            elif labels[i] and (blank[i] or key in complete):
                alone[i] = True
            elif i not in bad:
                row_of[key] = -1
        return alone, twice

    def refused(self, key: str) -> None:
        """Frees the key of a row that was rejected later."""
        if self.row_of.get(key) == -1:
            del self.row_of[key]

    def tell(self) -> None:
        """Reports the counts since the last call."""
        for kind, count in self.news.items():
            what = "row" if kind in _OF_ROWS else "label"
            words = KINDS[kind].removeprefix("row ")
            example = self.examples.get(kind)
            shown = f"; the first: '{visible(example, 40)}'" if example is not None else ""
            self.say(f"{count_text(count, what)} {words}{shown}")
        self.news.clear()
        self.examples.clear()

    def take(
        self,
        count: int,
        times: Ints | None,
        labels: Ints,
        due: Ints,
        opens: Bools,
        keys: Sequence[str] | None,
        told: Iterable[LoneLabel],
    ) -> None:
        """Adds rows, and the labels between them.

        Parameters
        ----------
        labels
            Class indices of the labels that stand in the rows; -1 for none.
        due
            When those are known, by the clock; what is not after the row's own time is known with
            it.
        opens
            Which rows open a step.
        """
        first = self.next_row
        clock = np.arange(first, first + count) if times is None else times
        clock = np.maximum.accumulate(np.concatenate([[self.clock], clock]))[1:]
        places = np.arange(first, first + count)
        if keys is not None:
            labels = self._register(keys, places, labels)
        known = np.where((labels >= 0) & (due <= clock), places, NEVER)
        due = np.where(labels >= 0, due, NEVER)
        self.has_dates = self.has_dates or bool(((due < NEVER) & (known == NEVER)).any())
        given = np.zeros(count, np.bool_)
        self._append(starts=places[opens], labels=labels, known=known, due=due)
        self._append(came=clock, given=given, **({} if times is None else {"times": times}))
        if count:
            self.clock = int(clock[-1])
        self._pass(first, clock, told)

    def finish(self) -> None:
        """Ends the stream: labels in their rows become known, the others never do."""
        waiting = np.flatnonzero(self.known == NEVER)
        self.known[waiting] = self.next_row
        lost = waiting[self.labels[waiting] < 0]
        for i in lost.tolist():
            self.note("never", self.keys[i] if self.keys else "")
        self.tell()

    def completed(self, openings: Ints) -> Ints:
        """Returns the number of complete steps before each opening, given in rows."""
        if not len(self.starts):
            return np.full(len(openings), self.first_step)
        unknown = self.known > openings.max(initial=0)  # in all of them
        count = len(self.starts)  # steps before the first that has such a row
        if unknown.any():
            first = self.first_row + int(unknown.argmax())
            count = int(np.searchsorted(self.starts, first, side="right")) - 1
        if not count:
            return np.full(len(openings), self.first_step)
        stop = self.starts[count] if count < len(self.starts) else self.next_row
        known = self.known[: stop - self.first_row]
        last = np.maximum.accumulate(
            np.maximum.reduceat(known, self.starts[:count] - self.first_row)
        )
        ready = np.searchsorted(last, openings, side="right")
        before = np.searchsorted(self.starts, openings)  # none that opens with it, or later
        return self.first_step + np.minimum(ready, before)

    def known_by(self, row: int) -> Outcomes | None:
        """The labels that are known at a row and were not given out before."""
        fresh = np.flatnonzero((self.known <= row) & ~self.given)
        if not len(fresh):
            return None
        self.given[fresh] = True
        fresh = fresh[self.labels[fresh] >= 0]
        rows = self.first_row + fresh
        return Outcomes(
            rows,
            self.known[fresh],
            self.first_step + np.searchsorted(self.starts, rows, side="right") - 1,
            None if self.times is None else self.times[fresh],
            [self.keys[i] for i in fresh.tolist()] if self.keys else None,
            self.labels[fresh],
        )

    def give_out(self, before: Ints) -> Completions:
        """Removes and returns the complete steps, given their number before each opening."""
        count = int(before[-1]) - self.first_step
        ends = np.append(self.starts, self.next_row)[: count + 1]
        stop = int(ends[-1]) - self.first_row if count else 0
        found = Completions(
            self.first_step, before, ends - self.first_row if count else np.zeros(1, np.int64),
            self.labels[:stop],
        )  # fmt: skip
        self._let_go(count, stop)
        return found

    def state(self) -> State:
        return self.remembers.state_of(self) | {
            "keys": list(self.keys),
            "counts": dict(self.counts),
            "unplaced": [key for key, row in self.row_of.items() if row < 0],
            "complete": labels_by_key.state_of(self.complete),
            "early": labels_by_key.state_of(self.early),
        }

    def restore(self, state: State, classes: int) -> None:
        """Restores a state; the object must be new."""
        self.remembers.restore(self, state)
        for name in _ARRAYS:
            if (values := getattr(self, name)) is not None:
                self._append(**{name: values})
        self.has_dates = bool(((self.due < NEVER) & (self.known == NEVER)).any())
        n = len(self.labels)
        self.keys = texts(state, "keys")
        sizes = {len(self.known), len(self.due), len(self.came)}
        if sizes != {n} or (self.keys and len(self.keys) != n) or (self.labels >= classes).any():
            raise DamagedError("in its state the rows that wait for labels are inconsistent")
        self.row_of = {key: self.first_row + i for i, key in enumerate(self.keys)}
        self.row_of |= dict.fromkeys(texts(state, "unplaced"), -1)
        self.complete = labels_by_key.restored(state, "complete", classes)
        self.early = OrderedDict(labels_by_key.restored(state, "early", classes))
        counts = child(state, "counts")
        if not all(type(n) is int for n in counts.values()):
            raise DamagedError("in its state the counts of labels are invalid")
        self.counts = Counter({kind: counts.get(kind, 0) for kind in KINDS if counts.get(kind)})

    def _append(self, **more: Ints | Bools) -> None:
        """Add to some of the arrays."""
        for name, values in more.items():
            setattr(self, name, self.room[name].append(values))

    def _register(self, keys: Sequence[str], places: Ints, labels: Ints) -> Ints:
        """Registers the keys of rows, and uses labels that came before them."""
        labels = labels.copy()
        for i, (key, place) in enumerate(zip(keys, places.tolist(), strict=True)):
            self.row_of[key] = place
            if self.early and (label := self.early.pop(key, None)) is not None:
                self.counts["unknown"] -= 1
                self.note("early", key)
                if labels[i] < 0:
                    labels[i] = label
        self.keys += keys
        return labels

    def _pass(self, first: int, clock: Ints, told: Iterable[LoneLabel]) -> None:
        """The clock passes the rows from one on; labels become known, and rows are given up."""
        lost, ends = self._given_up(first, clock)
        ends_at = dict(zip(lost.tolist(), ends.tolist(), strict=True))
        for label in told:
            self._take_label(label, first, ends_at)
        self._pass_dates(first, clock, ends_at)
        lost = lost[self.known[lost] == NEVER]
        self.known[lost] = [first + ends_at[i] for i in lost.tolist()]
        self.labels[lost] = NO_LABEL
        for i in lost.tolist():
            self.note("never", self.keys[i] if self.keys else "")

    def _pass_dates(self, first: int, clock: Ints, ends_at: Mapping[int, int]) -> None:
        """Labels become known whose time has come."""
        if not self.has_dates:
            return
        dated = np.flatnonzero((self.known == NEVER) & (self.due < NEVER))
        own = self.first_row + dated - first  # a label is not known before its row
        at_due = np.maximum(np.searchsorted(clock, self.due[dated]), own)
        ends = np.array([ends_at.get(i, NEVER) for i in dated.tolist()], np.int64)
        is_due = (at_due <= ends) & (at_due < len(clock))
        self.known[dated[is_due]] = first + at_due[is_due]

    def _given_up(self, first: int, clock: Ints) -> tuple[Ints, Ints]:
        """Rows that wait for too long while the clock passes, and where among the rows that is."""
        timeout, none = self.late.timeout, np.empty(0, np.int64)
        if timeout is None or not len(self.known) or not len(clock):
            return none, none
        if timeout.microseconds is None:
            count = max(first + len(clock) - (timeout.rows or 0) - self.first_row, 0)
            lost = np.flatnonzero(self.known[:count] == NEVER)
            own = self.first_row + lost - first
            return lost, np.maximum(own + (timeout.rows or 0), 0)
        last = int(clock[-1]) - timeout.microseconds  # of those that are given up; clocks rise
        lost = np.flatnonzero(self.known[: np.searchsorted(self.came, last, "right")] == NEVER)
        ends = np.searchsorted(clock, self.came[lost] + timeout.microseconds)
        return lost, np.maximum(ends, self.first_row + lost - first)

    def _take_label(self, told: LoneLabel, first: int, ends_at: Mapping[int, int]) -> None:
        """A label comes by itself."""
        key = told.key
        row = self.row_of.get(key, -1)
        if told.label is None:
            self.note("outside", key)
        elif row >= 0:
            i, moment = row - self.first_row, first + told.place
            if row >= moment:
                self.note("early", key)
                moment = row
            waits = self.known[i] == NEVER
            is_lost = waits and ends_at.get(i, NEVER) < told.place
            if waits and not is_lost:
                self.known[i], self.labels[i] = moment, told.label
            else:
                self._second(key, int(self.labels[i]) if not is_lost else NO_LABEL, told.label)
        elif key in self.complete:
            self._second(key, self.complete[key], told.label)
        else:
            self.early[key] = told.label
            self.note("unknown", key)
            if len(self.early) > MOST_KEPT:
                self.early.popitem(last=False)

    def _second(self, key: str, has: int, label: int) -> None:
        if has == NO_LABEL:
            self.note("too_late", key)
        else:
            self.note("repeated" if has == label else "disagrees", key)

    def _let_go(self, steps: int, rows: int) -> None:
        """Forget the first steps, with so many rows; their keys are free again."""
        for key, label in zip(self.keys[:rows], self.labels[:rows].tolist(), strict=False):
            if self.row_of.get(key) is not None:
                del self.row_of[key]
            self.complete.pop(key, None)
            self.complete[key] = label
        for key in [*islice(self.complete, max(len(self.complete) - MOST_KEPT, 0))]:
            del self.complete[key]
        del self.keys[:rows]
        self.first_row += rows
        self.first_step += steps
        for name in _ARRAYS:
            if getattr(self, name) is not None:
                setattr(self, name, self.room[name].drop(steps if name == "starts" else rows))
