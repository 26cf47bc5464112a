"""What a run file holds, and what is made of one from a stranger."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing

import numpy as np
import pytest
from made_runs import engine, run, run_until, write_stream

from macro_engine.core import steps
from macro_engine.core.errors import MacroError
from macro_engine.core.members import grid
from macro_engine.core.names import Names
from macro_engine.core.state import DamagedError
from macro_engine.core.steps import Steps
from macro_engine.run.engine import Listener
from macro_engine.run.progress import RunProgress
from macro_engine.run.store import records
from macro_engine.run.store.recorder import Recorder
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.store.stored_names import names_of, told
from macro_engine.run.store.whole_file import size_of


def assert_same_results(one, other):
    one, other = one.with_fewer_lists(), other.with_fewer_lists()
    assert one.names == other.names
    assert one.present == other.present
    for name in one.present:
        mine, theirs = getattr(one, name), getattr(other, name)
        assert np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f"), name


def test_the_results_are_those_that_were_given(recorded):
    path, given, _ = recorded
    with closing(RunReader(path)) as reader:
        assert reader.steps == given.steps
        assert_same_results(Steps.join(list(reader.all_results())), given)
        part = reader.results(17, 40)
        # where a block began at 17, its list was dropped when it was stored
        assert_same_results(part, given.with_fewer_lists().cut(17, 40))
        assert part.before.rows == given.cut(17, 40).before.rows
        assert np.array_equal(part.before.losses, given.cut(17, 40).before.losses)


def test_long_runs_are_kept_in_several_records(recorded, monkeypatch):
    _, given, _ = recorded
    for module in (records, steps):
        monkeypatch.setattr(module, "PIECE_ROWS", 100)
    pieces = list(records.records([given]))
    assert len(pieces) > 5
    assert all(piece.rows <= 100 or piece.steps == 1 for piece in pieces)
    assert_same_results(Steps.join(pieces), given)


def test_short_parts_are_kept_together(recorded, monkeypatch):
    _, given, _ = recorded
    for module in (records, steps):
        monkeypatch.setattr(module, "PIECE_STEPS", 10)
    parts = [given.cut(step, min(step + 4, given.stop)) for step in range(0, given.stop, 4)]
    pieces = list(records.records(parts))
    assert {piece.steps for piece in pieces[:-1]} == {8}
    assert_same_results(Steps.join(pieces), given)


def test_results_take_no_more_room_than_promised(recorded):
    path, given, _ = recorded
    steps, rows, k = given.steps, given.rows, len(given.active)
    with closing(sqlite3.connect(path)) as connection:
        (held,) = connection.execute("SELECT sum(length(data)) FROM parts").fetchone()
    assert held <= 12 * steps * k + (4 + k) * rows


def test_rejected_rows_and_events_are_kept(recorded):
    path, _, made = recorded
    with closing(RunReader(path)) as reader:
        rejected = list(reader.rejected())
        assert [str(r) for r in rejected] == [str(r) for r in made.rejections.first]
        kinds = {event.kind for _, event in reader.events()}
        assert {"birth", "leader", "rejected", "source"} <= kinds
        births = reader.events(["birth"], text="NEW")
        assert births
        number, _ = births[0]
        assert reader.events(["birth"], after=number) == births[1:]


def test_what_ends_the_recording_ends_the_run(tmp_path, monkeypatch):
    from macro_engine.run.store import recorder as module

    monkeypatch.setattr(module, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(records, "insert", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(engine(write_stream(tmp_path / "d.csv"), tmp_path / "a.run"))


def test_a_file_whose_making_was_cut_short_is_made_again(tmp_path):
    with closing(sqlite3.connect(tmp_path / "a.run", isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 65536")
        connection.execute("PRAGMA journal_mode = WAL")
    run(engine(write_stream(tmp_path / "d.csv"), tmp_path / "a.run"))


def test_an_input_whose_name_is_not_text_is_recorded(tmp_path):
    name = os.fsdecode(bytes(tmp_path) + b"/bad\xff.csv")
    stream = write_stream(type(tmp_path)(name), garbage=0.02)
    run(engine(stream, tmp_path / "a.run"))
    with closing(RunReader(tmp_path / "a.run")) as reader:
        assert next(reader.rejected()).file == "bad\\udcff.csv"


@pytest.mark.parametrize("content", [b"", b"PAR1", b"SQLite format 3\0" + bytes(100), bytes(5000)])
def test_files_of_other_kinds_are_refused(tmp_path, content):
    (tmp_path / "a.run").write_bytes(content)
    with pytest.raises(MacroError, match=r"a\.run"):
        RunReader(tmp_path / "a.run")


def test_a_damaged_state_stops_the_run_in_words_and_leaves_the_file(tmp_path):
    stream = write_stream(tmp_path / "d.csv")
    run_until(engine(stream, tmp_path / "a.run"), 5)
    with closing(sqlite3.connect(tmp_path / "a.run", isolation_level=None)) as connection:
        connection.execute("UPDATE state SET data = zeroblob(300) WHERE name = 'family'")
    before = (tmp_path / "a.run").read_bytes()
    with pytest.raises(MacroError, match=r"a\.run is damaged"):
        run(engine(stream, tmp_path / "a.run"))
    with closing(RunReader(tmp_path / "a.run")) as reader:
        assert reader.info["status"] == "stopped"
    assert len(before) == len((tmp_path / "a.run").read_bytes())


READ_AS_NOBODY = """
import os, sys
import urllib.parse  # which pathlib loads only when nobody may read the folder of Python any more
from pathlib import Path
from macro_engine.run.store.runfile import RunReader
from macro_engine.core.state import DamagedError
from macro_engine.core.errors import MacroError
os.setgid(65534); os.setuid(65534)
try:
    print(sum(r.steps for r in RunReader(Path(sys.argv[1])).all_results()))
