"""Blend in a run: computed by default, recorded as what changed, and resumed bit for bit."""

import os
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from made_runs import differing, engine, run, run_until, write_stream

from macro_engine.core.errors import MacroError
from macro_engine.core.state import pack
from macro_engine.run.engine import Listener
from macro_engine.run.store.runfile import RunReader

BLEND = {"strategies": "ftl,ewa,blend"}


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", rows=1500)


def left_in(folder):
    with closing(RunReader(folder / "a.run")) as reader:
        state = {name: pack(part) for name, part in reader.state().items()}
    return state | {"p": (folder / "p.csv").read_bytes()}


def whole(stream, folder, **options):
    folder.mkdir()
    run(engine(stream, folder / "a.run", predictions=folder / "p.csv", **BLEND, **options))
    return left_in(folder)


def test_stopped_and_resumed_it_ends_as_if_it_never_was(stream, tmp_path):
    expected = whole(stream, tmp_path / "whole")
    (tmp_path / "cut").mkdir()
    for steps in (1, 40, 90):
        made = engine(stream, tmp_path / "cut" / "a.run", **BLEND)
        run_until(made, steps)
    made = engine(
        stream, tmp_path / "cut" / "a.run", predictions=tmp_path / "cut" / "p.csv", **BLEND
    )
    run(made)
    assert differing(left_in(tmp_path / "cut"), expected) == []


def test_the_tables_are_parts_of_their_own_and_whole_at_the_end(stream, tmp_path, monkeypatch):
    monkeypatch.setattr("macro_engine.run.store.recorder.COMMIT_SECONDS", 0.0)
    monkeypatch.setattr("macro_engine.run.store.recorder._REST", 0.0)
    seen = set()
    made = engine(stream, tmp_path / "a.run", **BLEND)

    def look():
        made.pipeline.steps_at_once = 1
        seen.update(made.recorder.ledger.state)

    made.report.listener.progress = look
    run(made)
    stored = {name for name, _ in seen if name.startswith("blend/")}
    assert {"blend/0", "blend/1"} <= stored
    with closing(RunReader(tmp_path / "a.run")) as reader:
        assert [n for n in reader.state() if n.startswith("blend/")] == ["blend/0"]


# kernels are loaded once, before anything starts a thread; then processes are forked and killed
KILLED = """
import asyncio, os, random, sys, time
from pathlib import Path
import numpy as np
from made_ensembles import compiled, members_of
from made_runs import engine
from made_streams import COLUMNS, random_block
import macro_engine.run.store.recorder as recorder
from dataclasses import replace
recorder.COMMIT_SECONDS, recorder._REST = 0.0, 0.0
block = random_block(0, 2, [1, 1])
block = replace(block, rows=replace(block.rows, units=block.rows.numbers))
names = ("ftl", "ewa", "blend")
compiled(members_of("labels", 3), "labels", "logistic", COLUMNS, 2, strategies=names).learn(block)
rng, deaths = random.Random(5), 0
for _ in range(int(sys.argv[3])):
    naps, child = [rng.random() * 0.004 for _ in range(rng.randrange(1, 12))], os.fork()
    if child == 0:
        made = engine(Path(sys.argv[1]), Path(sys.argv[2]), strategies="ftl,ewa,blend")
        def live_a_little():  # a commit is under way, or not
            made.pipeline.steps_at_once = 4
            if not naps:
                os.kill(os.getpid(), 9)
            time.sleep(naps.pop())
        made.report.listener.progress = live_a_little
        asyncio.run(made.run())
        os._exit(0)
    deaths += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -9
print(deaths)
"""


@pytest.mark.slow
def test_killed_ten_times_it_ends_as_if_it_never_was(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=12_000)
    expected = whole(stream, tmp_path / "whole")
    folder = tmp_path / "killed"
    folder.mkdir()
    command = [sys.executable, "-c", KILLED, stream, folder / "a.run", "10"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert int(done.stdout) == 10
    with closing(RunReader(folder / "a.run")) as reader:
        assert 0 < reader.steps < 1200
    run(engine(stream, folder / "a.run", predictions=folder / "p.csv", **BLEND))
    assert differing(left_in(folder), expected) == []


def test_beyond_a_hundred_classes_blend_is_left_out_and_that_is_said(tmp_path):
    path = tmp_path / "d.csv"
    rng = random.Random(0)
    rows = [f"{rng.random()},c{i % 101:03}" for i in range(600)]
    path.write_text("a,y\n" + "\n".join(rows) + "\n")
    options = {
        "time": "", "label": "y", "features": "a", "categorical": "", "every": "20",
        "distance": "labels",
    }  # fmt: skip
    said = []
    made = engine(path, tmp_path / "a.run", Listener(remark=said.append), **options | BLEND)
    run(made)
    assert [line for line in said if "blend" in line] == [
        "blend supports at most 100 classes, and there are 101: it is left out; the prediction is "
        "that of ftl"
    ]
    summary = made.summary()
    assert "blend" not in summary["errors"]
    assert summary["settings"]["strategy"] == "ftl"
    with closing(RunReader(tmp_path / "a.run")) as reader:
        assert reader.strategy == "ftl"
        assert "blend" not in reader.names.series
    with pytest.raises(MacroError, match="add another strategy"):
        run(engine(path, **options, strategies="blend"))


@pytest.mark.slow
def test_any_learner_is_blended(tmp_path):
    """A model that only names a class gets earned probabilities; the family is not compiled."""
    stream = write_stream(tmp_path / "d.csv", rows=1500)
    made = run(
        engine(stream, subroutine="river:naive_bayes.GaussianNB()", thresholds=".1", **BLEND)
    )
    errors = made.summary()["errors"]
    assert made.pipeline.path == "general"
    assert errors["blend"] < errors["marginal"]
