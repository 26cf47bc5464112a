import pytest
from hypothesis import given
from hypothesis import strategies as st

from macro_engine.core.escape import visible


@given(st.text())
def test_nothing_that_commands_a_terminal_is_left(text):
    shown = visible(text, limit=1000)
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2028\ud800" for c in shown)


@pytest.mark.parametrize("text", ["ATL", "Zürich", "東京", "a b"])
def test_ordinary_text_stays(text):
    assert visible(text) == text
