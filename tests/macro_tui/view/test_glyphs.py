"""Every character fills exactly one cell."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from macro_tui.view.glyphs import ASCII, UNICODE, one_cell_each


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_glyphs_fill_one_cell_each(glyphs):
    for field in fields(glyphs):
        text = getattr(glyphs, field.name)
        if isinstance(text, str):
            assert one_cell_each(text, glyphs.ascii) == text


def test_curves_have_glyphs_of_their_own():
    assert len(set(ASCII.curves)) == len(set(UNICODE.curves)) == 6


@given(st.text())
def test_text_keeps_its_length_and_fills_one_cell_each(text):
    shown = one_cell_each(text)
    assert len(shown) == len(text)
    assert all(cell_len(c) == 1 and c.isprintable() for c in shown)


@given(st.text())
def test_ascii_text_is_ascii(text):
    assert one_cell_each(text, ascii_only=True).isascii()
