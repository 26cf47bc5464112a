import os
import signal
import subprocess
import sys
import time

import pytest
from made_runs import engine, run, run_until, write_stream

from macro_engine.errors import MacroError
from macro_engine.run.watching import Watching


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv")


def wait_for(condition, seconds=20):
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_a_finished_run_is_looked_at_whole(stream, tmp_path):
    made = run(engine(stream, tmp_path / "a.run"))
    watching = Watching(tmp_path / "a.run")
    watching.start()
    wait_for(lambda: watching.snapshot.state == "finished")
    assert watching.history.steps == made.steps
    assert watching.snapshot.errors == made.scoreboard.errors
    assert watching.events(["birth"])
    k, number = 0, 2
    mine = made.contest.family.learnt(k, number, made.columns)
    found = watching.learnt(k, number)
    assert found.columns == mine.columns
    assert found.values.tolist() == mine.values.tolist()
    assert watching.updates(k).tolist() == made.contest.family.updates(k).tolist()
    assert watching.stop(5)
    watching.close()


WRITER = """
import asyncio, sys
from pathlib import Path
from made_runs import engine
from macro_engine.run.pace import Speed
asyncio.run(engine(Path(sys.argv[1]), Path(sys.argv[2]), speed=Speed(rate=400)).run())
"""


def test_a_live_run_is_followed_and_its_writer_may_die_and_return(stream, tmp_path):
    path = tmp_path / "a.run"
    run_until(engine(stream, path), 5)
    watching = Watching(path)
    watching.start()
    wait_for(lambda: watching.history is not None and watching.history.steps >= 5)
    command = [sys.executable, "-c", WRITER, stream, path]
    here = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    environment = os.environ | {"PYTHONPATH": here}
    before = watching.history.steps
    writer = subprocess.Popen(command, env=environment)
    wait_for(lambda: watching.history.steps > before + 5)
    assert watching.snapshot.state == "running"
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    wait_for(lambda: watching.snapshot.words.startswith("writer gone for"))
    before = watching.history.steps
    writer = subprocess.Popen(command, env=environment)
    wait_for(lambda: watching.history.steps > before + 5)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    assert watching.stop(5)
    watching.close()


def test_what_cannot_be_read_is_kept_as_the_error(tmp_path):
    watching = Watching(tmp_path / "nowhere.run")
    watching.start()
    wait_for(lambda: not watching.is_running)
    assert isinstance(watching.error, MacroError)