except MacroError as error:
    print(error)
"""


def read_as_nobody(path):
    done = subprocess.run(
        [sys.executable, "-c", READ_AS_NOBODY, path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root may become somebody else")
def test_another_user_reads_a_live_file_and_one_that_was_left():
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        stream = write_stream(folder / "d.csv")
        made = engine(stream, folder / "a.run")
        made.listener.progress = lambda: made.steps >= 20 and made.stop()
        closed = Recorder.close
        try:
            Recorder.close = lambda *_: None  # as if it were killed
            run(made)
        finally:
            Recorder.close = closed
        waiting = made.steps
        assert (folder / "a.run-wal").exists()
        for _ in range(100):
            if read_as_nobody(folder / "a.run") == str(waiting):
                break
        assert read_as_nobody(folder / "a.run") == str(waiting)
        (folder / "copy").mkdir()
        shutil.copy(folder / "a.run", folder / "copy")
        with closing(RunReader(folder / "a.run")) as reader:
            assert reader.steps == waiting
        assert "copy all three together" in read_as_nobody(folder / "copy" / "a.run")


def test_an_unwritable_file_stops_nothing_until_memory_is_full_and_loses_nothing(
    tmp_path, monkeypatch
):
    from macro_engine.run.store import recorder as module

    monkeypatch.setattr(module, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(module, "_REST", 0)
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.05)
    monkeypatch.setattr(module, "AT_ONCE", 50_000)
    monkeypatch.setattr(module, "MOST_UNSAVED", 100_000)
    stream = write_stream(tmp_path / "d.csv", rows=6000)
    expected = run(engine(stream)).summary()
    said, seen = [], []
    made = engine(stream, tmp_path / "a.run", Listener(remark=said.append))
    opened = Recorder._open

    def unwritable(self):
        opened(self)
        self.connection.execute("PRAGMA query_only = ON")

    monkeypatch.setattr(Recorder, "_open", unwritable)
    publish = RunProgress.publish

    def watch(self, state, words):
        publish(self, state, words)
        if state == "waiting":
            seen.append((made.steps, words, self.snapshot.seen))
            if len(seen) == 3:
                made.recorder.connection.execute("PRAGMA query_only = OFF")

    monkeypatch.setattr(RunProgress, "publish", watch)
    run(made)
    assert len({steps for steps, _, _ in seen[:3]}) == 1  # it stopped reading
    assert "readonly" in seen[0][1]
    assert len({since for *_, since in seen[:3]} - {None}) == 1  # no rows come since then
    assert any("cannot be written" in line and "kept in memory" in line for line in said)
    assert any("can be written again; nothing was lost" in line for line in said)
    assert made.summary()["errors"] == expected["errors"]
    with closing(RunReader(tmp_path / "a.run")) as reader:
        assert sum(r.steps for r in reader.all_results()) == expected["steps"]


def test_stopped_while_the_file_is_unwritable_it_says_what_is_missing(tmp_path, monkeypatch):
    stream = write_stream(tmp_path / "d.csv")
    made = engine(stream, tmp_path / "a.run")
    opened = Recorder._open

    def unwritable(self):
        opened(self)
        self.connection.execute("PRAGMA query_only = ON")

    monkeypatch.setattr(Recorder, "_open", unwritable)
    with pytest.raises(MacroError, match=r"a\.run cannot be written.*resumes from there"):
        run_until(made, 20)
    monkeypatch.undo()
    run(engine(stream, tmp_path / "a.run"))


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    stream = write_stream(tmp_path / "d.csv")
    with pytest.raises(MacroError, match=r"nowhere/a\.run cannot be written"):
        run(engine(stream, tmp_path / "nowhere" / "a.run"))


def test_its_size_counts_what_is_not_in_the_main_file_yet(recorded):
    assert size_of(recorded[0]) == recorded[0].stat().st_size


@pytest.mark.parametrize(
    "series",
    [[], ["marginal"], ["marginal", "no_change"], ["ftl", "marginal", "no_change"],
     ["marginal", "no_change", "ftl", "ftl"], "ftl", None],
)  # fmt: skip
def test_series_that_cannot_be_shown_are_damage(series):
    with pytest.raises(DamagedError, match="series are"):
        names_of({"series": series, "members": [[6, 0.1]]}, 2)


def test_names_are_told_and_read_again():
    members = grid([6, "all"], [0.1, float("inf")])
    names = Names(("marginal", "no_change", "ewa"), members, 2)
    assert names_of(json.loads(json.dumps(told(names))), 2) == names


def test_two_threads_close_it_once(tmp_path, monkeypatch):
    """A run that ends while it is abandoned: the file is not closed under the one that works."""
    leave, calls, begun = Recorder._leave_one_file, [], threading.Event()

    def leave_slowly(recorder):
        calls.append(threading.current_thread().name)
        begun.set()
        time.sleep(0.1)
        leave(recorder)

    monkeypatch.setattr(Recorder, "_leave_one_file", leave_slowly)
    recorder = Recorder(tmp_path / "a.run")
    first = threading.Thread(target=recorder.close, name="first")
    first.start()
    assert begun.wait(60)
    recorder.close(lambda: False)
    assert [path.name for path in tmp_path.iterdir()] == ["a.run"]
    first.join()
    assert calls == ["first"]
