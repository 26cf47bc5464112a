"""Every glyph fills exactly one cell."""

from dataclasses import fields

import pytest

from macro_tui.view.cells import in_cells
from macro_tui.view.glyphs import ASCII, UNICODE


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_glyphs_fill_one_cell_each(glyphs):
    for field in fields(glyphs):
        text = getattr(glyphs, field.name)
        if isinstance(text, str):
            assert in_cells(text, glyphs.ascii) == text


def test_curves_have_glyphs_of_their_own():
    assert len(set(ASCII.curves)) == len(set(UNICODE.curves)) == 6
