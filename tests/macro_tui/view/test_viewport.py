"""The two cursors, pages and zoom, without a screen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from macro_tui.view.viewport import Viewport, page, whole_width


@given(st.integers(1, 300), st.integers(0, 10**7))
def test_the_whole_run_fits_and_two_thirds_as_wide_columns_would_not(columns, steps):
    width = whole_width(columns, steps)
    assert columns * width >= steps
    assert width == 1 or columns * (width * 2 // 3) < steps


@given(st.integers(1, 300), st.integers(0, 12), st.integers(1, 10**6), st.integers(0, 10**6))
def test_a_page_has_its_moment_and_begins_at_a_multiple_of_its_width(columns, power, moment, more):
    shown = page(columns, 2**power, moment, moment + more)
    assert shown.start % shown.width == 0
    assert 0 <= shown.column(moment) < columns


def test_a_page_moves_by_half_its_length_only():
    starts = [page(10, 4, moment, 1000).start for moment in range(1, 400)]
    assert sorted(set(starts)) == list(range(0, max(starts) + 1, 20))
    assert starts == sorted(starts)


def test_old_columns_keep_their_edges_while_the_run_grows():
    early, late = page(10, None, 130, 130), page(10, None, 150, 150)
    assert early.width == late.width == 16
    assert np.array_equal(early.edges, late.edges)


def test_looking_back_lands_on_edges_and_forward_follows_again():
    view = Viewport().looked(-1, 8, 100)
    assert view.moment == 96
    assert view.looked(-1, 8, 100).moment == 88
    assert view.looked(1, 8, 100).moment is None


def test_the_view_never_leaves_the_run():
    assert Viewport().looked(-1000, 8, 100).moment == 1
    assert Viewport().at(500, 100).moment == 100


def test_zooming_out_of_the_whole_run_changes_nothing():
    assert Viewport().zoomed(-1, 72, 20_000).width is None
    closer = Viewport().zoomed(1, 72, 20_000)
    assert closer.width == 192
    assert closer.zoomed(-1, 72, 20_000).width is None


def test_zooming_in_ends_at_single_steps():
    view = Viewport()
    for _ in range(40):
        view = view.zoomed(1, 72, 20_000)
    assert view.width == 1


def test_thresholds_go_round_and_come_back_to_the_leader():
    view, seen = Viewport(), []
    for _ in range(4):
        view = view.next_member(1, 3)
        seen.append(view.member)
    assert seen == [2, None, 2, None]
    view = Viewport().next_member(2, 3)
    assert [view.member, view.next_member(0, 3).member] == [0, 1]


@pytest.mark.parametrize("change", ["next_mode", "next_window", "next_curves", "next_order"])
def test_choices_go_round(change):
    view = getattr(Viewport(), change)()
    assert view != Viewport()
    for _ in range(3):
        if view != Viewport():
            view = getattr(view, change)()
    assert view == Viewport()
