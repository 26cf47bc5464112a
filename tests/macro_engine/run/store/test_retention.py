"""How much a run file takes, and what `--keep` drops."""

import asyncio
import sqlite3
from contextlib import closing

import numpy as np
import polars as pl
import pytest
from made_runs import engine, live_engine, run, run_until, run_until_read, write_stream
from made_sessions import until

from macro_engine.core import steps
from macro_engine.core.errors import DroppedError, UsageError
from macro_engine.run import result
from macro_engine.run.engine import Listener
from macro_engine.run.store import recorder, records, schema, writer
from macro_engine.run.store.combined_reader import CombinedReader
from macro_engine.run.store.ledger import Ledger
from macro_engine.run.store.retention import Retention
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.wall import FollowedRun
from macro_engine.run.watched import WatchedRun
from macro_tui.cli import main


def make_many_records(monkeypatch):
    """Records of at most 10 steps, and a commit after each block."""
    for module in (records, steps):
        monkeypatch.setattr(module, "PIECE_STEPS", 10)
    monkeypatch.setattr(writer, "_GROWING", 1)
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(recorder, "_REST", 0)


@pytest.fixture(scope="module")
def dropped(tmp_path_factory):
    """A finished run that kept 120 kB, and one that kept everything; nobody changes them."""
    folder = tmp_path_factory.mktemp("dropped")
    stream = write_stream(folder / "d.csv", rows=6000)
    said = []
    with pytest.MonkeyPatch.context() as patch:
        make_many_records(patch)
        run(engine(stream, folder / "all.run"))
        for run_it in (lambda made: run_until(made, 200), run):
            made = engine(stream, folder / "a.run", Listener(remark=said.append))
            made.keep = Retention.parse("120kB")
            run_it(made)
    return folder / "a.run", folder / "all.run", said


def test_what_is_dropped_is_said_and_is_no_damage(dropped, tmp_path, capsys):
    path, whole, said = dropped
    with closing(RunReader(path)) as reader:
        first = reader.first_step
        assert 0 < first < reader.steps
        assert any("dropped steps" in event.text for _, event in reader.events(["run"]))
        with pytest.raises(DroppedError, match=f"steps 0 to {first - 1} were dropped"):
            reader.results(first - 1, first)
    assert any(line.startswith("dropped steps 0 to") for line in said)
    assert main(["runs", "--check", str(path)]) == 0
    assert main(["runs", str(path.parent)]) == 0
    assert main(["export", str(path), "--to", str(tmp_path / "out")]) == 0
    output = capsys.readouterr()
    words = f"steps 0 to {first - 1} were dropped (--keep 120kB)"
    assert output.out.count(words) == 2
    assert words in output.err
    main(["export", str(whole), "--to", str(tmp_path / "whole")])
    for name in ("predictions", "trace"):
        kept, full = (
            pl.read_parquet(tmp_path / folder / f"{name}.parquet") for folder in ("out", "whole")
        )
        assert kept.equals(full.filter(pl.col("step") >= first))


def test_no_more_than_asked_for_is_kept(dropped):
    path, whole, _ = dropped
    with closing(sqlite3.connect(path)) as connection:
        assert writer._used(connection) <= 120_000
    with closing(sqlite3.connect(whole)) as connection:
        assert writer._used(connection) > 120_000


def test_a_run_that_dropped_steps_is_looked_at(dropped):
    watching = WatchedRun(dropped[0])
    watching.start()
    try:
        asyncio.run(until(lambda: watching.error or watching.snapshot.has_ended))
        assert watching.error is None
        history, first = watching.history, watching.history.first
        assert "were dropped" in watching.remarks[0]
        assert history.at(np.array([0])).moments[0] == first
        assert history.moment(first).step == first
        assert history.moment(history.steps - 1).rows > 0
        for k, births in enumerate(history.births):
            count = int(history.at(np.array([history.steps])).subroutines[k, 0])
            assert len(births) == count
            assert len(history.usage(k, history.steps).uses) == count + 1
        assert history.step_of_row(0) == first
    finally:
        watching.stop(60)
        watching.close()


@pytest.fixture
def half(tmp_path, monkeypatch):
    """A run file of 200 steps, and the rest of the run, which drops them all."""
    make_many_records(monkeypatch)
    stream = write_stream(tmp_path / "d.csv", rows=6000)
    run_until(engine(stream, tmp_path / "a.run"), 200)
    rest = engine(stream, tmp_path / "a.run")
    rest.keep = Retention.parse("100kB")
    return tmp_path / "a.run", rest


def test_who_watches_and_falls_behind_what_is_kept_begins_there(half):
    path, rest = half
    watching, line = WatchedRun(path), FollowedRun(path, ())
    with closing(RunReader(path)) as reader:
        watching.store = CombinedReader(reader)
        watching._look(reader)
        line.look()
        assert watching.history.steps == line.steps >= 200
        before = watching.history.steps
        run(rest)
        watching._look(reader)
        line.look()
        assert reader.first_step > before
        assert watching.history.first == reader.first_step
        assert watching.history.steps == line.steps == reader.steps
        assert watching.snapshot.has_ended
        assert line.line.trouble == ""
        assert line.line.snapshot.has_ended
    line.close()


