"""A run goes on from its file as if it had never stopped."""

import asyncio
import os
import random
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from made_runs import (
    assert_same_files,
    differing,
    engine,
    outputs,
    run,
    run_until,
    state_of,
    write_stream,
)

from macro_engine.core.errors import MacroError
from macro_engine.run import pipeline as pipeline
from macro_engine.run.engine import Listener
from macro_engine.run.store.lock import lock_of, writer_of
from macro_engine.run.store.runfile import RunReader
from macro_engine.stream.formats import csv


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", garbage=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"distance": "features", "clock": "on", "learning_rate": ".05"},
        {"subroutine": "erm", "output": "score", "every": "3h"},
        {"late": "reject", "every": "40", "distance": "markov", "subroutine": "nearest-mean"},
    ],
    ids=["labels", "features", "erm", "markov"],
)
def test_stopped_and_resumed_it_gives_what_it_would_have_given(stream, tmp_path, options):
    plain, recorded, resumed = (outputs(tmp_path, n) for n in ("plain", "recorded", "resumed"))
    run(engine(stream, **plain, **options))
    run(engine(stream, tmp_path / "whole.run", **recorded, **options))
    assert_same_files(plain, recorded)
    for steps in (1, 5, 20):
        stopped = run_until(engine(stream, tmp_path / "parts.run", **options), steps)
        assert stopped.was_stopped
    last = run(engine(stream, tmp_path / "parts.run", **resumed, **options))
    assert_same_files(plain, resumed)
    assert differing(state_of(tmp_path / "whole.run"), state_of(tmp_path / "parts.run")) == []
    whole = run(engine(stream, **options)).summary()
    for name in ("rows", "steps", "errors", "thresholds", "rejected", "late", "settings"):
        assert last.summary()[name] == whole[name]


def test_a_finished_run_says_so_and_gives_its_files_again(stream, tmp_path):
    one, other = outputs(tmp_path, "one"), outputs(tmp_path, "other")
    first = run(engine(stream, tmp_path / "a.run", **one))
    said = []
    again = run(engine(stream, tmp_path / "a.run", Listener(remark=said.append), **other))
    assert_same_files(one, other)
    assert any("finished" in line for line in said)
    assert again.summary()["errors"] == first.summary()["errors"]


def test_rejected_rows_and_remarks_are_told_once(stream, tmp_path):
    told, recorded = [], []
    for steps in (2, 20, None):
        listener = Listener(rejected=lambda r: told.append(r.line))
        made = engine(stream, tmp_path / "a.run", listener)
        run(made) if steps is None else run_until(made, steps)
    reader = RunReader(tmp_path / "a.run")
    recorded = [rejection.line for rejection in reader.rejected()]
    events = [event for _, event in reader.events(["source"])]
    reader.close()
    assert told == recorded == sorted(recorded)
    assert len(recorded) == made.rejections.count > 10
    assert len({event.text for event in events}) == len(events)
    assert made.rejections.first[0].line == recorded[0]


def test_other_settings_and_another_input_are_refused_by_name(stream, tmp_path):
    run_until(engine(stream, tmp_path / "a.run"), 5)
    with pytest.raises(MacroError, match='--every was "30m" and is "1h"'):
        run(engine(stream, tmp_path / "a.run", every="1h"))
    with pytest.raises(MacroError, match="--max-subroutines was 64 and is 4"):
        run(engine(stream, tmp_path / "a.run", max_subroutines="4"))
    with pytest.raises(MacroError, match=r'--learning-rate was "sqrt" and is 0\.05'):
        run(engine(stream, tmp_path / "a.run", learning_rate=".05"))
    other = write_stream(tmp_path / "e.csv")
    with pytest.raises(MacroError, match=r"the input was d\.csv and is e\.csv"):
        run(engine(other, tmp_path / "a.run"))
    stream.write_text(stream.read_text().replace("p0", "p1", 1))
    with pytest.raises(MacroError, match=r"the content of d\.csv has changed"):
        run(engine(stream, tmp_path / "a.run"))


