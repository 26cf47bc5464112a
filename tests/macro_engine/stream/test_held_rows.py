"""Rows far ahead of the stream are held aside; who is wrong is decided by the rows around them.

`definition` says it slowly and plainly, from the numbers and times of all rows; what the program
does must equal it, however the rows come and wherever it is killed.
"""

from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from macro_engine.core.state import pack, unpack
from macro_engine.stream.block_maker import BlockMaker, packed
from macro_engine.stream.formats.csv import table_of
from macro_engine.stream.formats.csv_parser import Record
from macro_engine.stream.formats.dialect import Dialect
from macro_engine.stream.label import parse_label
from macro_engine.stream.spec import StepLength, StreamSpec
from macro_engine.stream.steps import Stepper
from macro_engine.stream.table import Rejections
from macro_engine.stream.times import iso

MINUTE = 60_000_000
DAY = 1440 * MINUTE
YEAR = 365 * DAY
NAMES = ["t", "a", "c", "y"]


class Definition:
    """One row after the other, everything looked up in lists.

    `steps` are lists of rows in the order in which they were taken.
    """

    def __init__(self, length, ahead=DAY, max_step=100_000, reject_late=False, now=None):
        self.length, self.ahead, self.max_step = length, ahead, max_step
        self.reject_late, self.now = reject_late, now
        self.times = []
        self.held = []  # numbers
        self.taken = []
        self.steps = []
        self.away = []
        self.late = []
        self.newest = None
        self.open = self.full = False
        self.late_run = 0

    def come(self, time):
        self.times.append(time)
        number = len(self.times) - 1
        last_200 = range(max(0, number - 199), number + 1)
        self.turn_away([n for n in self.held if n not in last_200])
        self.judge(number)
        while sum(n in self.held for n in last_200) >= 100:
            self.move()
        return self

    def end(self):
        while self.held:
            if any(n > self.held[0] for n in self.taken):
                self.turn_away(list(self.held))
            else:
                self.move()
        return self

    def move(self):
        held, self.held = self.held, []
        self.take(held[0])
        for number in held[1:]:
            self.judge(number)

    def judge(self, number):
        time = self.times[number]
        windows = 0 if self.newest is None else time // self.length - self.newest
        far = windows > 100 and windows * self.length > self.ahead
        if not far or (self.now is not None and time <= self.now + self.ahead):
            self.take(number)
            return
        while self.held and time < self.times[self.held[0]] - self.ahead:
            self.turn_away([self.held[0]])
        self.held.append(number)

    def turn_away(self, numbers):
        self.away += numbers
        self.held = [n for n in self.held if n not in numbers]

    def take(self, number):
        window = self.times[number] // self.length
        if self.newest is None or window > self.newest:
            opens, late = True, False
        elif window == self.newest and (self.open or self.full):
            opens, late = not self.open, False
        else:
            opens, late = not self.open, True
        self.late_run = self.late_run + 1 if late else 0
        if late:
            self.late.append(number)
            if self.late_run == 101:
                opens, self.late_run = True, 0
            elif self.reject_late:
                self.away.append(number)
                return
        if opens:
            self.steps.append([])
            self.newest = window
        self.steps[-1].append(number)
        self.taken.append(number)
        self.full = len(self.steps[-1]) == self.max_step
        self.open = not self.full


def defined(times, length, **options):
    definition = Definition(length, **options)
    for time in times:
        definition.come(time)
    return definition.end()


def stepped(times, every, cuts, kills, ahead=DAY, max_step=100_000, reject_late=False, now=None):
    """The steps, the rows turned away and the late ones, rows coming in pieces."""
    clock = None if now is None else lambda: now

    def new():
        return Stepper(
            StepLength.parse(every), reject_late, ahead=ahead, max_step=max_step, now=clock
        )

    stepper = new()
    steps, away, late = [], [], []

    def note(split, first):
        numbers = split.numbers
        if numbers is None:
            numbers = np.arange(first, first + len(split.opens))
        reasons = split.reasons or [None] * len(numbers)
        for number, opens, is_late, reason in zip(
            numbers.tolist(), split.opens, split.late, reasons, strict=True
        ):
            late.extend([number] * bool(is_late))
            if reason is not None:
                away.append(number)
            elif opens:
                steps.append([number])
            else:
                steps[-1].append(number)

    for piece, part in enumerate(np.split(np.array(times, np.int64), sorted(cuts))):
        first = stepper.count
        note(stepper.split(part, len(part)), first)
        if piece in kills:
            state = unpack(pack(stepper.state()))
            stepper = new()
            stepper.restore(state)
    note(stepper.finish(), 0)
    assert stepper.late == len(late)
    return steps, away, late