def test_results_are_read_while_records_are_dropped(half, monkeypatch):
    path, rest = half
    frame, waiting = result.predictions_frame, [rest]

    def frame_after_a_drop(part, *others):
        if waiting:
            run(waiting.pop())
        return frame(part, *others)

    monkeypatch.setattr(result, "predictions_frame", frame_after_a_drop)
    with result.open_run(path) as opened, closing(RunReader(path)) as reader:
        steps_read = opened.predictions["step"].unique().to_list()
        reader.refresh()
        assert steps_read == list(range(reader.first_step, reader.steps))


def test_old_records_are_dropped_by_their_age(tmp_path, monkeypatch):
    make_many_records(monkeypatch)
    stream = write_stream(tmp_path / "d.csv", rows=1000)
    run_until(engine(stream, tmp_path / "a.run"), 50)
    later = writer.time() + 3600
    monkeypatch.setattr(writer, "time", lambda: later)
    made = engine(stream, tmp_path / "a.run")
    made.keep = Retention.parse("30m")
    run(made)
    with closing(RunReader(tmp_path / "a.run")) as reader:
        assert 50 <= reader.first_step < reader.steps


@pytest.mark.parametrize("text", ["", "30", "10 parsecs", "-1d", "0GB", "d", "1e3d"])
def test_what_is_no_limit_is_refused(text):
    with pytest.raises(UsageError, match="neither an age nor a size"):
        Retention.parse(text)


def test_keep_needs_a_run_file(tmp_path, capsys):
    stream = write_stream(tmp_path / "d.csv", rows=50)
    assert main(["replay", str(stream), "--headless", "--keep", "1d"]) == 2
    assert "--run FILE.run" in capsys.readouterr().err


def write_single_rows(path, rows):
    """Two classes, a row every few seconds."""
    rng = np.random.default_rng(1)
    start = np.datetime64("2024-01-01T00:00:00")
    whens = start + np.cumsum(rng.integers(0, 5, rows)).astype("timedelta64[s]")
    labels = rng.random(rows) < np.where(np.arange(rows) // 300 % 2, 0.2, 0.7)
    numbers = rng.random((rows, 2))
    lines = [
        f"{when},{a:.4f},{b:.4f},p,{int(label)}"
        for when, (a, b), label in zip(whens, numbers, labels, strict=True)
    ]
    path.write_text("when,a,b,place,late\n" + "\n".join(lines) + "\n")
    return path


NINE = "0.005,0.01,0.05,0.1,0.2,0.3,0.4,0.5,inf"


def test_a_row_a_step_with_nine_members_takes_at_most_100_bytes(tmp_path):
    stream = write_single_rows(tmp_path / "d.csv", 4000)
    options = {"every": "1", "history": "36", "thresholds": NINE, "distance": "labels"}
    run(engine(stream, tmp_path / "a.run", **options))
    with closing(sqlite3.connect(tmp_path / "a.run")) as connection:
        held = sum(
            connection.execute(f"SELECT sum(length({column})) FROM {table}").fetchone()[0]
            for table, column in (("parts", "data"), ("records", "head"))
        )
    assert held / 4000 <= 60  # the probabilities of four series take 32 of them


def test_a_quiet_feed_takes_little_too(tmp_path, monkeypatch):
    """A commit for each row, as where one comes every few seconds."""
    stream = write_single_rows(tmp_path / "d.csv", 700)
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(recorder, "_REST", 0)
    options = {"every": "1", "history": "36", "thresholds": NINE, "distance": "labels"}
    made = engine(stream, tmp_path / "a.run", **options)
    monkeypatch.setattr(type(made.pipeline), "steps_at_once", 1, raising=False)
    run(made)
    with closing(RunReader(tmp_path / "a.run")) as reader:
        assert reader._ledger().records < 20
        assert sum(r.steps for r in reader.all_results()) == 700


@pytest.mark.parametrize(("steps_of_limit", "count"), [(None, 4), (250, 14)])
def test_records_grow_in_short_commits(tmp_path, monkeypatch, steps_of_limit, count):
    """To 1,024 steps, so that a slow run is stored densely, or until they are large."""
    stream = write_single_rows(tmp_path / "d.csv", 4000)
    options = {"every": "1", "history": "36", "thresholds": NINE, "distance": "labels"}
    run(engine(stream, tmp_path / "fast.run", **options))
    with closing(RunReader(tmp_path / "fast.run")) as reader:
        whole = reader.results(0, 4000)
    if steps_of_limit is not None:
        monkeypatch.setattr(writer, "_GROWING_BYTES", whole.cut(0, steps_of_limit).nbytes)
    with closing(schema.connect(tmp_path / "slow.run", writable=True)) as connection:
        schema.create(connection)
        ledger = Ledger()
        for start in range(0, 4000, 100):
            writer.write_steps(connection, ledger, [whole.cut(start, start + 100)])
        assert ledger.records == count


def test_a_reader_follows_a_record_that_grows(tmp_path, monkeypatch):
    stream = write_stream(tmp_path / "d.csv", rows=900)
    made = live_engine(stream, tmp_path / "a.run")
    seen = []

    def look():
        if made.steps > 1 and (tmp_path / "a.run").exists():
            with closing(RunReader(tmp_path / "a.run")) as reader:
                if reader.steps > len(seen):
                    found = reader.record_from(len(seen))
                    assert found.first_step == len(seen)
                    seen.extend(found.lengths.tolist())

    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(recorder, "_REST", 0)
    made.listener.progress = look
    run_until_read(made, 900)
    look()
    with closing(RunReader(tmp_path / "a.run")) as reader:
        whole = steps.Steps.join(list(reader.all_results()))
    assert seen == whole.lengths.tolist()[: len(seen)]
    assert seen
