"""`macro-tui demo` from the first second to the last, and what it leaves behind: nothing."""

import os
import signal
import time
from pathlib import Path

import pytest
from terminals import Terminal

from macro_engine.datasets.storm import Storm
from macro_engine.run.snapshot import Snapshot
from macro_tui.cli import COMMANDS, main
from macro_tui.cli.demo import AIRPORTS, STORM_ALARM, attend
from macro_tui.cli.overview import overview

DAY, MINUTES = 86_400_000_000, 1_200_000_000  # microseconds
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


def wait_until_clean(folder, seconds=60):
    end = time.monotonic() + seconds
    while left_in(folder):
        assert time.monotonic() < end, left_in(folder)
        time.sleep(0.05)


class Slowly:
    """A run that reads what lies before in three looks, and then the week."""

    def __init__(self, begins, background):
        self.times = [None, begins - DAY, begins - MINUTES, begins - MINUTES, begins + DAY]
        self.snapshot = Snapshot()
        self.ending = self.alarms = self
        self.told = background.told

    def wait(self, _seconds):
        self.snapshot = Snapshot(time=self.times.pop(0))
        self.told.append(self.snapshot.time)

    def add(self, rule, is_kept):
        self.told.append((rule.text, is_kept))


class Told:
    def __init__(self):
        self.told = []

    def begin(self):
        self.told.append("begin")


def test_the_week_begins_when_the_days_before_are_read_and_its_alarm_with_it():
    begins, background = Storm().microseconds, Told()
    attend(Slowly(begins, background), background)
    before, after = begins - DAY, begins + DAY
    early, alarm = begins - MINUTES, (STORM_ALARM, True)
    assert background.told == [None, before, early, "begin", early, after, alarm]


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
        assert terminal.process.wait(60) == code
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
