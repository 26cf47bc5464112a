"""ctrl+z stops the job and gives the terminal back; fg goes on."""

import os
import signal

import pytest
from made_runs import engine, run, write_stream
from terminals import Terminal

SHELL = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = subprocess.Popen([sys.executable, "-m", "macro_tui", *sys.argv[1:]], process_group=0)
os.tcsetpgrp(0, job.pid)
_, status = os.waitpid(job.pid, os.WUNTRACED)
os.tcsetpgrp(0, os.getpgrp())
print("STOPPED" if os.WIFSTOPPED(status) else "ENDED", flush=True)
time.sleep(0.2)
os.tcsetpgrp(0, job.pid)
os.killpg(job.pid, signal.SIGCONT)
os.waitpid(job.pid, 0)
"""


@pytest.fixture
def run_file(tmp_path):
    run(engine(write_stream(tmp_path / "d.csv"), tmp_path / "a.run"))
    return tmp_path / "a.run"


@pytest.mark.slow
def test_the_shell_gets_the_terminal_and_gives_it_back(run_file):
    with Terminal("watch", run_file, program=("-c", SHELL)) as terminal:
        terminal.wait_for("[4] MACRO thresholds")
        terminal.send("\x1a")
        terminal.wait_for("STOPPED")
        stopped = len(terminal.received)
        assert terminal.received.rfind(b"\x1b[?1049l") >= 0
        terminal.wait_for("[4] MACRO thresholds", after=stopped)
        terminal.send("q")
        terminal.wait()


@pytest.mark.slow
def test_a_screen_without_a_shell_is_not_stopped(run_file):
    with Terminal("watch", run_file) as terminal:
        terminal.wait_for("[4] MACRO thresholds")
        terminal.send("\x1a")
        terminal.wait_for("there is no shell to resume")
        os.kill(terminal.process.pid, signal.SIGTERM)
        terminal.wait()
