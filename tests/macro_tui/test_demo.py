"""`macro-tui demo` from the first second to the last, and what it leaves behind: nothing."""

import os
import signal
import time
from pathlib import Path

import pytest
from terminals import Terminal

from macro_tui.cli import COMMANDS, main
from macro_tui.cli.demo import AIRPORTS
from macro_tui.cli.overview import overview

SCREEN = "[4] MACRO thresholds"


def test_the_bare_command_shows_ten_lines_with_the_three_first_commands(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 10
    assert max(map(len, lines)) <= 80
    assert all(f"  macro-tui {name}" in "\n".join(lines) for name in ("demo", "replay", "tail"))
    assert all(name in overview(COMMANDS) for name in COMMANDS)


def test_without_a_terminal_it_names_a_command_that_needs_none(capsys):
    assert main(["demo"]) == 1
    assert "macro-tui replay airline-ORD.parquet --headless" in capsys.readouterr().err


def left_in(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith("macro-tui")]


def wait_until_clean(folder, seconds=10):
    end = time.monotonic() + seconds
    while left_in(folder):
        assert time.monotonic() < end, left_in(folder)
        time.sleep(0.05)


@pytest.mark.slow
def test_a_tour_an_alarm_and_a_way_out(tmp_path):
    with Terminal("demo", "--ascii", env={"TMPDIR": str(tmp_path)}) as terminal:
        terminal.wait_for("arrivals as they come in")
        terminal.wait_for(SCREEN)
        terminal.wait_for("line 1: the feed")
        assert left_in(tmp_path) != []
        terminal.wait_for("ALARM", seconds=90)
        terminal.wait_for("\a")
        terminal.send("q")
        assert terminal.wait()[0] == 0
        assert b"That was a demo" in terminal.received
    assert left_in(tmp_path) == []


def end_by_signal(terminal, signum):
    os.kill(terminal.process.pid, signum)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda terminal: terminal.send("\x03"), 130),
        (lambda terminal: end_by_signal(terminal, signal.SIGHUP), 130),
        (lambda terminal: end_by_signal(terminal, signal.SIGKILL), -signal.SIGKILL),
        (lambda terminal: terminal.close(), 130),
    ],
    ids=["ctrl+c", "hangup", "kill", "closed terminal"],
)
def test_nothing_stays_behind_however_it_ends(end, code, tmp_path):
    with Terminal("demo", env={"TMPDIR": str(tmp_path)}) as terminal:
        terminal.wait_for("following")
        end(terminal)
        assert terminal.process.wait(10) == code
        wait_until_clean(tmp_path)


@pytest.mark.slow
def test_the_wall_shows_all_seven_airports(tmp_path):
    with Terminal("demo", "--wall", size=(120, 30), env={"TMPDIR": str(tmp_path)}) as terminal:
        for airport in AIRPORTS:
            terminal.wait_for(f"{airport}.run", seconds=60)
        terminal.send("q")
        assert terminal.wait()[0] == 0
    wait_until_clean(tmp_path)
    assert Path(tmp_path).exists()
