"""Trouble with a run file: how long it lasts, what it leaves, and what those who watch see."""

import errno
import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager

import pytest
from busy import wait_for
from faults import Faults, inject
from made_runs import engine, live_engine, run, run_until, write_stream
from made_sessions import finished_session

from macro_engine.core.errors import MacroError
from macro_engine.run import engine as engine_module
from macro_engine.run import stored_snapshot
from macro_engine.run.events import Event
from macro_engine.run.store import recorder as module
from macro_engine.run.store.lock import alive_at, lock_of
from macro_engine.run.store.recorder import Recorder
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.watched import WatchedRun


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv")


@contextmanager
def transaction(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


HOLD = """
import fcntl, os, struct, sys, time
descriptor = os.open(sys.argv[1], os.O_RDONLY)
lock = struct.pack("hhqqi", fcntl.F_RDLCK, os.SEEK_SET, 120, 1, 0)
fcntl.fcntl(descriptor, fcntl.F_SETLK, lock)
print("held", flush=True)
time.sleep(60)
"""


@contextmanager
def lock_of_a_reader(path):
    """What somebody can do who may only read: a shared lock on the byte that writers lock."""
    command = [sys.executable, "-c", HOLD, f"{path}-shm"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        yield
        holder.kill()


@pytest.mark.slow
@pytest.mark.parametrize("held_up", [transaction, lock_of_a_reader])
def test_after_trouble_commits_come_at_once(tmp_path, held_up):
    if held_up is lock_of_a_reader and sys.platform != "linux":
        pytest.skip("the lock is written as Linux takes it")
    path = tmp_path / "a.run"
    recorder = Recorder(path)
    with held_up(path):
        recorder.note(Event(0, None, "run", "while it was locked"))
        recorder.hand_over(None, {})
        wait_for(lambda: recorder.trouble is not None)
    wait_for(lambda: recorder.in_flight is None, 2.0)
    assert recorder.trouble is None
    assert recorder.is_due
    recorder.close()


def test_no_commit_makes_the_next_one_wait_for_more_than_ten_seconds(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_REST", 1_000_000)
    recorder = Recorder(tmp_path / "a.run")
    recorder.hand_over(None, {})
    wait_for(lambda: recorder.handed_over is None and recorder.in_flight is None)
    assert 5 < recorder.due_at - time.monotonic() <= 10
    recorder.close()


def test_a_stop_outlasts_a_moment_of_trouble(stream, tmp_path, monkeypatch):
    committed, failures = Recorder._committed, iter([True])

    def failing_once(self, batch):
        if self.closing and next(failures, False):
            self._failed(sqlite3.OperationalError("database is locked"))
            return False
        return committed(self, batch)

    monkeypatch.setattr(Recorder, "_committed", failing_once)
    assert run_until(engine(stream, tmp_path / "a.run"), 5).snapshot.state == "stopped"
    assert next(failures, None) is None


@pytest.mark.slow
def test_a_quiet_feed_shows_that_it_lives_without_writing(stream, tmp_path, monkeypatch):
    monkeypatch.setattr(engine_module, "_ALIVE_SECONDS", 0.02)
    monkeypatch.setattr(module, "COMMIT_SECONDS", 0.0)
    path, plans = tmp_path / "a.run", {}
    plans[path] = faults = Faults()
    inject(monkeypatch, plans)
    made = live_engine(stream, path)
    thread = threading.Thread(target=run, args=[made], daemon=True)
    thread.start()
    wait_for(lambda: made.snapshot.state == "quiet" and made.snapshot.rate == 0)
    its = made.recorder
    wait_for(
        lambda: (
            made.checkpoint.told == made.progress.to_tell and not (its.handed_over or its.in_flight)
        )
    )
    commits, shown = len(faults.commits), alive_at(path)
    wait_for(lambda: alive_at(path) > shown + 0.5)
    assert len(faults.commits) == commits
    made.note([Event(0, None, "bookmark", "still here")])
    wait_for(lambda: len(faults.commits) > commits)
    made.stop()
    thread.join(120)


@pytest.mark.slow
def test_who_watches_is_told_that_a_living_writer_cannot_write(stream, tmp_path, monkeypatch):
    monkeypatch.setattr(engine_module, "_ALIVE_SECONDS", 0.05)
    monkeypatch.setattr(module, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(stored_snapshot, "_UNWRITTEN_SECONDS", 0.6)
    path = tmp_path / "a.run"
    made = live_engine(stream, path)
    thread = threading.Thread(target=run, args=[made], daemon=True)
    thread.start()
    wait_for(lambda: made.steps and made.snapshot.state == "running")
    watching = WatchedRun(path)
    watching.start()
    wait_for(lambda: watching.snapshot.state == "quiet")
    with transaction(path):
        made.note([Event(0, None, "bookmark", "cannot be written")])
        wait_for(lambda: watching.snapshot.words.startswith("not written for"))
        assert watching.snapshot.rate == 0
        assert watching.snapshot.seen < time.time() - 0.5
    wait_for(lambda: watching.snapshot.state == "quiet")
    made.stop()
    thread.join(120)
    wait_for(lambda: watching.snapshot.state == "stopped")
    assert watching.stop(60)
    watching.close()


@pytest.mark.slow
def test_a_run_leaves_one_file_although_somebody_watched_its_end(stream, tmp_path):
    path = tmp_path / "a.run"
    made = live_engine(stream, path)
    thread = threading.Thread(target=run, args=[made], daemon=True)
    thread.start()
    wait_for(lambda: made.steps and made.snapshot.state == "running")
    watching = WatchedRun(path)
    watching.start()
    wait_for(lambda: watching.snapshot.steps > 0)
    made.stop()
    thread.join(120)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.run", "d.csv"]
    assert watching.history.results(0, watching.history.steps).steps == watching.history.steps
    assert watching.stop(60)
    watching.close()


def test_a_session_leaves_one_file_although_it_looks_at_it(tmp_path):
    from made_sessions import write_stream as write

    session = finished_session(write(tmp_path / "d.csv"))
    assert sorted(p.name for p in session.engine.run_file.parent.iterdir()) == ["unnamed.run"]
    session.close()


@pytest.mark.parametrize("first", [0, 5, 10, 14])
def test_a_disk_that_is_full_at_the_start_is_named_and_nothing_is_left(
    tmp_path, monkeypatch, first
):
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    path = tmp_path / "a.run"
    inject(monkeypatch, {path: Faults(first, "full", seconds=60)})
    with pytest.raises(MacroError, match=r"a\.run cannot be written .*: database or disk is full"):
        Recorder(path)
    assert [p.name for p in tmp_path.iterdir()] == []


def test_a_disk_with_no_room_for_the_lock_is_named_and_no_lock_is_left(tmp_path, monkeypatch):
    path, write = tmp_path / "a.run", os.write

    def full(descriptor, data):
        if os.path.samestat(os.fstat(descriptor), os.stat(lock_of(path))):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(MacroError, match=r"a\.run cannot be written: No space left"):
        Recorder(path)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_is_abandoned_while_it_goes_on_leaves_no_gap(stream, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "COMMIT_SECONDS", 0.0)
    path, abandoned = tmp_path / "a.run", []
    made = engine(stream, path)

    def progress():
        if made.steps >= 40 and not abandoned:
            abandoned.append(made.steps)
            made.abandon()

    made.listener.progress = progress
    run(made)
    assert made.steps > abandoned[0]
    with closing(RunReader(path)) as reader:
        assert reader.steps <= abandoned[0]
        assert sum(part.steps for part in reader.all_results()) == reader.steps
    assert run(engine(stream, path)).summary()["errors"] == run(engine(stream)).summary()["errors"]


@pytest.mark.slow
def test_a_reader_in_the_writers_process_leaves_it_its_locks(tmp_path):
    """Another process would take the index of the log for abandoned, and cut it off."""
    path = tmp_path / "a.run"
    recorder = Recorder(path)
    try:
        RunReader(path).close()
        take = (
            "import fcntl, sys; "
            "fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 128)"
        )
        done = subprocess.run(
            [sys.executable, "-c", take, f"{path}-shm"], capture_output=True, text=True, check=False
        )
        assert "BlockingIOError" in done.stderr
    finally:
        recorder.close()
