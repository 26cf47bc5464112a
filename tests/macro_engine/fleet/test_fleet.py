"""Fleets on worker processes: a run each, failures that stay with their stream, stop and resume."""

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest
from made_fleets import OPTIONS, streams

from macro_engine import replay
from macro_engine.core.errors import UsageError
from macro_engine.fleet.fleet import Fleet, LocalRunner
from macro_engine.fleet.stream import Stream, run_names, run_stream
from macro_engine.run.pipeline import Pipeline
from macro_engine.run.result import open_run
from macro_engine.work.stopping import process_stop
from macro_engine.work.tasks import Ended


def test_names_that_collide_are_told_apart_by_folder_then_by_number(tmp_path):
    for folder in ("a/x", "b/x"):
        (tmp_path / folder).mkdir(parents=True)
    paths = [
        str(tmp_path / name) for name in ("a/x/f.csv", "b/x/f.csv", "b/x/f.parquet", "g.csv.gz")
    ]
    assert run_names(paths) == ["x-f-1", "x-f-2", "x-f-3", "g"]
    assert run_names([str(tmp_path / "a/x/F.csv"), str(tmp_path / "b/f.csv")]) == ["x-F", "b-f"]
    assert run_names(["\x1b[2J.csv"]) == ["2J"]
    with pytest.raises(UsageError, match="is named twice"):
        run_names([paths[0], str(tmp_path / "a/x/../x/f.csv")])


@pytest.mark.parametrize(("rows", "first"), [(100, 9), (600, 12)])
def test_a_small_stream_is_one_block_and_gives_the_same(tmp_path, monkeypatch, rows, first):
    """Of at most 128 rows, in steps of 10; the last step is closed by the end of the stream."""
    run, lengths, found = Pipeline.run, [], []
    aimed_at = set()

    def counted(pipeline, block):
        lengths.append(block.steps)
        aimed_at.add(pipeline.block_seconds)
        return run(pipeline, block)

    monkeypatch.setattr(Pipeline, "run", counted)
    (stream,) = streams(tmp_path, 1, count=rows)
    for first_rows in (1, 128):
        monkeypatch.setattr("macro_engine.fleet.stream._FIRST_ROWS", first_rows)
        lengths.clear()
        asked = replace(stream, run_file=str(tmp_path / f"{first_rows}.run"))
        found.append(run_stream(asked, process_stop)["summary"])
        assert lengths[0] == (1 if first_rows == 1 else first)
    assert aimed_at == {0.2}
    for summary in found:
        del summary["seconds"], summary["distance_share"]
    assert found[0] == found[1]


class Lossy:
    """Loses the first run of every stream."""

    def __init__(self):
        self.begun, self.room, self.at_work = [], 2, 0

    def begin(self, number, _stream):
        self.begun.append(number)
        self.at_work += 1

    def wait(self, _seconds):
        self.at_work -= 1
        number = self.begun[-1]
        if self.begun.count(number) == 1:
            return [Ended(number, reason="its worker was lost", is_lost=True)]
        return [Ended(number, {"state": "finished", "rung": 1, "summary": None})]

    def close(self):
        pass


def test_a_lost_worker_is_said_and_the_run_begun_again_once():
    said = []
    fleet = Fleet([Stream("one", "one.csv", "one.run")], Lossy, said.append)
    fleet.run()
    assert said == ["one: its worker was lost; it resumes from its run file"]
    assert fleet.standings[0].state == "finished"
    assert fleet.rung == 1


def test_what_has_no_run_file_yet_has_a_line_on_the_wall(tmp_path):
    made = [Stream(name, name, str(tmp_path / f"{name}.run")) for name in ("new", "bad", "there")]
    absent = tmp_path / "absent.csv"
    made.append(Stream("live", str(absent), str(tmp_path / "live.run"), is_live=True))
    fleet = Fleet(made, Lossy)
    fleet.standings[3].state = "running"
    fleet.standings[1].state, fleet.standings[1].reason = "failed", "no such file"
    (tmp_path / "there.run").touch()
    lines = fleet.lines()
    assert {line.name: line.trouble or line.snapshot.words for line in lines.values()} == {
        "new.run": "waiting for a worker",
        "bad.run": "no such file",
        "live.run": "there is no such file yet: waiting for it",
    }
    absent.touch()
    assert fleet.lines()[tmp_path / "live.run"].snapshot.words == "waiting for its first rows"