# what a stretch of rows does with the clock, and for how many rows it does it
KINDS = ("on", "gap", "wild", "mixed", "back", "late", "sparse", "crowd")
STRETCHES = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 130)), min_size=1, max_size=7)


def times_of(stretches, seed):
    rng = np.random.default_rng(seed)
    now, times = 100 * YEAR, []
    for kind, count in stretches:
        jump = {"gap": 30 * DAY, "back": -40 * DAY}.get(kind, 0)
        now += int(jump * rng.integers(1, 3))
        for _ in range(count):
            wrong = 0
            if kind == "wild":
                wrong = int(rng.choice([0, 0, 0, 5, 27, 27])) * YEAR
            elif kind == "mixed":
                wrong = int(rng.random() < 0.5) * 3 * DAY
            elif kind == "late":
                wrong = -int(rng.random() < 0.8) * DAY
            elif kind == "sparse":
                now += 2 * DAY
            times.append(now + wrong)
            now += 0 if kind == "crowd" else int(rng.integers(0, 9)) * MINUTE
    return times


@pytest.mark.slow
@given(
    STRETCHES,
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 500), max_size=8),
    st.sets(st.integers(0, 8)),
    st.sampled_from([3, 40, 100_000]),
    st.booleans(),
    st.sampled_from([None, 100 * YEAR + 29 * DAY, 110 * YEAR]),
)
@settings(deadline=None, max_examples=150)
def test_rows_become_the_steps_of_the_definition(
    stretches, seed, cuts, kills, max_step, reject_late, now
):
    times = times_of(stretches, seed)
    options = {"max_step": max_step, "reject_late": reject_late, "now": now}
    expected = defined(times, 10 * MINUTE, **options)
    steps, away, late = stepped(times, "10m", cuts, kills, **options)
    assert steps == expected.steps
    assert away == expected.away
    assert late == expected.late
    assert sorted([*away, *chain(*steps)]) == list(range(len(times)))  # nothing is lost


def spec(**changes):
    values = {
        "label": parse_label("y", NAMES),
        "features": ("a",),
        "categorical": ("c",),
        "time": "t",
        "time_format": None,
        "classes": ("p", "q"),
        "bounds": {"a": (0.0, 999.0)},
        "every": StepLength.parse("10m"),
        "scale": "none",
        "reject_late": False,
    }
    return StreamSpec(**(values | changes))


class Made:
    """Blocks made of rows that come in pieces from files of their own; what was said and refused."""

    def __init__(self, times, made_spec, cuts=(), kills=()):
        self.said, self.spec = [], made_spec
        self.rejections = Rejections()
        maker = BlockMaker(made_spec, self.rejections, self.said.append)
        self.blocks = []
        places = [0, *sorted(cut for cut in cuts if cut < len(times)), len(times)]
        for piece, (a, b) in enumerate(pairwise(places)):
            records = [
                Record(i, [iso(times[i]), str(i), f"c{i}", "pq"[i % 2]]) for i in range(a, b)
            ]
            self.blocks += maker.take(table_of(records, NAMES, NAMES, Dialect(), f"f{a}", {}))
            if piece in kills:
                state = unpack(pack(packed(maker.state())))
                kept = self.rejections.first
                maker = BlockMaker(made_spec, self.rejections, self.said.append)
                maker.restore(state)
                self.rejections.first = kept
        self.held = [int(row.lines[0]) for row in maker.held.values()]
        self.blocks += maker.finish()
        self.lines = [rejection.line for rejection in self.rejections.first]
        self.slots = maker.encoder.vocabulary[0].names

    @property
    def steps(self):
        return [
            [int(number) for number in block.step(s).numbers[:, 0]]
            for block in self.blocks
            for s in range(block.steps)
        ]

    @property
    def rejected(self):
        return [int(count) for block in self.blocks for count in block.rejected]


