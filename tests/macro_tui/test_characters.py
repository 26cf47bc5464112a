"""Terminals and locales without Unicode get ASCII without being asked."""

import os

import pytest
from made_runs import engine, run, write_stream
from terminals import Terminal

from macro_tui.characters import is_ascii_only


@pytest.mark.parametrize(
    ("environment", "ascii_only"),
    [
        ({"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}, False),
        ({"TERM": "tmux-256color", "LC_ALL": "de_DE.utf8@euro"}, False),
        ({"LC_CTYPE": "UTF-8", "LANG": "C"}, False),
        ({"LANG": "de_DE"}, False),
        ({}, False),
        ({"TERM": "vt100", "LANG": "en_US.UTF-8"}, True),
        ({"TERM": "linux-16color"}, True),
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, True),
        ({"LANG": "ja_JP.eucJP"}, True),
        ({"LC_ALL": "", "LC_CTYPE": "en_US.ISO-8859-15"}, True),
    ],
)
def test_the_environment_tells(environment, ascii_only):
    assert is_ascii_only(environment) == ascii_only


def test_an_output_that_takes_no_unicode_gets_ascii():
    assert is_ascii_only({"LANG": "C.UTF-8"}, "latin-1")


@pytest.mark.slow
@pytest.mark.parametrize("env", [{"LANG": "C"}, {"TERM": "linux"}])
def test_the_screen_is_ascii_there(tmp_path, env):
    run(engine(write_stream(tmp_path / "d.csv"), tmp_path / "a.run"))
    with Terminal("watch", tmp_path / "a.run", env=env) as terminal:
        terminal.wait_for("[4] MACRO thresholds")
        os.write(terminal.master, b"q")
        terminal.wait()
        assert terminal.received.isascii()
