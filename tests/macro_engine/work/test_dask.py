"""Tasks and fleets on a real Dask scheduler with worker processes, one of which is killed."""

import signal
import threading
import time
from pathlib import Path

import made_work
import pytest
from extras import needs_dask
from made_fleets import streams as made_streams

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.work import cluster as cluster_module
from macro_engine.work.tasks import Done, Failed, Task, run_tasks

pytestmark = [
    *needs_dask,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # what Dask and Tornado warn of is theirs
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    from made_cluster import cluster

    with cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def test_a_cluster_gives_what_this_process_gives(made, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("a,y\n1,p\n")
    tasks = [
        *(Task.of(made_work.square, {"number": n}) for n in range(5)),
        Task.of(made_work.length, {}, [data]),
        Task.of(made_work.fail, {"number": 7}, label="the bad one"),
    ]
    told = []
    there = run_tasks(tasks, scheduler=made.address, on_progress=told.append)
    here = run_tasks(tasks)
    assert [getattr(one, "value", None) for one in there] == [
        getattr(one, "value", None) for one in here
    ]
    assert isinstance(there[-1], Failed)
    assert there[-1].reason == here[-1].reason
    assert "the bad one failed and is tried again: number 7 is not liked" in {p.said for p in told}


def test_data_that_a_worker_does_not_have_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_module, "worker_name", lambda: "there")
    data = tmp_path / "d.csv"
    with pytest.raises(
        MacroError,
        match=r"d\.csv is not on the worker at there; a worker reads the data at the same path",
    ):
        cluster_module.check_data([(str(data), "0" * 64)])
    data.write_text("x")
    with pytest.raises(MacroError, match=r"d\.csv is another file on the worker at there"):
        cluster_module.check_data([(str(data), "0" * 64)])


def test_another_program_on_a_worker_is_named(made, monkeypatch):
    monkeypatch.setattr(cluster_module, "program", lambda: "9.9.9+feed")
    with pytest.raises(
        MacroError, match=r"need the same macro-tui as this one, 9\.9\.9\+feed: tcp://.* runs 0\."
    ):
        run_tasks([Task.of(made_work.square, {"number": 1})], scheduler=made.address)


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(cluster_module, "_PATIENCE", "1s")
    with pytest.raises(
        MacroError, match=r"--scheduler tcp://127.0.0.1:9: no Dask scheduler answers"
    ):
        run_tasks([Task.of(made_work.square, {"number": 1})], scheduler="tcp://127.0.0.1:9")


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(UsageError, match="needs Dask; install it with: "):
        run_tasks([Task.of(made_work.square, {"number": 1})], scheduler="tcp://127.0.0.1:9")


def test_a_fleet_on_a_cluster_brings_its_runs_home(made, tmp_path):
    from macro_engine.fleet.dask_runner import DaskRunner
    from macro_engine.fleet.fleet import Fleet
    from macro_engine.run.store.runfile import RunReader

    streams = made_streams(tmp_path, 3, live=2)
    fleet = Fleet(streams, lambda: DaskRunner(made.address))
    fleet.thread.start()
    lines = []
    until = time.monotonic() + 120
    while time.monotonic() < until and not _live_are_followed(fleet, lines):
        time.sleep(0.2)
    fleet.stop()
    fleet.thread.join(120)
    assert fleet.error is None
    assert [one.state for one in fleet.standings] == ["finished"] * 3 + ["stopped"] * 2
    assert all(one.value["summary"]["rows"] == 600 for one in fleet.standings[:3])
    assert any("running" in state or "following" in state or state == "quiet" for state in lines)
    for stream in streams:
        reader = RunReader(Path(stream.run_file))
        assert reader.steps > 0
        reader.close()
    assert not list(tmp_path.glob("runs/*lock*"))


def _live_are_followed(fleet, seen):
    lines = fleet.lines()
    live = [lines.get(Path(one.stream.run_file)) for one in fleet.standings if one.stream.is_live]
    seen += [line.snapshot.state for line in live if line is not None]
    recordings = [one.has_ended for one in fleet.standings if not one.stream.is_live]
    return all(recordings) and all(line is not None and line.snapshot.steps > 0 for line in live)


def test_a_run_whose_worker_is_killed_begins_again_elsewhere(made, tmp_path):
    from macro_engine.fleet.dask_runner import DaskRunner
    from macro_engine.fleet.fleet import Fleet

    streams, said, until = made_streams(tmp_path, 0, live=2), [], time.monotonic() + 120
    fleet = Fleet(streams, lambda: DaskRunner(made.address), said.append)  # one on each worker
    fleet.thread.start()
    while time.monotonic() < until and not _live_are_followed(fleet, []):
        time.sleep(0.1)
    made.workers["worker-0"].send_signal(signal.SIGKILL)
    made.add_worker()  # for other tests
    while time.monotonic() < until and not (said and _live_are_followed(fleet, [])):
        time.sleep(0.1)
    fleet.stop()
    fleet.thread.join(120)
    assert [line.partition(": ")[0] in ("s0", "s1") for line in said] == [True]
    assert said[0].endswith("is lost; it restarts on another worker")
    assert [one.state for one in fleet.standings] == ["stopped"] * 2
    assert [one.value["summary"]["rows"] for one in fleet.standings] == [600] * 2
    assert not list(tmp_path.glob("runs/*lock*"))


def test_a_killed_worker_is_said_and_the_rest_completes(made, tmp_path):
    made.add_worker()  # the others are needed by other tests
    tasks = [
        Task.of(made_work.square, {"number": n, "seconds": 0.7}, label=f"square {n}")
        for n in range(9)
    ]
    told = []
    victim = next(worker for worker in made.workers.values() if worker.poll() is None)

    def kill(progress):
        told.append(progress)
        if progress.done >= 1 and victim.poll() is None:
            threading.Thread(target=victim.send_signal, args=(signal.SIGKILL,)).start()

    results = run_tasks(tasks, scheduler=made.address, cache=tmp_path, on_progress=kill)
    assert [one.value["square"] for one in results if isinstance(one, Done)] == [
        n**2 for n in range(9)
    ]
    assert any("is lost; its work is repeated on another one" in one.said for one in told)
