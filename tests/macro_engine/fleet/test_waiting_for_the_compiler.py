"""Recordings of a fleet wait for the compiler, which is faster; a live feed does not."""

import os

import pytest

from macro_engine.fleet import stream as module
from macro_engine.fleet.stream import Stream, run_as_task
from macro_engine.run.compiling.warming import WAIT


@pytest.mark.parametrize(("is_live", "waits"), [(False, "wait"), (True, "")])
def test_a_live_stream_plays_on_while_loops_are_compiled(is_live, waits, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setenv(WAIT, "wait")  # as worker processes are started
    monkeypatch.setattr(module, "run_stream", lambda _s, _stop: seen.append(os.environ[WAIT]) or {})
    path = tmp_path / "gate.csv"
    path.touch()
    task = Stream("gate", str(path), str(tmp_path / "gate.run"), is_live=is_live).task()
    run_as_task(task)
    assert seen == [waits]
