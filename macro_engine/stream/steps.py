"""Groups rows into steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from macro_engine.core.declared import Declared, Flag, Integer, StatePart
from macro_engine.core.rows import Bools, Ints
from macro_engine.core.state import State
from macro_engine.stream.held_rows import LAST, MOVE, HeldRow, HeldRows
from macro_engine.stream.spec import AHEAD, MAX_STEP, StepLength
from macro_engine.stream.times import FIRST_TIME, iso

LATE_IN_SUCCESSION = 100
LATE = "is late (--late join would accept it)"
_NONE = np.empty(0, np.int64)
_EARLIEST = -(1 << 62)  # window
_NEVER = 1 << 62
_CHUNK = 256  # rows that are looked at together after one that needed a closer look
TOO_FAR_AHEAD = "lies too far ahead (--ahead), and the rows after it do not"


class Split(NamedTuple):
    """The decisions on rows, in the order in which they are made.

    Attributes
    ----------
    opens, late
        Whether each row opens a step, and is late.
    numbers
        The rows, by their numbers among all usable rows of the stream; some of them were given
        earlier, and held aside. None: those given, in their order, all of them taken.
    reasons
        Why a row is turned away; None for a row that is taken.
    places
        Among the rows given: the one whose arrival decides.
    """

    opens: Bools
    late: Bools
    numbers: Ints | None = None
    reasons: list[str | None] = []  # noqa: RUF012, never changed
    places: Ints = _NONE


class Stepper:
    """Groups rows into steps, in the order in which they come.

    A row is late if its window lies before that of the newest step. It joins the open step, or is
    turned away. After a hundred late rows in succession the next one opens a step of its own
    window: one wrong time in the past of a stream must not swallow the rest.

    A row that lies far ahead is held aside. Once a hundred of the last two hundred rows are, the
    clock moves to the first of them, and the others are checked again, in order; so it does at the
    end of the stream, if no row was taken since the first one came. A held row is turned away when
    it is none of the last two hundred, or is the first and another falls back before it by more
    than `ahead`.

    Parameters
    ----------
    say
        Takes a line of text when the clock moves, and when a window is cut.
    ahead, now
        As in `HeldRows`.
    max_step
        The rows that a step of a time window holds at most; the rest of the window makes further
        steps.
    """

    remembers = Declared(
        Integer("late"),
        Integer("count"),
        Integer("last_taken", -1, "count"),
        Integer("window", _EARLIEST, optional=True),
        Flag("is_open"),
        Flag("was_cut"),
        Integer("cut_window", _EARLIEST, optional=True),
        Integer("rows"),
        Integer("in_succession"),
        Flag("just_moved"),
        StatePart("ahead"),
    )

    def __init__(
        self,
        every: StepLength,
        reject_late: bool = False,
        say: Callable[[str], None] = lambda _text: None,
        ahead: int = AHEAD,
        max_step: int = MAX_STEP,
        now: Callable[[], int] | None = None,
    ) -> None:
        self.every = every
        self.length = every.microseconds or 1
        self.reject_late = reject_late
        self.say = say
        self.max_step = max_step
        self.ahead = HeldRows(self.length, ahead, now)
        self.late = 0
        self.count = 0  # rows given so far
        self.last_taken = -1  # the largest number of a row that was
        self.window: int | None = None  # of the newest step
        self.is_open = False
        self.was_cut = False  # the newest step is closed because it is full
        self.cut_window: int | None = None  # the last one of which that was said
        self.rows = 0  # in the open step
        self.in_succession = 0
        self.just_moved = False  # the newest row moved the clock
        self.place = 0  # of the row at hand among those given
        self.decided: list[_Decision] = []

    def split(self, times: Ints | None, count: int) -> Split:
        """Decide for each of `count` rows, and for those held aside."""
        if self.every.rows is not None:
            return Split(self._by_count(count, self.every.rows), np.zeros(count, np.bool_))
        assert times is not None
        windows = times // self.length
        place, chunk = 0, count
        while place < count:
            self.place = place
            end = min(place + chunk, self._expire(), count)
            taken = self._take_many(windows[place:end])
            place += taken
            chunk = max(2 * chunk, _CHUNK)
            if place < end:  # a row that needs a closer look
                self.place = place
                self._judge(HeldRow(self.count + place, int(times[place])))
                while len(self.ahead.rows) >= MOVE:
                    self._move_clock(f"{MOVE} of the last {LAST} rows lie there")
                place += 1
                chunk = _CHUNK
        self.count += count
        return self._decided(count)

    def finish(self) -> Split:
        """Decide for the rows held aside when no more will come."""
        self.place = 0
        held = self.ahead.rows
        while held:
            if self.last_taken > held[0].number:
                for row in held:
                    self._refuse(row, TOO_FAR_AHEAD)
                held.clear()
            else:
                self._move_clock("the last rows lie there")
        return self._decided(0)

    def close(self) -> None:
        """Close the open step; the next row opens another."""
        self.was_cut &= not self.is_open
        self.is_open = False
        self.rows = 0

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State) -> None:
        self.remembers.restore(self, state)

    def _by_count(self, count: int, length: int) -> Bools:
        opens: Bools = (self.rows + np.arange(count)) % length == 0
        self.rows = (self.rows + count) % length
        return opens

    def _expire(self) -> int:
        """Turn away what is none of the last rows any more; the place at which more will be."""
        for old in self.ahead.expired(self.count + self.place):
            self._refuse(old, TOO_FAR_AHEAD)
        held = self.ahead.rows
        return held[0].number + LAST - self.count if held else _NEVER

    def _take_many(self, windows: Ints) -> int:
        """Take the first rows at once, up to one that needs a closer look; how many they are."""
        if self.window is None or not self.is_open or not len(windows):
            return 0
        newest = np.maximum.accumulate(np.concatenate([[self.window], windows]))
        jumps = windows - newest[:-1]
        late, opens = jumps < 0, jumps > 0
        in_succession = _since(~late, self.in_succession)
        rows = _since(opens, self.rows - 1) + 1
        care = (jumps > self.ahead.windows) | (in_succession > LATE_IN_SUCCESSION)
        care |= rows >= self.max_step
        if self.reject_late:
            care |= late
        count = int(care.argmax()) if care.any() else len(windows)
        if not count:
            return 0
        last = count - 1
        self.window, self.rows = int(newest[count]), int(rows[last])
        self.in_succession, self.just_moved = int(in_succession[last]), False
        first = self.count + self.place
        self.last_taken = max(self.last_taken, first + last)
        self.late += int(late[:count].sum())
        places = np.arange(self.place, self.place + count)
        self.decided.append(_Decision(places + self.count, opens[:count], late[:count], places))
        return count

    def _judge(self, row: HeldRow) -> None:
        """Take a row, or hold it aside."""
        if not self.ahead.is_ahead(row.time, self.window):
            self._take(row)
            return
        for contradicted in self.ahead.hold(row):
            self._refuse(contradicted, TOO_FAR_AHEAD)

    def _move_clock(self, why: str) -> None:
        """Take the first row held aside, and check the others again."""
        held = self.ahead.rows
        first, *others = held
        held.clear()
        if not self.just_moved:  # where every row lies far ahead of the last, once is enough
            self.say(f"the clock moves ahead to {iso(first.time)}: {why}")
        self._take(first)
        self.just_moved = True
        for row in others:
            self._judge(row)

    def _take(self, row: HeldRow) -> None:
        window, newest = row.time // self.length, self.window
        is_late = newest is not None and (
            window < newest or (window == newest and not (self.is_open or self.was_cut))
        )
        opens = not self.is_open
        if not is_late:
            opens |= window != newest
            self.in_succession = 0
        else:
            self.late += 1
            self.in_succession += 1
            if self.in_succession > LATE_IN_SUCCESSION:
                self.in_succession, opens = 0, True
                when = self._start_of(window)
                self.say(
                    f"{LATE_IN_SUCCESSION} late rows in succession: the clock goes back to {when}"
                )
            elif self.reject_late:
                self._refuse(row, LATE)
                return
        if opens:
            self.window, self.is_open, self.was_cut, self.rows = window, True, False, 0
        self.rows += 1
        self.last_taken = max(self.last_taken, row.number)
        self.just_moved = False
        self._decide(row.number, opens, is_late, None)
        if self.rows >= self.max_step:
            self._cut()

    def _cut(self) -> None:
        """Close the step because it is full."""
        self.is_open, self.was_cut = False, True
        if self.window != self.cut_window:
            self.cut_window = self.window
            assert self.window is not None
            self.say(
                f"the step of {self._start_of(self.window)} is closed with {self.max_step:,} rows "
                "(--max-step); the rest of its window makes further steps"
            )

    def _start_of(self, window: int) -> str:
        return iso(max(window * self.length, FIRST_TIME))

    def _refuse(self, row: HeldRow, reason: str) -> None:
        self._decide(row.number, False, reason is LATE, reason)

    def _decide(self, number: int, opens: bool, late: bool, reason: str | None) -> None:
        self.decided.append(_Decision([number], [opens], [late], [self.place], reason))

    def _decided(self, given: int) -> Split:
        """All that was decided since the last time, when so many rows were given."""
        decided, self.decided = self.decided, []
        if not decided:
            return Split(_NONE.astype(np.bool_), _NONE.astype(np.bool_), _NONE, [], _NONE)
        numbers, opens, late, places = (
            np.concatenate([piece[part] for piece in decided]) for part in range(4)
        )
        all_taken = not any(piece.reason for piece in decided)
        if all_taken and len(numbers) == given and (numbers == places + self.count - given).all():
            return Split(opens, late)
        reasons = [piece.reason for piece in decided for _ in range(len(piece.numbers))]
        return Split(opens, late, numbers, reasons, places)


class _Decision(NamedTuple):
    """The decision on some rows, as in `Split`, with one reason for all of them."""

    numbers: Ints | list[int]
    opens: Bools | list[bool]
    late: Bools | list[bool]
    places: Ints | list[int]
    reason: str | None = None


def _since(marks: Bools, before: int) -> Ints:
    """How many places ago the last mark was; before the first one, `before` places and one more."""
    places = np.arange(len(marks))
    return places - np.maximum.accumulate(np.where(marks, places, -1 - before))
