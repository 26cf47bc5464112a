"""Blend in a run: computed by default, recorded as what changed, and resumed bit for bit."""

import random
from contextlib import closing

import pytest
from made_runs import engine, run, run_until, write_stream

from macro_engine.core.errors import MacroError
from macro_engine.core.state import pack
from macro_engine.run.engine import Listener
from macro_engine.run.runfile import RunReader

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
    assert left_in(tmp_path / "cut") == expected


def test_the_tables_are_parts_of_their_own_and_whole_at_the_end(stream, tmp_path, monkeypatch):
    monkeypatch.setattr("macro_engine.run.recorder.COMMIT_SECONDS", 0.0)
    monkeypatch.setattr("macro_engine.run.recorder._REST", 0.0)
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
        "blend answers at most 100 classes, and there are 101: it is left out; the prediction is "
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


def test_any_learner_is_blended(stream):
    """A model that only names a class gets earned probabilities; the family is not compiled."""
    made = run(
        engine(stream, subroutine="river:naive_bayes.GaussianNB()", thresholds=".1", **BLEND)
    )
    errors = made.summary()["errors"]
    assert made.pipeline.path == "general"
    assert errors["blend"] < errors["marginal"]
