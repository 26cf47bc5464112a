"""Every character fills the cells that it has on a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from macro_tui.view.canvas import Canvas
from macro_tui.view.cells import TAIL, clipped, in_cells, in_room, width_of
from macro_tui.view.rows import cut, fitting, row_width

WIDE = st.text(alphabet="aé 東ー한▲\u0301\ue000\x1b", max_size=12)


def painted(text):
    return text.replace(TAIL, "")


@given(st.one_of(st.text(), WIDE))
def test_the_length_of_a_text_in_cells_is_its_width(text):
    shown = in_cells(text)
    assert cell_len(painted(shown)) == len(shown) == width_of(text)
    assert painted(shown).isprintable()
    assert in_cells(shown) == shown


@given(st.one_of(st.text(), WIDE), st.integers(0, 12))
def test_a_text_is_cut_to_its_cells_and_never_through_a_character(text, width):
    shown = clipped(in_cells(text), width)
    assert len(shown) == cell_len(painted(shown)) == min(width, width_of(text))
    assert len(in_room(text, max(width, 2))) <= max(width, 2)


@given(st.one_of(st.text(), WIDE))
def test_ascii_text_is_ascii(text):
    assert in_cells(text, ascii_only=True).isascii()


def test_wide_characters_are_shown_as_they_are():
    assert painted(in_cells("東京 A")) == "東京 A"
    assert painted(in_cells("e\u0301")) == "é"
    assert painted(in_room("東京ラーメン", 6)) == "東京 …"


def test_rows_are_measured_in_cells():
    row = [("東京", "label"), (" #4", "strong")]
    assert row_width(row) == 7
    assert fitting(row, 6) == row[:1]
    assert [painted(text) for text, _ in cut(row, 3)] == ["東…"]


@pytest.mark.parametrize(("x", "left"), [(2, "a   #京b"), (3, "a東#   b"), (1, "a#  京b")])
def test_half_a_wide_character_that_is_drawn_over_is_blank(x, left):
    canvas = Canvas(6, 1)
    canvas.put(0, 0, "a東京b", "label")
    canvas.put(x, 0, "#", "label")
    text = painted("".join(text for text, _ in canvas.rows()[0]))
    assert cell_len(text) == 6
    assert text.replace(" ", "") == left.replace(" ", "")
