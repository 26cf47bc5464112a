import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict

import pytest
from busy import wait_for
from made_runs import engine, forge, run, run_until, write_stream

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.run import checkpoint
from macro_engine.run.identity import settings_of
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.watched import WatchedRun


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv")


def test_a_finished_run_is_looked_at_whole(stream, tmp_path):
    made = run(engine(stream, tmp_path / "a.run"))
    watching = WatchedRun(tmp_path / "a.run")
    watching.start()
    wait_for(lambda: watching.snapshot.state == "finished")
    assert watching.history.steps == made.steps
    assert watching.snapshot.errors == made.pipeline.scoreboard.errors
    assert watching.events(["birth"])
    k, number = 0, 2
    mine = made.pipeline.ensemble.family.parameters(k, number, made.pipeline.columns)
    found = watching.parameters(k, number)
    assert found.columns == mine.columns
    assert found.values.tolist() == mine.values.tolist()
    assert watching.updates(k).tolist() == made.pipeline.ensemble.family.updates(k).tolist()
    assert watching.stop(60)
    watching.close()


def test_a_run_is_looked_at_by_another_metric_and_class(stream, tmp_path):
    run(engine(stream, tmp_path / "a.run", metric="recall"))
    watching = WatchedRun(tmp_path / "a.run", {"class": "0"})
    watching.start()
    wait_for(lambda: watching.snapshot.state == "finished")
    assert (watching.settings["metric"], watching.settings["class"]) == ("recall", "0")
    assert watching.stop(60)
    watching.close()


def test_a_class_that_the_run_has_not_is_refused(stream, tmp_path):
    run(engine(stream, tmp_path / "a.run"))
    watching = WatchedRun(tmp_path / "a.run", {"class": "x"})
    watching.start()
    wait_for(lambda: watching.error is not None)
    assert isinstance(watching.error, UsageError)
    assert "there is no class 'x'; there are 0, 1" in str(watching.error)
    watching.stop(60)
    watching.close()


WRITER = """
import asyncio, sys
from pathlib import Path
from made_runs import engine
from macro_engine.run.playing.pace import Speed
asyncio.run(engine(Path(sys.argv[1]), Path(sys.argv[2]), speed=Speed(rate=400)).run())
"""


@pytest.mark.slow
def test_a_live_run_is_followed_and_its_writer_may_die_and_return(stream, tmp_path):
    path = tmp_path / "a.run"
    run_until(engine(stream, path), 5)
    watching = WatchedRun(path)
    watching.start()
    wait_for(lambda: watching.history is not None and watching.history.steps >= 5)
    command = [sys.executable, "-c", WRITER, stream, path]
    here = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    environment = os.environ | {"PYTHONPATH": here}
    before = watching.history.steps
    writer = subprocess.Popen(command, env=environment)
    wait_for(lambda: watching.history.steps > before + 5)
    wait_for(lambda: watching.snapshot.state == "running")  # the history is there before it
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    wait_for(lambda: watching.snapshot.words.startswith("writer gone for"))
    before = watching.history.steps
    writer = subprocess.Popen(command, env=environment)
    wait_for(lambda: watching.history.steps > before + 5)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    assert watching.stop(60)
    watching.close()


def test_what_cannot_be_read_is_kept_as_the_error(tmp_path):
    watching = WatchedRun(tmp_path / "nowhere.run")
    watching.start()
    wait_for(lambda: not watching.is_running)
    assert isinstance(watching.error, MacroError)


def test_a_run_file_that_is_replaced_or_gone_is_said(stream, tmp_path):
    path = tmp_path / "a.run"
    made = run(engine(stream, path))
    watching = WatchedRun(path)
    watching.start()
    wait_for(lambda: watching.snapshot.state == "finished")
    run_until(engine(stream, tmp_path / "b.run"), 5)
    path.rename(tmp_path / "c.run")
    wait_for(lambda: watching.snapshot.words == "a.run is gone")
    (tmp_path / "b.run").rename(path)
    wait_for(
        lambda: watching.snapshot.words == "a.run was replaced by another run; start watch again"
    )
    assert watching.history.steps == watching.history.results(0, made.steps).steps == made.steps
    (tmp_path / "c.run").rename(path)
    wait_for(lambda: watching.snapshot.state == "finished")
    assert watching.is_running
    assert watching.stop(60)
    watching.close()


def test_a_snapshot_is_read_back_as_it_was():
    whole = Snapshot(
        time=5, done=0.5, errors={"ftl": 0.1}, member_errors=(0.5, 1), subroutines=(2,)
    )
    told = json.loads(json.dumps(asdict(whole)))
    assert json.loads(json.dumps(asdict(Snapshot.restored(told | {"of later": 1})))) == told
    assert Snapshot.restored({}) == Snapshot()
    assert Snapshot.restored({"words": "\x1b[2J"}).words == "\\x1b[2J"


@pytest.mark.parametrize(
    "told",
    [
        {"rate": "fast"},
        {"rate": None},
        {"steps": 1.5},
        {"time": 10**17 * 9},
        {"done": []},
        {"words": 3},
        {"errors": {"ftl": "few"}},
        {"member_errors": 0.5},
        {"subroutines": [True]},
        {"said": {"label": 0}},
    ],
    ids=str,
)
def test_a_snapshot_of_wrong_types_is_a_damaged_file(stream, tmp_path, told):
    path = tmp_path / "a.run"
    run_until(engine(stream, path), 5)
    forge(path, "snapshot", told)
    watching = WatchedRun(path)
    watching.start()
    wait_for(lambda: not watching.is_running)
    assert isinstance(watching.error, MacroError)
    (name,) = told
    assert f"a.run is damaged: its entry '{name}'" in str(watching.error)
    watching.close()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"eps_power": float("nan")}, "is not JSON"),
        ({"features": float("inf")}, "is not JSON"),
        ({"eps_power": 10**400}, "is not JSON"),
        ({"features": 3}, "its setting 'features': names of columns are expected"),
        ({"categorical": [1]}, "its setting 'categorical': names of columns are expected"),
        ({"history": -1}, "its setting 'history': '-1' is not a number of steps"),
        ({"eps_power": True}, "its setting 'eps_power': 'True' is not a number"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_stored_settings_that_cannot_be_are_a_damaged_file(
    stream, tmp_path, monkeypatch, wrong, words
):
    path = tmp_path / "a.run"
    with monkeypatch.context() as patched:
        patched.setattr(checkpoint, "settings_of", lambda settings: settings_of(settings) | wrong)
        run_until(engine(stream, path), 5)
    watching = WatchedRun(path)
    watching.start()
    wait_for(lambda: not watching.is_running or watching.history is not None)
    assert isinstance(watching.error, MacroError)
    assert str(watching.error).startswith(f"{path} is damaged: ")
    assert words in str(watching.error)
    watching.stop(60)
    watching.close()
