"""`tail` on a terminal: the monitor on a growing file, and on standard input beside the keys."""

import os
import signal
import sqlite3
import subprocess
import sys
import termios
import time
from contextlib import closing
from pathlib import Path

import pytest
from busy import within
from made_runs import write_stream
from terminals import Terminal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc"),
]

OPTIONS = ["--time", "when", "--label", "late", "--features", "a,b", "--categorical", "place", "--every", "30m"]  # fmt: skip
SCREEN = "[4] MACRO thresholds"


@pytest.fixture
def lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_stream(tmp_path / "whole.csv", 1500).read_text().splitlines(True)


def test_rows_that_come_are_on_the_screen_and_sigterm_leaves_all_in_order(lines, tmp_path):
    live = tmp_path / "live.csv"
    command = ["tail", "live.csv", *OPTIONS, "--run", "ops.run", "--predictions", "p.csv"]
    with Terminal(*command) as terminal:
        terminal.wait_for("There is no such file yet")
        live.write_text("".join(lines[:1001]))
        terminal.wait_for(SCREEN)
        terminal.wait_for("quiet")
        seen = len(terminal.received)
        with live.open("a") as file:
            file.writelines(lines[1001:1012])
        terminal.wait_for("101", seconds=within(2), after=seen)  # only what differs from 99 is sent
        terminal.wait_for("quiet", after=seen)
        time.sleep(1)  # until the status line has come to rest
        before = terminal.cpu_seconds()
        assert 0 < terminal.count(2) < 1000  # the clock ticks
        assert terminal.cpu_seconds() - before < 0.1
        terminal.process.send_signal(signal.SIGTERM)
        code, seconds = terminal.wait()
        assert code == 130
        assert seconds < 3  # 1 is the bound, with room for a busy machine
        assert termios.tcgetattr(terminal.slave) == terminal.attributes
        shown = terminal.received.rpartition(b"\x1b[?1049l")[2].decode()
        assert "live.csv: 1,0" in shown
        assert "macro-tui tail: interrupted" in shown
    assert sorted(os.listdir(tmp_path)) == ["live.csv", "ops.run", "p.csv", "whole.csv"]
    with closing(sqlite3.connect(tmp_path / "ops.run")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert len((tmp_path / "p.csv").read_text().splitlines()) > 1000


def test_rows_come_through_standard_input_and_keys_from_the_terminal(lines):
    reading, writing = os.pipe()
    with Terminal("tail", "-", *OPTIONS, stdin=reading) as terminal:
        os.close(reading)
        os.write(writing, "".join(lines[:1001]).encode())
        terminal.wait_for(SCREEN)
        terminal.wait_for("quiet")  # all of these rows are run
        terminal.send(" ")
        terminal.wait_for("VIEW FROZEN", seconds=3)
        os.write(writing, "".join(lines[1001:1012]).encode())
        terminal.wait_for("11 rows", seconds=3)
        terminal.send(" ")
        os.close(writing)
        terminal.wait_for("THE END", seconds=3)
        assert terminal.process.poll() is None
        terminal.send("q")
        code, _ = terminal.wait()
        assert code == 0
        assert "standard input: 1,011 rows in 102 steps" in terminal.received.decode()


def test_wrong_options_are_told_before_the_screen_opens(tmp_path):
    for options, words in (
        (["--close-after", "soon"], b"--close-after 'soon' is not a length of time"),
        (["--alarm", "fire"], b"--alarm 'fire' is not a rule"),
        (["--theme", "none"], b"--theme 'none' is unknown"),
    ):
        with Terminal("tail", tmp_path / "none.csv", *options) as terminal:
            assert terminal.wait()[0] == 2
            assert words in terminal.received
            assert b"\x1b[?1049h" not in terminal.received


def test_without_a_terminal_for_keys_it_runs_headless_and_says_so(lines):
    master, slave = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "macro_tui", "tail", "-", *OPTIONS],
        input="".join(lines),
        stdout=slave,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # no controlling terminal
        check=True,
    )
    os.close(slave)
    os.close(master)
    assert "there is no terminal for keys (/dev/tty: " in done.stderr
    assert "running headless" in done.stderr
    assert "1,500 rows in" in done.stderr
