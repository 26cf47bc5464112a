"""The monitor in a terminal: bytes, colours, sizes, signals."""

import re
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest
from busy import wait_for
from made_sessions import write_stream
from terminals import Terminal

from macro_engine.run.store.runfile import RunReader

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc"),
]

ATLANTA = ("replay", "airline-ATL.parquet")
SCREEN = "[4] MACRO thresholds"


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return write_stream(tmp_path_factory.mktemp("made") / "flights.csv")


def test_few_bytes_while_it_plays_and_none_while_it_is_paused():
    with Terminal(*ATLANTA) as terminal:
        terminal.wait_for(SCREEN)
        assert terminal.count(2) < 2 * 20_000
        terminal.send(" ")
        while terminal.count(1.3):
            pass  # until the status line, which is drawn every second, has come to rest
        before = terminal.cpu_seconds()
        assert terminal.count(1.5) == 0
        assert terminal.cpu_seconds() - before < 0.1


def test_fewer_bytes_on_a_thin_link():
    with Terminal(*ATLANTA, "--low-bandwidth") as terminal:
        terminal.wait_for(SCREEN)
        time.sleep(1)
        assert terminal.count(2) < 2 * 5_000


def test_no_colour_is_sent_where_none_is_wanted(stream):
    with Terminal("replay", stream, env={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for(SCREEN)
        time.sleep(1)
        sent = terminal.received.decode(errors="replace")
        assert not re.search(r"\x1b\[[\d;]*(3[0-8]|4[0-8]|9\d|10\d)[;m]", sent)
        terminal.send("q")
        assert terminal.wait()[0] == 0


def test_small_terminals_and_resizing_are_survived(stream):
    with Terminal("replay", stream, "--ascii", size=(20, 5)) as terminal:
        terminal.wait_for("80x24 shows more")
        for size in ((80, 24), (3, 2), (200, 60), (80, 24)):
            terminal.resize(*size)
            time.sleep(0.3)
        terminal.wait_for(SCREEN)
        terminal.send("q")
        assert terminal.wait()[0] == 0


def test_the_summary_stays_behind_and_the_run_goes_on(tmp_path):
    with Terminal(*ATLANTA, "--run", tmp_path / "a.run", "--speed", "max") as terminal:
        terminal.wait_for("THE END")
        terminal.send("q")
        assert terminal.wait()[0] == 0
        shown = terminal.received.rpartition(b"\x1b[?1049l")[2].decode()
        assert "FTL makes 1.82 points fewer errors than the marginal baseline." in shown


def test_an_error_is_told_after_the_screen_is_closed(tmp_path):
    (tmp_path / "bad.csv").write_text("a,label\n1,x\n2,x\n")
    with Terminal("replay", tmp_path / "bad.csv") as terminal:
        code, _ = terminal.wait(40)
        assert code == 1
        shown = terminal.received.rpartition(b"\x1b[?1049l")[2].decode()
        assert "name all with --classes x,..." in shown


def test_a_terminal_that_stops_reading_does_not_stop_the_engine(tmp_path):
    run_file = tmp_path / "a.run"
    with Terminal(*ATLANTA, "--run", run_file, "--speed", "600000x") as terminal:
        terminal.wait_for(SCREEN)
        wait_for(lambda: steps_in(run_file) > 0)
        terminal.reading.clear()
        before = steps_in(run_file)
        wait_for(lambda: steps_in(run_file) - before > 2000)  # some 700 a second
        terminal.reading.set()
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.wait()[0] == 130


def steps_in(run_file):
    with closing(RunReader(run_file)) as reader:
        return reader.steps
