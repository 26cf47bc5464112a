import math

import pytest

from macro_engine.core.members import Member, grid, names_of


def test_members_stand_in_the_order_of_history_then_threshold():
    members = grid([36, 6], [0.3, 0.1])
    assert [(m.history, m.threshold) for m in members] == [(6, 0.1), (6, 0.3), (36, 0.1), (36, 0.3)]


def test_infinity_comes_once_last_and_without_a_history():
    members = grid([6, 36], [math.inf, 0.1])
    assert members[-1] == Member(None, math.inf)
    assert [m.is_marginal for m in members] == [False, False, True]


def test_a_history_of_all_steps_comes_last():
    members = grid(["all", 2, 10], [0.1])
    assert [m.history for m in members] == [2, 10, "all"]
    assert [m.steps for m in members] == [2, 10, None]


def test_duplicates_are_dropped():
    assert len(grid([6, 6], [0.1, 0.1, math.inf, math.inf])) == 2


def test_histories_are_written_where_there_are_several():
    assert names_of(grid([6], [0.1, math.inf])) == ("0.10", "inf")
    assert names_of(grid([6, "all"], [0.1, math.inf])) == ("6:0.10", "all:0.10", "inf")


@pytest.mark.parametrize("thresholds", [[0.1, 0.1000001], [1e-9, 1e-10]])
def test_different_members_have_different_names(thresholds):
    names = names_of(grid([1, 2], thresholds))
    assert len(set(names)) == len(names)
