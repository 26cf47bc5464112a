"""A signal ends a run soon, whatever the run is in the midst of."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from busy import within
from made_runs import write_stream

pytestmark = pytest.mark.slow

# no handler runs before it returns, which takes minutes
IN_A_LIBRARY = "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"
TESTS = Path(__file__).parents[1]

# a run that takes a lock of its own in the midst of a step and never lets go
STUCK = """
import hashlib, sys, time
from macro_engine.run.store.recorder import Recorder
from macro_tui.cli import main

add = Recorder.add
def stuck(self, *arguments):
    add(self, *arguments)
    with self.changed:
        print("stuck", file=sys.__stderr__, flush=True)
        {stuck}
Recorder.add = stuck
sys.exit(main(sys.argv[1:]))
"""

# a recording that takes minutes until it is open
SLOW_TO_OPEN = """
import sys, time
from macro_tui.cli import main, replay

def slow(_arguments):
    print("opening", file=sys.stderr, flush=True)
    time.sleep(60)
replay.open_from = slow
sys.exit(main(sys.argv[1:]))
"""


def seconds_to_end(process):
    """Stop a process; the seconds it took."""
    process.send_signal(signal.SIGTERM)
    started = time.monotonic()
    try:
        process.wait(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    return time.monotonic() - started


def read_until(pipe, line):
    for said in pipe:
        if said.startswith(line):
            return
    raise AssertionError(f"it never said {line}")


@pytest.mark.parametrize("stuck", ["time.sleep(60)", IN_A_LIBRARY], ids=["waits", "in a library"])
def test_a_stop_that_finds_the_recorder_locked_ends_soon(tmp_path, stuck):
    stream = write_stream(tmp_path / "d.csv", rows=300)
    command = ["replay", stream, "--headless", "--run", tmp_path / "a.run"]
    program = [sys.executable, "-c", STUCK.format(stuck=stuck)]
    with subprocess.Popen([*program, *command], stderr=subprocess.PIPE) as process:
        read_until(process.stderr, b"stuck")
        assert seconds_to_end(process) < within(3)  # 2 s is the bound


def test_a_stop_ends_soon_although_nobody_reads_what_it_says(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=30_000)
    births = ["--thresholds", "0.000001", "--distance", "features", "--every", "1"]
    births += ["--max-subroutines", "none"]
    program = [sys.executable, "-m", "macro_tui", "replay", stream, "--headless", *births]
    with subprocess.Popen(program, stderr=subprocess.PIPE) as process:
        read_until(process.stderr, b"step")
        time.sleep(1.5)  # the pipe is full by then
        assert seconds_to_end(process) < within(3)


def test_a_replay_that_is_not_open_yet_is_interrupted_too(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=300)
    program = [sys.executable, "-c", SLOW_TO_OPEN]
    with subprocess.Popen(
        [*program, "replay", stream, "--headless"], stderr=subprocess.PIPE, text=True
    ) as process:
        read_until(process.stderr, "opening")
        assert seconds_to_end(process) < within(5)
        assert process.stderr.read() == "macro-tui replay: interrupted\n"
