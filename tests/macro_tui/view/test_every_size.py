"""What holds for every picture at every size, in Unicode and in ASCII."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from made_views import (
    birth_view,
    curves_view,
    nearest_view,
    odd_curves_view,
    odd_strategy_values_view,
    strategy_values_view,
    texts,
    timeline_view,
    weights_view,
)
from rich.cells import cell_len

from macro_tui.view import curves, nearest, strategy_values, timeline, weights
from macro_tui.view.cells import TAIL
from macro_tui.view.glyphs import ASCII, UNICODE
from macro_tui.view.roles import ROLES

PICTURES = {
    "curves": (curves.render, curves_view),
    "curves of points": (curves.render, lambda width: curves_view(width, unit="points")),
    "curves begun": (curves.render, lambda width: curves_view(width, share=0.3)),
    "curves with crosshair": (curves.render, lambda width: curves_view(width, crosshair=5)),
    "curves of another width": (curves.render, lambda _: curves_view(90)),
    "curves of odd values": (curves.render, odd_curves_view),
    "weights": (weights.render, weights_view),
    "weights of many": (weights.render, lambda width: weights_view(width, 40, 33, 5)),
    "weights of another width": (weights.render, lambda _: weights_view(20)),
    "shown": (strategy_values.render, strategy_values_view),
    "shown of odd values": (strategy_values.render, odd_strategy_values_view),
    "shown of another width": (strategy_values.render, lambda _: strategy_values_view(20)),
    "timeline": (timeline.render, timeline_view),
    "timeline of another width": (timeline.render, lambda _: timeline_view(70)),
    "nearest": (nearest.render, lambda _: nearest_view()),
    "birth": (nearest.render, lambda _: birth_view()),
}


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("picture", PICTURES)
@given(width=st.integers(0, 210), height=st.integers(0, 65))
@example(width=20, height=3)
@example(width=200, height=60)
@settings(max_examples=15)
def test_a_picture_fills_its_room_and_nothing_else(picture, glyphs, width, height):
    render, view = PICTURES[picture]
    rows = render(view(width), width, height, glyphs)
    assert len(rows) == height
    for row, text in zip(rows, texts(rows), strict=True):
        assert cell_len(text.replace(TAIL, "")) == len(text) == width
        assert text.replace(TAIL, "").isprintable()
        assert text.isascii() or not glyphs.ascii
        assert all(role in ROLES for _, role in row)
