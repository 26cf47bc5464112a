"""`replay` and `open_run`: a run from Python, and its results as frames."""

import asyncio
import gc
import os
import signal
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from busy import wait_for
from made_runs import engine, write_stream

from macro_engine import MacroError, UsageError, open_run, replay
from macro_engine.run import replaying
from macro_engine.run.engine import Engine
from macro_engine.run.playing.speed import Speed
from macro_tui.cli import main

FRAME = pl.DataFrame({"a": [0.1, 0.9, 0.4, 0.6] * 15, "label": ["p", "q", "p"] * 20})
OPTIONS = {"label": "label", "history": 2, "thresholds": [0.1, 0.5]}


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where temporary run files are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


def test_frames_are_what_the_command_writes(tmp_path):
    stream = write_stream(tmp_path / "d.csv")
    files = {name: tmp_path / f"{name}.parquet" for name in ("predictions", "trace")}
    outputs = [f"--{name}={path}" for name, path in files.items()]
    assert main(["replay", str(stream), "--headless", "--every", "10m", *outputs]) == 0
    with replay(stream, every="10m") as result:
        assert result.predictions.equals(pl.read_parquet(files["predictions"]))
        assert result.trace.equals(pl.read_parquet(files["trace"]))


def test_errors_are_the_shares_of_wrong_predictions():
    with replay(FRAME, **OPTIONS) as result:
        predictions, errors = result.predictions, result.errors
    assert set(errors) == set(result_series(predictions))
    for name, error in errors.items():
        assert error == (predictions[name] != predictions["label"]).mean()
    assert repr(errors).splitlines()[0] == f"marginal   {100 * errors['marginal']:5.2f} %"


def result_series(predictions):
    names = predictions.columns
    return names[names.index("label") + 1 : names.index("t0")]


def test_a_frame_gives_what_the_same_rows_in_a_file_give(tmp_path):
    FRAME.write_csv(tmp_path / "d.csv")
    with replay(FRAME, **OPTIONS) as a, replay(tmp_path / "d.csv", **OPTIONS) as b:
        assert a.predictions.equals(b.predictions)
        assert a.events.equals(b.events)


def test_several_paths_are_one_stream(tmp_path):
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    FRAME[:40].write_csv(paths[0])
    FRAME[40:].write_csv(paths[1])
    with replay(FRAME, **OPTIONS) as a, replay([str(paths[0]), paths[1]], **OPTIONS) as b:
        assert a.predictions.equals(b.predictions)


@pytest.mark.parametrize(
    "options",
    [
        {"history": "2", "thresholds": ".1,.5", "every": "3"},
        {"history": [2], "thresholds": (0.1, 0.5), "every": 3},
        {"history": np.int64(2), "thresholds": np.array([0.1, 0.5]), "every": 3},
    ],
)
def test_values_may_be_texts_numbers_or_lists(options):
    with replay(FRAME, label="label", **options) as result:
        assert result.summary["settings"]["every"] == "3"
        assert [m["threshold"] for m in result.summary["thresholds"]] == [0.1, 0.5]
        assert [m["history"] for m in result.summary["thresholds"]] == [2, 2]


@pytest.mark.parametrize(
    "options",
    [
        {"distance": "labls"},
        {"thresholds": "-1"},
        {"history": "0"},
        {"strategy": "best"},
        {"max_subroutines": "none at all"},
    ],
)
def test_a_wrong_value_is_refused_with_the_sentence_of_the_command_line(options, tmp_path, capsys):
    FRAME.write_csv(tmp_path / "d.csv")
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    assert main(["replay", str(tmp_path / "d.csv"), "--label=label", *words]) == 2
    with pytest.raises(UsageError) as refused:
        replay(FRAME, label="label", **options)
    assert str(refused.value) in capsys.readouterr().err


@pytest.mark.parametrize("options", [{"keep": "30d"}, {"preset": "papers"}])
def test_what_a_run_cannot_do_is_refused(options):
    with pytest.raises(UsageError, match=f"^--{next(iter(options))}"):
        replay(FRAME, label="label", **options)


def test_a_column_that_a_frame_lacks_is_named_without_a_path():
    with pytest.raises(UsageError, match=r"^--label: DataFrame has no column 'lable'"):
        replay(pl.DataFrame({"a": [1, 2], "label": ["x", "y"]}), label="lable")


def test_an_unknown_option_names_the_nearest():
    with pytest.raises(UsageError, match="unknown key 'treshold', did you mean 'thresholds'"):
        replay(FRAME, label="label", treshold=0.1)


@pytest.mark.parametrize("what", [None, 3, [], {"a": [1]}])
def test_what_is_no_recording_is_refused(what):
    with pytest.raises(UsageError, match="a path, several paths or a Polars frame is expected"):
        replay(what)


def test_a_file_that_is_not_there_is_an_error_without_leftovers(temporary):
    with pytest.raises(MacroError, match=r"nowhere\.csv: no such file"):
        replay("nowhere.csv")
    assert list(temporary.iterdir()) == []