@pytest.mark.slow
def test_a_model_that_cannot_be_stored_is_recorded_but_not_resumed(stream, tmp_path):
    said = []
    options = {"subroutine": "river:naive_bayes.GaussianNB()", "every": "6h"}
    run_until(engine(stream, tmp_path / "a.run", Listener(remark=said.append), **options), 5)
    assert any("cannot be resumed" in line for line in said)
    reader = RunReader(tmp_path / "a.run")
    assert reader.steps >= 5
    reader.close()
    with pytest.raises(MacroError, match="cannot be resumed"):
        run(engine(stream, tmp_path / "a.run", **options))


def test_a_model_that_fails_leaves_what_it_did(stream, tmp_path, monkeypatch):
    (tmp_path / "failing_model.py").write_text(
        "class Model:\n"
        "    def __init__(self): self.n = 0\n"
        "    def predict_one(self, x): return None\n"
        "    def learn_one(self, x, y):\n"
        "        self.n += 1\n"
        "        if self.n > 100: raise RuntimeError('enough')\n"
        "def make(): return Model()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MacroError, match="enough"):
        run(engine(stream, tmp_path / "a.run", subroutine="python:failing_model:make"))
    reader = RunReader(tmp_path / "a.run")
    assert reader.steps > 0
    assert reader.info["status"] == "failed"
    reader.close()


@pytest.mark.slow
def test_a_second_writer_is_refused_with_the_pid_of_the_first(stream, tmp_path):
    first = engine(stream, tmp_path / "a.run")
    first.checkpoint.open(tmp_path / "a.run", None)
    assert writer_of(tmp_path / "a.run") == os.getpid()
    code = f"import sys; sys.argv[0] = 'x'\nfrom macro_engine.run.store.recorder import Recorder\nfrom pathlib import Path\nRecorder(Path({str(tmp_path / 'a.run')!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"pid {os.getpid()}" in done.stderr
    first.recorder.close()
    assert writer_of(tmp_path / "a.run") is None


def test_a_lock_left_by_a_dead_process_is_none(stream, tmp_path):
    lock_of(tmp_path / "a.run").write_text("1")
    assert writer_of(tmp_path / "a.run") is None
    run(engine(stream, tmp_path / "a.run"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.run", "d.csv"]


def test_a_link_to_a_run_file_leads_to_the_same_lock(stream, tmp_path):
    first = engine(stream, tmp_path / "a.run")
    first.checkpoint.open(tmp_path / "a.run", None)
    (tmp_path / "b.run").symlink_to(tmp_path / "a.run")
    with pytest.raises(MacroError, match="being written by another process"):
        run(engine(stream, tmp_path / "b.run"))
    first.recorder.close()


def test_one_who_only_looks_keeps_no_writer_away(stream, tmp_path):
    lock_of(tmp_path / "a.run").write_text("1")
    ending = threading.Event()

    def look():
        while not ending.is_set():
            writer_of(tmp_path / "a.run")

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for _ in range(8):
            made = engine(stream, tmp_path / "a.run")
            made.checkpoint.open(tmp_path / "a.run", None)
            made.recorder.close()
    finally:
        ending.set()
        thread.join()


def test_stopped_before_the_first_step_it_goes_on_later(stream, tmp_path):
    made = engine(stream, tmp_path / "a.run")
    made.stop()
    run(made)
    run(engine(stream, tmp_path / "a.run"))


def test_a_finished_run_of_few_rows_can_be_asked_again(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=300)
    first = run(engine(stream, tmp_path / "a.run")).summary()
    again = run(engine(stream, tmp_path / "a.run"))
    assert again.summary()["rows"] == first["rows"] == 300
    assert again.snapshot.done == 1.0
    assert again.snapshot.time is not None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whatever_the_chunks_hold_it_goes_on_the_same(tmp_path, monkeypatch, seed):
    """New categories, rejected and late rows on either side of where reading begins again."""
    rng = random.Random(seed)
    stream = write_stream(tmp_path / "d.csv", rows=1500, garbage=(0.05, 0.004)[seed % 2], seed=seed)
    header, *lines = stream.read_text().splitlines()
    for i in range(0, len(lines) - 3, 7):
        lines[i], lines[i + 2] = lines[i + 2], lines[i]
    for i in range(0, len(lines), 5):
        lines[i] = lines[i].replace(",p", f",new{i // 25}_")
    stream.write_text("\ufeff" + "\r\n".join([header, *lines]) + "\r\n")
    monkeypatch.setattr(csv, "CHUNK", 4096)
    monkeypatch.setattr(csv, "PIECE", 512)
    monkeypatch.setattr(pipeline, "_BLOCK_SECONDS", 1e-9)
    whole, parts = outputs(tmp_path, "whole"), outputs(tmp_path, "parts")
    run(engine(stream, tmp_path / "whole.run", **whole))
    steps = 0
    for _ in range(6):
        steps += rng.randrange(2, 20)
        run_until(engine(stream, tmp_path / "parts.run"), steps)
    run(engine(stream, tmp_path / "parts.run", **parts))
    assert_same_files(whole, parts)
    assert differing(state_of(tmp_path / "whole.run"), state_of(tmp_path / "parts.run")) == []
    rejected = []
    for name in ("whole", "parts"):
        with closing(RunReader(tmp_path / f"{name}.run")) as reader:
            rejected.append([str(r) for r in reader.rejected()])
    assert rejected[0] == rejected[1]


def test_after_a_clean_end_there_is_one_file(stream, tmp_path):
    run_until(engine(stream, tmp_path / "a.run"), 5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.run", "d.csv"]


def test_after_a_run_that_is_refused_there_is_one_file(stream, tmp_path):
    run_until(engine(stream, tmp_path / "a.run"), 5)
    with pytest.raises(MacroError, match="holds another run"):
        run(engine(stream, tmp_path / "a.run", strategies="ftl"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.run", "d.csv"]


KILLED = """
import asyncio, os, sys, threading, time
from pathlib import Path
from made_runs import engine
import macro_engine.run.store.recorder as recorder
recorder.COMMIT_SECONDS = 0.01
recorder._REST = 0
made = engine(Path(sys.argv[1]), Path(sys.argv[2]), distance="features")
def kill():
    time.sleep(float(sys.argv[3]))
    os.kill(os.getpid(), 9)
made.listener.progress = lambda: started.set()
started = threading.Event()
threading.Thread(target=lambda: (started.wait(), kill()), daemon=True).start()
asyncio.run(made.run())
"""


@pytest.mark.slow
def test_killed_at_random_moments_it_ends_as_if_it_never_was(stream, tmp_path):
    rng = random.Random(4)
    whole, killed = outputs(tmp_path, "whole"), outputs(tmp_path, "killed")
    run(engine(stream, tmp_path / "whole.run", distance="features", **whole))
    deaths = 0
    for _ in range(4):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, stream, tmp_path / "a.run", str(rng.random() * 0.08)],
            env=os.environ
            | {"PYTHONPATH": os.path.dirname(os.path.dirname(os.path.dirname(__file__)))},
            capture_output=True,
        )
        deaths += done.returncode == -9
    assert deaths
    run(engine(stream, tmp_path / "a.run", distance="features", **killed))
    assert_same_files(whole, killed)
    assert differing(state_of(tmp_path / "whole.run"), state_of(tmp_path / "a.run")) == []


def test_a_signal_during_a_run_leaves_a_file_that_goes_on(stream, tmp_path):
    made = engine(stream, tmp_path / "a.run")

    async def interrupted():
        task = asyncio.create_task(made.run())
        await asyncio.sleep(0)
        made.stop()
        await task

    asyncio.run(interrupted())
    with closing(RunReader(tmp_path / "a.run")) as reader:
        assert reader.info["status"] == "stopped"
    run(engine(stream, tmp_path / "a.run"))