def test_a_failure_is_on_the_wall_whatever_the_run_file_tells_of_an_earlier_end(tmp_path):
    fleet = Fleet([Stream("one", "one", str(tmp_path / "one.run"))], Lossy)
    (tmp_path / "one.run").touch()
    fleet.standings[0].state, fleet.standings[0].reason = "failed", "the scheduler is gone"
    assert fleet.lines()[tmp_path / "one.run"].trouble == "the scheduler is gone"


@pytest.mark.slow
def test_each_stream_is_run_as_if_it_were_alone_and_a_failure_stays_with_its_stream(tmp_path):
    made = streams(tmp_path, 5)
    Path(made[2].source).write_text("a,y\n")
    fleet = Fleet(made, lambda: LocalRunner(2))
    fleet.run()
    assert [one.state for one in fleet.standings] == [
        "finished",
        "finished",
        "failed",
        "finished",
        "finished",
    ]
    assert "no rows" in fleet.failed[0].reason
    with replay(made[3].source, **OPTIONS) as alone, open_run(made[3].run_file) as run:
        assert run.predictions.equals(alone.predictions)
        assert fleet.standings[3].value["summary"]["errors"] == alone.summary["errors"]
    documents = fleet.document()["streams"]
    assert [one["name"] for one in documents] == ["s0", "s1", "s2", "s3", "s4"]
    assert documents[2]["error"] == fleet.failed[0].reason


@pytest.mark.slow
def test_more_live_streams_than_workers_are_followed_and_the_same_command_goes_on(tmp_path):
    made = streams(tmp_path, 1, live=3)
    fleet = Fleet(made, lambda: LocalRunner(1))
    fleet.thread.start()
    _until(
        lambda: all(Path(one.run_file).exists() for one in made) and fleet.standings[0].has_ended
    )
    with open(made[3].source, "a") as file:
        file.write("0.5,p\n" * 100)
    fleet.stop()
    fleet.thread.join(120)
    assert fleet.error is None
    assert [one.state for one in fleet.standings] == ["finished", *["stopped"] * 3]
    again = Fleet(made, lambda: LocalRunner(1))
    again.thread.start()
    _until(lambda: _rows(made[3]) == 700)
    again.stop()
    again.thread.join(120)
    assert again.error is None
    assert [_rows(one) for one in made] == [600, 600, 600, 700]


@pytest.mark.slow
def test_a_run_whose_worker_is_killed_goes_on_from_its_file(tmp_path):
    made = streams(tmp_path, 0, live=1)
    said = []
    fleet = Fleet(made, lambda: LocalRunner(1), said.append)
    fleet.thread.start()
    _until(lambda: _rows(made[0]) == 600)
    os.kill(fleet.runner.workers[0].process.pid, signal.SIGKILL)
    _until(lambda: said)
    with open(made[0].source, "a") as file:
        file.write("0.5,p\n" * 100)
    _until(lambda: _rows(made[0]) == 700)
    fleet.stop()
    fleet.thread.join(120)
    assert said == ["s0: its worker process was ended by SIGKILL; it resumes from its run file"]
    assert fleet.standings[0].value["summary"]["rows"] == 700


def _rows(stream):
    from macro_engine.core.errors import MacroError
    from macro_engine.run.wall import FollowedRun

    if not Path(stream.run_file).exists():
        return 0
    run = FollowedRun(Path(stream.run_file))
    try:
        run.look()
    except MacroError:
        return 0
    finally:
        run.close()
    return run.line.snapshot.rows


def _until(condition):
    until = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)
