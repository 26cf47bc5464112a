"""Ticks are round, and the range holds still."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macro_tui.view.axis import Bounds, settled, step, tick_text, ticks

PERCENT = Bounds(0.0, 100.0)


def settle(before, low, high):
    return settled(before, low, high, PERCENT, 1.0)


@pytest.mark.parametrize(
    ("span", "most", "expected"), [(10, 5, 2), (10, 4, 5), (1, 10, 0.1), (0.3, 3, 0.1), (7, 1, 10)]
)
def test_steps_are_one_two_or_five(span, most, expected):
    assert step(span, most) == pytest.approx(expected)


@given(st.floats(0, 99), st.floats(0.01, 100), st.integers(1, 20))
def test_ticks_lie_within_the_range_and_are_not_too_many(low, span, most):
    found = ticks(Bounds(low, low + span), most)
    assert len(found) <= most + 1
    assert all(low - 1e-6 <= tick <= low + span + 1e-6 for tick in found)


def test_ticks_have_the_decimals_of_their_step():
    assert tick_text(31.5, 0.5, "%") == "31.5%"
    assert tick_text(-2.0, 1.0, "points") == "-2"
    assert tick_text(0.0, 1.0, "points") == "0"


@given(st.floats(0, 100), st.floats(0, 100))
def test_the_range_holds_the_data(one, other):
    low, high = sorted((one, other))
    bounds = settle(None, low, high)
    assert bounds.low <= low <= high <= bounds.high
    assert 0 <= bounds.low < bounds.high <= 100


def test_the_range_holds_still_while_the_data_stay_within_and_fill_half():
    before = settle(None, 30, 40)
    assert settle(before, 31, 39) is before


def test_the_range_widens_at_once():
    before = settle(None, 30, 40)
    wider = settle(before, 30, 47)
    assert wider.high >= 47
    assert wider.low <= before.low


def test_the_range_narrows_when_the_data_fill_less_than_half():
    before = settle(None, 10, 60)
    assert settle(before, 30, 34).span < 10


def test_the_range_follows_data_that_left_it():
    assert settle(Bounds(30.0, 40.0), 60, 62).low >= 55


def test_small_changes_of_level_data_do_not_move_the_range():
    before = settle(None, 30.0, 30.1)
    assert all(settle(before, 30 + i / 100, 30.1 + i / 100) is before for i in range(20))
