from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from macro_engine.stream.spec import StepLength
from macro_engine.stream.steps import Stepper

MINUTE = 60_000_000


def split(minutes, every="10m", cuts=(), **options):
    """Which rows open a step and which are turned away, rows given in pieces."""
    stepper = Stepper(StepLength.parse(every), **options)
    times = np.array(minutes, np.int64) * MINUTE
    parts = [stepper.split(part, len(part)) for part in np.split(times, sorted(cuts))]
    opens = np.concatenate([part.opens for part in parts]).astype(int).tolist()
    reasons = [part.reasons or [None] * len(part.opens) for part in parts]
    away = [int(reason is not None) for reason in chain(*reasons)]
    assert sum(part.late.sum() for part in parts) == stepper.late
    return opens, away, stepper


def test_rows_of_one_window_make_a_step_and_windows_without_rows_make_none():
    assert split([1, 9, 10, 55, 59])[0] == [1, 0, 1, 1, 0]


def test_windows_are_counted_from_1970_also_before_it():
    assert split([-11, -10, -1, 0])[0] == [1, 1, 0, 1]


def test_a_late_row_joins_the_open_step_and_is_counted():
    opens, away, stepper = split([5, 15, 3, 16, 25])
    assert opens == [1, 1, 0, 0, 1]
    assert sum(away) == 0
    assert stepper.late == 1


def test_a_late_row_may_be_turned_away():
    opens, away, stepper = split([5, 15, 3, 16], reject_late=True)
    assert opens == [1, 1, 0, 0]
    assert away == [0, 0, 1, 0]
    assert stepper.late == 1


def test_a_row_of_a_closed_step_is_late_and_opens_a_step_if_none_is_open():
    stepper = Stepper(StepLength.parse("10m"))
    times = np.array([12, 13]) * MINUTE
    stepper.split(times[:1], 1)
    stepper.close()
    opens, late, *_ = stepper.split(times[1:], 1)
    assert opens.tolist() == late.tolist() == [True]
    assert stepper.late == 1


@pytest.mark.parametrize("reject_late", [False, True])
def test_one_wrong_time_in_the_future_does_not_swallow_the_rest(reject_late):
    said = []
    minutes = [0, 999] + [20] * 101 + [35]
    opens, away, stepper = split(minutes, reject_late=reject_late, say=said.append)
    assert np.flatnonzero(opens).tolist() == [0, 1, 102, 103]
    assert sum(away) == (100 if reject_late else 0)
    assert stepper.late == 101
    assert said == ["100 late rows in succession: the clock goes back to 1970-01-01T00:20:00"]


def test_steps_by_count_go_on_across_pieces():
    assert split([0] * 7, every="3", cuts=[2, 5])[0] == [1, 0, 0, 1, 0, 0, 1]


@given(
    minutes=st.lists(st.integers(0, 60), max_size=40),
    cuts=st.lists(st.integers(0, 40), max_size=5),
    reject_late=st.booleans(),
)
def test_pieces_of_any_size_give_the_same_steps(minutes, cuts, reject_late):
    whole = split(minutes, reject_late=reject_late)
    pieces = split(minutes, cuts=cuts, reject_late=reject_late)
    assert whole[:2] == pieces[:2]
    assert whole[2].late == pieces[2].late


def test_a_length_of_more_than_ten_thousand_years_is_refused():
    with pytest.raises(ValueError, match="longer than ten thousand years"):
        StepLength.parse("999999999999d")


@pytest.mark.parametrize("text", ["", "0", "10x", "-5", "m", "1.5h"])
def test_a_length_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="not the length of a step"):
        StepLength.parse(text)