def test_a_row_that_cannot_be_used_is_named():
    spoilt = pl.when(pl.int_range(pl.len()) == 3).then(pl.lit("oops"))
    frame = FRAME.with_columns(a=spoilt.otherwise(pl.col("a").cast(pl.String)))
    with replay(frame, features="a", **OPTIONS) as result:
        assert result.rejected.rows() == [("DataFrame", 4, "a", "is not a number", "oops")]
        assert len(result.predictions) == 59


async def test_it_runs_inside_an_asyncio_loop():
    await asyncio.sleep(0)
    with replay(FRAME, **OPTIONS) as result:
        assert result.status == "finished"


def test_a_result_that_is_let_go_leaves_nothing(temporary):
    result = replay(FRAME, **OPTIONS)
    assert len(list(temporary.iterdir())) == 1
    del result
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_a_closed_result_says_so(temporary):
    result = replay(FRAME, **OPTIONS)
    result.close()
    result.close()
    assert list(temporary.iterdir()) == []
    with pytest.raises(ValueError, match="closed"):
        _ = result.errors
    assert repr(result) == "<a run, closed>"


def test_remarks_are_told_as_they_come_and_kept():
    told = []
    frame = FRAME.with_columns(nested=pl.concat_list("a"))
    with replay(frame, say=told.append, **OPTIONS) as result:
        assert any("'nested' is left out" in line for line in told)
        assert result.remarks == tuple(told)


def test_a_recorded_run_is_opened_again(tmp_path):
    with replay(FRAME, run=tmp_path / "a.run", **OPTIONS) as made:
        assert made.path == tmp_path / "a.run"
        with open_run(str(tmp_path / "a.run")) as found:
            assert found.predictions.equals(made.predictions)
            assert found.trace.equals(made.trace)
            assert found.events.equals(made.events)
            assert found.summary == made.summary
            assert repr(found) == repr(made)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.run"]


def test_a_run_file_must_not_be_the_input(tmp_path):
    FRAME.write_csv(tmp_path / "d.csv")
    with pytest.raises(UsageError, match=r"--run: .* is read in this run; name another file"):
        replay(tmp_path / "d.csv", run=tmp_path / "d.csv", **OPTIONS)


@contextmanager
def interrupted_once(condition):
    """ctrl+c as soon as a condition holds."""

    def interrupt(_number, _frame):
        raise KeyboardInterrupt

    def watch():
        wait_for(condition)
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, interrupt)
    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        signal.signal(signal.SIGUSR1, before)


def test_an_interrupted_run_resumes(tmp_path, monkeypatch):
    started = []

    class Watched(Engine):
        def __post_init__(self):
            super().__post_init__()
            started.append(self)

    monkeypatch.setattr(replaying, "Engine", Watched)
    frame = pl.concat([FRAME] * 40)
    slow = OPTIONS | {"output": "average", "run": tmp_path / "a.run"}
    with (
        pytest.raises(KeyboardInterrupt),
        interrupted_once(lambda: started and started[0].steps > 10),
    ):
        replay(frame, **slow)
    with open_run(tmp_path / "a.run") as stopped:
        assert stopped.status == "stopped"
        first = stopped.predictions
    assert 0 < len(first) < len(frame)
    with replay(frame, **slow) as whole:
        assert len(whole.predictions) == len(frame)
        assert whole.predictions[: len(first)].equals(first)


@contextmanager
def running(made):
    """A run under way in another thread."""
    thread = threading.Thread(target=lambda: asyncio.run(made.run()))
    thread.start()
    try:
        yield thread
    finally:
        made.stop()
        thread.join(120)
        assert not thread.is_alive()


@pytest.mark.slow
def test_a_run_is_read_while_it_is_written(tmp_path):
    path = tmp_path / "a.run"
    made = engine(write_stream(tmp_path / "d.csv"), path, speed=Speed(rate=1000))
    with running(made) as thread:
        wait_for(lambda: made.steps)
        with open_run(path) as result:
            wait_for(lambda: len(result.predictions))
            before = result.predictions
            assert result.status == "running"
            assert result.errors.keys() == made.summary()["errors"].keys()
            made.pace.set_speed(Speed())
            thread.join(120)
            assert result.status == "finished"
            assert 0 < len(before) < len(result.predictions) == 1500
            assert result.trace["step"].max() == result.predictions["step"].max()


def test_a_run_without_steps_has_the_columns_and_no_rows(tmp_path):
    path = tmp_path / "a.run"
    made = engine(write_stream(tmp_path / "d.csv"), path)
    made.pace.paused = True
    with running(made):
        wait_for(lambda: made.pipeline.ensemble)
        with open_run(path) as result:
            assert result.predictions.columns[:4] == ["row", "step", "time", "label"]
            assert len(result.predictions) == len(result.trace) == len(result.events) == 0
            assert result.errors == result.summary == {}
            assert repr(result.errors) == "no step is closed yet"


def test_a_file_that_is_no_run_file_is_refused(tmp_path):
    (tmp_path / "a.run").write_text("hello")
    with pytest.raises(MacroError, match="is not a run file"):
        open_run(Path(tmp_path / "a.run"))
