"""Bars, sparks and shades."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from macro_tui.view.bars import bar, shades, sparks
from macro_tui.view.glyphs import ASCII, UNICODE

LIMITS = (0.02, 0.15, 0.4, 0.7)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@given(share=st.floats(allow_nan=True, allow_infinity=True), width=st.integers(0, 30))
def test_a_bar_is_always_as_wide_as_asked(glyphs, share, width):
    assert len(bar(share, width, glyphs)) == width


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_has_no_shorter_bar(one, other):
    def inked(share):
        return sum(UNICODE.blocks.index(c) for c in bar(share, 12))

    small, large = sorted((one, other))
    assert inked(small) <= inked(large)


def test_a_bar_in_ascii_is_made_of_hashes():
    assert bar(0.5, 4, ASCII) == "##  "


def test_nothing_has_no_bar_and_little_has_some():
    assert bar(0.0, 3) == "   "
    assert bar(1e-9, 3) == "▏  "


def test_sparks_are_measured_against_the_largest():
    assert sparks(np.array([0.0, 0.1, 4.0, 8.0])) == " ▁▄█"


def test_sparks_without_values_are_blank():
    assert sparks(np.array([0.0, np.nan, -3.0])) == "   "


def test_sparks_and_shades_in_ascii():
    assert sparks(np.array([1.0, 8.0]), ASCII) == ".#"
    assert shades(np.array([0.1, 0.5, 0.8]), LIMITS, ASCII) == ".*#"


def test_a_shade_begins_at_its_limit():
    assert shades(np.array([0.0, 0.02, 0.15, 0.4, 0.7, np.nan]), LIMITS) == " ░▒▓█ "
