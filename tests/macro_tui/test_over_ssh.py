"""The monitor over SSH, by a real server on loopback: terminals, visitors, dropped lines."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_sessions import write_stream
from programs import needs_sshd
from ssh_servers import PROGRAM, SshServer
from terminals import Terminal

from macro_tui.cli import main

pytestmark = needs_sshd
SCREEN = "[4] MACRO thresholds"
DRAWN = "⣀▁█▴┆"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = SshServer(tmp_path_factory.mktemp("ssh"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    stream = write_stream(folder / "flights.csv")
    assert main(["replay", str(stream), "--headless", "--run", str(folder / "a.run")]) == 0
    return folder / "a.run"


def over(server, *words, key="owner", **options):
    return Terminal(*words, command=server.command(key, "-tt"), **options)


def leave(terminal):
    terminal.send("q")
    assert terminal.wait()[0] == 0


def test_the_demo_plays_over_ssh_and_leaves_nothing(server, tmp_path):
    with over(server, PROGRAM, "demo", env={"TMPDIR": str(tmp_path)}) as terminal:
        terminal.wait_for(SCREEN)
        terminal.wait_for("arrivals as they come in")
        leave(terminal)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("macro-tui")] == []


@pytest.mark.parametrize("term", ["xterm", "screen-256color", "linux"])
def test_no_kind_of_terminal_gets_colours_it_does_not_have(server, finished, term):
    with over(server, PROGRAM, "watch", finished, env={"TERM": term}) as terminal:
        terminal.wait_for(SCREEN)
        leave(terminal)
    sent = terminal.received.decode(errors="replace")
    assert not re.search(r"\x1b\[[\d;]*[34]8;2;", sent)  # no COLORTERM came along
    assert re.search(r"\x1b\[[\d;]*3[0-7]", sent)


def test_a_locale_that_is_not_utf8_gets_ascii(server, finished):
    python = ["PYTHONUTF8=0", "PYTHONCOERCECLOCALE=0", "LC_ALL=C", PROGRAM]
    with over(server, *python, "watch", finished) as terminal:
        terminal.wait_for(SCREEN)
        leave(terminal)
    assert terminal.received.isascii()
    with over(server, "LC_ALL=C.UTF-8", PROGRAM, "watch", finished) as terminal:
        terminal.wait_for(SCREEN)
        leave(terminal)
    assert any(sign in terminal.received.decode(errors="replace") for sign in DRAWN)


def test_the_screen_follows_the_size_of_the_window(server, finished):
    with over(server, PROGRAM, "watch", finished) as terminal:
        terminal.wait_for(SCREEN)
        assert b"[6] subroutines" not in terminal.received
        terminal.resize(160, 50)
        terminal.wait_for("[6] subroutines")
        leave(terminal)


class LiveRun:
    """A run that goes on in the background, over a feed that this test writes."""

    def __init__(self, folder):
        self.feed = folder / "live.csv"
        lines = write_stream(folder / "all.csv").read_text().splitlines()
        self.head, self.rows = lines[0], lines[1:]
        self.feed.write_text("\n".join([self.head, *self.rows[:600], ""]))
        self.run_file = folder / "ops.run"
        words = ["tail", self.feed, "--run", self.run_file, "--headless", "--label", "label"]
        command = [sys.executable, "-m", "macro_tui", *map(str, words)]
        self.process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not self.run_file.exists():
            assert time.monotonic() < end
            assert self.process.poll() is None
            time.sleep(0.05)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    run = LiveRun(tmp_path_factory.mktemp("live"))
    yield run
    assert run.stop() == 130


@pytest.fixture
def visitors(server, live):
    server.force(f"{PROGRAM} watch --readonly {live.run_file}")
    return server


def test_a_visitor_sees_the_run_and_can_write_nothing(visitors, live, tmp_path):
    def files():
        found = {*os.listdir(Path.home()), *os.listdir(live.feed.parent)}
        return {name for name in found if not name.startswith("ops.run-")}  # the writer's log

    before = files()
    sent = {
        "TEXTUAL_LOG": str(tmp_path / "log"),
        "TEXTUAL_SCREENSHOT": "1",
        "TEXTUAL_SCREENSHOT_LOCATION": str(tmp_path),
        "TEXTUAL_DRIVER": "nobody:Driver",
    }
    words = ("touch", "intruder")
    with over(visitors, *words, key="visitor", size=(120, 30), env=sent) as terminal:
        terminal.wait_for(SCREEN)
        terminal.wait_for("read-only")
        for key in ("s", "x", "b"):
            terminal.send(key)
            time.sleep(0.3)
        terminal.send("\x10")  # ctrl+p
        terminal.wait_for("what to do")
        terminal.send("as SVG in the working folder")
        terminal.wait_for("No matches found")
        terminal.send("\x1b")
        time.sleep(0.5)
        leave(terminal)
    assert files() == before
    assert list(tmp_path.iterdir()) == []
    assert live.process.poll() is None


def test_a_visitor_gets_no_shell_without_a_terminal_and_no_files(visitors):
    command = [*visitors.command("visitor"), "sh", "-c", "id"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "watch needs a terminal" in done.stderr
    tunnel = [*visitors.command("visitor", "-W", "127.0.0.1:9")]
    assert subprocess.run(tunnel, stdin=subprocess.DEVNULL, capture_output=True).returncode != 0


def watchers(run_file):
    found = subprocess.run(
        ["pgrep", "-f", f"macro_tui watch --readonly {run_file}"], capture_output=True, text=True
    )
    pids = [pid for pid in found.stdout.split() if Path(f"/proc/{pid}/exe").exists()]
    return [pid for pid in pids if "python" in os.readlink(f"/proc/{pid}/exe")]


def test_a_line_that_drops_ends_the_viewer_and_not_the_run(visitors, live):
    with over(visitors, key="visitor") as terminal:
        terminal.wait_for(SCREEN)
        assert len(watchers(live.run_file)) == 1
        terminal.process.kill()
        end = time.monotonic() + 60
        while watchers(live.run_file):
            assert time.monotonic() < end
            time.sleep(0.1)
    assert live.process.poll() is None
    size = live.run_file.stat().st_mtime_ns
    with live.feed.open("a") as feed:
        feed.write("\n".join([*live.rows[600:900], ""]))
    wal = Path(f"{live.run_file}-wal")
    end = time.monotonic() + 60
    while live.run_file.stat().st_mtime_ns == size and wal.stat().st_mtime_ns <= size:
        assert time.monotonic() < end
        time.sleep(0.1)