@pytest.mark.slow
@given(
    STRETCHES,
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 500), max_size=6, unique=True),
    st.sets(st.integers(0, 6)),
)
@settings(deadline=None, max_examples=40)
def test_rows_held_aside_keep_their_values_lines_and_files(stretches, seed, cuts, kills):
    times = times_of(stretches, seed)
    expected = defined(times, 10 * MINUTE)
    made = Made(times, spec(), cuts, kills)
    assert made.steps == expected.steps
    assert made.lines == expected.away
    starts = [0, *sorted(cuts)]
    for rejection in made.rejections.first:
        assert rejection.file == f"f{max(a for a in starts if a <= rejection.line)}"
    assert list(made.slots) == [f"c{i}" for i in expected.taken][:1024]
    assert sum(made.rejected) == len(expected.away)
    assert made.rejected == Made(times, spec()).rejected  # of the same steps, however they come


def test_a_stuck_clock_is_turned_away_and_the_run_goes_on():
    times = [i * MINUTE for i in range(2000)]
    stuck = [130 * YEAR if i % 50 == 7 else time for i, time in enumerate(times)]
    made = Made(stuck, spec())
    assert len(made.steps) == 200
    assert made.lines == list(range(7, 2000, 50))
    problem = made.rejections.first[0].problem
    assert str(problem) == "lies too far ahead (--ahead), and the rows after it do not"
    assert made.rejections.first[0].column == "t"
    assert made.said[1:] == []  # the first says what times are


def test_after_a_real_gap_nothing_is_lost_and_the_clock_moves_once():
    times = [i * MINUTE for i in range(300)] + [90 * DAY + i * MINUTE for i in range(300)]
    made = Made(times, spec())
    assert list(chain(*made.steps)) == list(range(600))
    assert made.lines == []
    assert made.said[1:] == [
        "the clock moves ahead to 1970-04-01T00:00:00: 100 of the last 200 rows lie there"
    ]


def test_a_gap_with_a_stuck_clock_in_it_moves_the_clock_past_the_gap_only():
    times = [i * MINUTE for i in range(300)] + [90 * DAY + i * MINUTE for i in range(900)]
    stuck = [130 * YEAR if i % 20 == 3 else time for i, time in enumerate(times)]
    made = Made(stuck, spec())
    assert made.lines == list(range(3, 1200, 20))
    assert max(int(block.times.max()) for block in made.blocks) < 91 * DAY


def test_at_the_end_rows_ahead_are_taken_unless_others_contradict_them():
    times = [i * MINUTE for i in range(50)]
    assert list(chain(*Made([*times, 90 * DAY, 91 * DAY], spec()).steps)) == list(range(52))
    made = Made([*times, 90 * DAY, 50 * MINUTE], spec())
    assert made.lines == [50]
    assert "the last rows lie there" not in " ".join(made.said)


def test_where_every_row_lies_far_ahead_of_the_last_nothing_is_lost_nor_said_twice():
    times = [i * 2 * DAY for i in range(500)]
    made = Made(times, spec())
    assert made.steps == [[i] for i in range(500)]
    assert len(made.said) == 2


@pytest.mark.parametrize(("windows", "is_held"), [(144, False), (145, True)])
def test_a_row_must_lie_beyond_ahead(windows, is_held):
    made = Made([0, windows * 10 * MINUTE, 0], spec())
    assert made.lines == ([1] if is_held else [])


@pytest.mark.parametrize(("windows", "is_held"), [(100, False), (101, True)])
def test_a_row_must_lie_beyond_a_hundred_windows(windows, is_held):
    made = Made([0, windows * DAY, 0], spec(every=StepLength.parse("1d")))
    assert made.lines == ([1] if is_held else [])


def test_a_row_that_this_machines_clock_allows_is_never_held():
    times = [0, 50 * YEAR, *(i * MINUTE for i in range(60))]
    held = stepped(times, "10m", [], [], now=49 * YEAR)[1]
    taken = stepped(times, "10m", [], [], now=50 * YEAR)[1]
    assert (held, taken) == ([1], [])


def test_steps_by_count_have_no_clock():
    times = [0, 130 * YEAR, MINUTE, 2 * MINUTE]
    made = Made(times, spec(every=StepLength.parse("2")))
    assert made.steps == [[0, 1], [2, 3]]


def test_a_window_of_too_many_rows_makes_further_steps_that_are_not_late():
    made = Made([0] * 8 + [10 * MINUTE], spec(max_step=3))
    assert [len(step) for step in made.steps] == [3, 3, 2, 1]
    assert sum(int(block.late.sum()) for block in made.blocks) == 0
    assert made.said[1:] == [
        "the step of 1970-01-01T00:00:00 is closed with 3 rows (--max-step); the rest of its "
        "window makes further steps"
    ]
