"""The table of keys and what is made from it."""

from pathlib import Path

import pytest

from macro_tui.screens.main import MainScreen
from macro_tui.view.keys import GROUPS, KEYS, footer, markdown

ROOT = Path(__file__).parents[3]


def test_the_readme_has_the_table():
    assert markdown() in (ROOT / "docs" / "monitor.md").read_text()


def test_no_key_has_two_meanings():
    keys = [name for key in KEYS for name in key.keys]
    assert len(keys) == len(set(keys))


def test_every_key_has_an_action_and_a_group():
    for key in KEYS:
        name = key.action.split("(")[0]
        assert name.startswith("app.") or hasattr(MainScreen, f"action_{name}"), key
        assert key.group in GROUPS


def test_help_fits_in_80_columns():
    assert max(len(key.help) for key in KEYS) <= 60


@pytest.mark.parametrize("width", [20, 80, 120, 400])
def test_the_footer_fits(width):
    shown = footer(width)
    assert sum(len(key) + len(word) + 3 for key, word in shown) - 2 <= width
    assert shown[:1] == [("?", "help")]
