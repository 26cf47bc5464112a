"""The stretch of a run that pictures show."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from macro_engine.run.view import Snapshot
from macro_tui.view.page import Page, expected_length, stretch, whole_width

PAGES = st.builds(
    lambda start, span, columns, grain: Page(start * grain, start * grain + span, columns, grain),
    st.integers(0, 1000),
    st.integers(1, 10**6),
    st.integers(1, 300),
    st.sampled_from([1, 2, 8]),
)


@given(st.integers(1, 300), st.integers(0, 10**7))
def test_the_whole_run_fits_and_two_thirds_as_wide_columns_would_not(columns, steps):
    width = whole_width(columns, steps)
    assert columns * width >= steps
    assert width == 1 or columns * (width * 2 // 3) < steps


@given(PAGES)
def test_columns_follow_each_other_over_the_whole_page(page):
    edges = page.edges
    assert len(edges) == page.columns + 1
    assert edges[0] == page.start
    assert page.stop <= edges[-1] < page.stop + page.grain
    assert (np.diff(edges) >= 0).all()
    assert ((edges - page.start) % page.grain == 0).all()
    assert (page.begins < page.edges[1:]).all()


@given(PAGES, st.floats(0, 1))
def test_a_step_is_in_the_column_that_begins_before_it(page, share):
    step = page.start + int(share * (page.stop - page.start - 1))
    column = page.column(step + 1)
    assert page.begins[column] <= step < page.edges[column + 1]


@given(st.integers(1, 300), st.integers(0, 12), st.integers(1, 10**6), st.integers(0, 10**6))
def test_a_zoomed_stretch_has_its_moment(columns, power, moment, more):
    start, stop = stretch(columns, 2**power, moment, moment + more)
    assert start < moment <= stop
    assert start == 0 or start % 2**power == 0


def test_a_zoomed_stretch_moves_by_half_its_length_only():
    starts = [stretch(10, 4, moment, 1000)[0] for moment in range(1, 400)]
    assert sorted(set(starts)) == list(range(0, max(starts) + 1, 20))
    assert starts == sorted(starts)


def test_a_run_of_unknown_length_has_room_to_grow_and_columns_keep_their_edges():
    assert stretch(10, None, 130, 130) == stretch(10, None, 150, 150) == (0, 160)


def test_a_recording_is_shown_in_its_whole_length():
    assert stretch(10, None, 130, 130, 2000) == (0, 2000)
    assert stretch(10, None, 2000, 2000, 2000) == (0, 2000)


def test_the_length_of_a_recording_follows_from_the_share_that_was_played():
    playing = Snapshot(state="running", steps=500, done=0.25)
    assert expected_length(playing, 500, None) == 2000
    assert expected_length(playing, 500, 2050) == 2050
    assert expected_length(playing, 500, 3000) == 2000
    assert expected_length(replace(playing, done=None), 500, None) is None
    assert expected_length(replace(playing, state="finished"), 500, 2050) == 500


def test_a_zoomed_stretch_ends_where_the_run_ends():
    assert stretch(10, 4, 103, 103, 103) == (64, 104)
    assert stretch(10, 4, 30, 103, 103) == (0, 40)
    assert stretch(10, 4, 103, 103)[1] == 120  # a live feed has room to grow
