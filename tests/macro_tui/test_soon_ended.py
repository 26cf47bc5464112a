"""However a run is told to end, it ends within a bound by the clock."""

import os
import signal
import sqlite3
import subprocess
import sys
import termios
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from busy import within
from terminals import Terminal

pytestmark = [
    pytest.mark.alone,
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc"),
]

ATLANTA = ("replay", "airline-ATL.parquet")
SCREEN = "[4] MACRO thresholds"
TESTS = Path(__file__).parents[1]


def leave_by(terminal, how):
    if how == "ctrl+c":
        terminal.send("\x03")
    elif how == "closing":
        terminal.close()
    else:
        terminal.process.send_signal(how)


def test_it_ends_at_once_and_leaves_everything_in_order(tmp_path):
    ways = (signal.SIGHUP, signal.SIGTERM, "ctrl+c", "closing")
    with ExitStack() as stack:
        opened = [
            stack.enter_context(Terminal(*ATLANTA, "--run", tmp_path / f"{i}.run"))
            for i in range(len(ways))
        ]
        for terminal in opened:
            terminal.wait_for(SCREEN)
        for terminal, way in zip(opened, ways, strict=True):
            leave_by(terminal, way)
            code, seconds = terminal.wait()
            assert code == 130, way
            assert seconds < within(3), way  # 1 is the bound
            if way != "closing":
                assert termios.tcgetattr(terminal.slave) == terminal.attributes
                assert b"\x1b[?1049l" in terminal.received
                assert b"macro-tui replay: interrupted" in terminal.received
    assert sorted(os.listdir(tmp_path)) == [f"{i}.run" for i in range(len(ways))]
    for path in tmp_path.iterdir():
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_stops_in_the_midst_of_catching_up_end_soon():
    # 2 s is the bound, with room for a busy machine
    command = [sys.executable, TESTS / "benchmarks" / "stops.py", "3", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("3 stops")
