"""Curves as dots: which dots are set, and whose colour a cell has."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from macro_tui.view.raster import Stroke, braille, fitted, inked, letters, rows_of

PLAIN = [Stroke()]
values = st.floats(-5, 15) | st.just(np.nan)


def drawn(cells):
    return ["".join(map(chr, row)) for row in cells.characters.tolist()]


def test_the_top_and_the_bottom_of_the_range_are_the_first_and_the_last_row():
    assert rows_of(np.array([10.0, 0.0, 5.0]), 0, 10, 11).tolist() == [0, 10, 5]


def test_values_outside_the_range_are_drawn_at_its_edges():
    assert rows_of(np.array([99.0, -99.0, np.inf]), 0, 10, 8).tolist() == [0, 7, 0]


def test_a_flat_curve_is_one_row_of_dots():
    cells = braille(np.zeros((1, 6)), PLAIN, 0, 1, 3, 1)
    assert drawn(cells) == ["⣀⣀⣀"]


def test_a_jump_is_joined_by_a_vertical_run():
    cells = braille(np.array([[0.0, 1.0]]), PLAIN, 0, 1, 1, 2)
    assert drawn(cells) == ["⢸", "⡸"]


def test_missing_values_leave_a_gap_and_are_not_bridged():
    cells = braille(np.array([[0.0, 0.0, np.nan, np.nan, 1.0, 1.0]]), PLAIN, 0, 1, 3, 1)
    assert drawn(cells) == ["⣀ ⠉"]


def test_the_first_series_has_the_colour_where_curves_meet():
    both = np.array([[0.0] * 4, [0.0] * 2 + [1.0] * 2])
    cells = braille(both, 2 * PLAIN, 0, 1, 2, 1)
    assert cells.owners.tolist() == [[0, 0]]
    assert drawn(cells) == ["⣀⣏"]


def test_empty_cells_have_no_owner():
    cells = braille(np.full((2, 4), np.nan), 2 * PLAIN, 0, 1, 2, 2)
    assert (cells.owners == -1).all()
    assert drawn(cells) == ["  ", "  "]


def test_dashes_leave_out_dot_columns():
    dashed = [Stroke(dashes=(True, True, False, False))]
    assert drawn(braille(np.zeros((1, 8)), dashed, 0, 1, 4, 1)) == ["⣀ ⣀ "]


def test_a_thick_curve_has_two_rows_of_dots():
    thick = [Stroke(thickness=2)]
    assert drawn(braille(np.full((1, 2), 1.0), thick, 0, 1, 1, 1)) == ["⠛"]


def test_letters_name_their_series():
    cells = letters(np.array([[1.0] * 4, [0.0] * 4]), ["*", "-"], 0, 1, 2, 2)
    assert drawn(cells) == ["**", "--"]
    assert cells.owners.tolist() == [[0, 0], [1, 1]]


def test_no_series_is_an_empty_picture():
    assert drawn(braille(np.zeros((0, 4)), [], 0, 1, 2, 1)) == ["  "]
    assert drawn(letters(np.zeros((0, 4)), [], 0, 1, 2, 1)) == ["  "]


@pytest.mark.parametrize("columns", [0, 2, 5])
def test_values_are_cut_or_filled_up_at_the_right(columns):
    fitting = fitted(np.array([[1.0, 2.0, 3.0]]), columns, np.nan)
    assert fitting.shape == (1, columns)
    assert fitting[0, : min(3, columns)].tolist() == [1.0, 2.0, 3.0][:columns]


@given(hnp.arrays(float, (1, 20), elements=values))
def test_curves_are_unbroken(row):
    dots = inked(row, 0, 10, 16)[0]
    for column in range(1, 20):
        if not np.isnan(row[0, column - 1 : column + 1]).any():
            near = np.flatnonzero(dots[:, column - 1])[:, None] - np.flatnonzero(dots[:, column])
            assert np.abs(near).min() <= 1


@given(hnp.arrays(float, (2, 20), elements=values), st.integers(1, 9))
def test_appending_never_changes_earlier_columns(rows, cells):
    whole = braille(rows, 2 * PLAIN, 0, 10, 10, 3)
    begun = np.where(np.arange(20) < 2 * cells, rows, np.nan)
    part = braille(begun, 2 * PLAIN, 0, 10, 10, 3)
    assert (part.characters[:, :cells] == whole.characters[:, :cells]).all()
    assert (part.owners[:, :cells] == whole.owners[:, :cells]).all()
