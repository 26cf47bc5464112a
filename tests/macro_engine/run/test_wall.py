"""Many run files at once."""

import numpy as np
import pytest
from made_sessions import ended, session_over, write_stream

from macro_engine.run.alarms.alarms import parse
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.wall import BUCKETS, LATELY, RunLine, Wall


def record(stream, run_file, rules=(), **options):
    """A finished run, recorded."""

    def prepare(engine):
        engine.run_file = run_file

    ended(session_over(stream, prepare=prepare, **options), rules).close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wall")
    stream = write_stream(folder / "flights.csv")
    record(stream, folder / "a.run")
    record(stream, folder / "b.run", history="1")
    (folder / "c.run").write_bytes(b"no database")
    return folder


@pytest.fixture(scope="module")
def wall(folder):
    wall = Wall([folder])
    wall.search()
    wall.look()
    return wall


def test_every_run_of_a_folder_has_a_line_and_trouble_comes_first(wall):
    assert [line.name for line in wall.lines] == ["c.run", "a.run", "b.run"]
    assert wall.lines[0].trouble
    assert wall.lines[1].snapshot.state == "finished"


def test_a_line_says_what_the_run_file_says(wall, folder):
    line = wall.lines[1]
    reader = RunReader(folder / "a.run")
    errors, steps = reader.info["summary"]["errors"], reader.results(600 - LATELY, 600)
    reader.close()
    assert line.lead == errors["marginal"] - errors["ftl"]
    assert line.active == steps.active[steps.leaders[-1], -1]
    assert len(line.lately) == BUCKETS
    wrong = steps.wrong_of("marginal").astype(int) - steps.wrong_of("ftl")
    expected = wrong.reshape(BUCKETS, -1).sum(1) / steps.lengths.reshape(BUCKETS, -1).sum(1)
    assert np.allclose(line.lately, expected)


def test_files_that_come_later_are_found_and_gone_ones_said(folder, tmp_path):
    wall = Wall([tmp_path])
    wall.search()
    assert not wall.runs
    path = tmp_path / "late.run"
    path.write_bytes((folder / "a.run").read_bytes())
    wall.search()
    wall.look()
    assert wall.lines[0].snapshot.rows == 2400
    path.unlink()
    wall.look()
    assert "no such file" in wall.lines[0].trouble


def test_a_run_whose_file_comes_home_keeps_its_line(folder, tmp_path):
    home = tmp_path / "home.run"
    told = {home: RunLine(home, "home.run")}
    wall = Wall([home], elsewhere=lambda: dict(told))
    wall.look()
    home.write_bytes((folder / "a.run").read_bytes())
    told.clear()
    wall.look()  # before the next search
    assert [line.snapshot.state for line in wall.lines] == ["finished"]


def test_rules_of_the_wall_are_judged_for_each_run_that_has_the_series(folder):
    wall = Wall([folder / "a.run"], [parse("ftl > 0.01"), parse("blend > 0.01")])
    wall.search()
    wall.look()
    assert len(wall.lines[0].alarms) == 1
    wall.acknowledge(folder / "a.run")
    wall.look()
    assert not wall.lines[0].alarms


def test_what_needs_a_look_comes_first(tmp_path):
    def line(state, lead=0.1, **more):
        return RunLine(tmp_path, "a", Snapshot(state=state), lead=lead, **more)

    ranked = [
        line("running", alarms=("birth",)),
        line("gone"),
        line("running", lead=-0.1),
        line("running"),
        line("finished"),
    ]
    assert [run.urgency for run in ranked] == [0, 1, 2, 3, 4]
