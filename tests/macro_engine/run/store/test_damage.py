"""Damage to a run file is named, and never taken for another result."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from made_damage import Originals, copy, exported
from made_runs import engine, run, run_until, write_stream

from macro_engine.core import steps
from macro_engine.core.errors import MacroError
from macro_engine.run.store import recorder, records
from macro_engine.run.store.runfile import RunReader
from macro_tui.cli import main


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder, "COMMIT_SECONDS", 0.0)
        return Originals(tmp_path_factory.mktemp("damage"))


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A stopped run in records of at most 20 steps."""
    folder = tmp_path_factory.mktemp("stopped")
    stream = write_stream(folder / "d.csv", garbage=0.02)
    with pytest.MonkeyPatch.context() as patch:
        for module in (records, steps):
            patch.setattr(module, "PIECE_STEPS", 20)
        run_until(engine(stream, folder / "a.run"), 100)
    return stream, folder / "a.run"


@pytest.mark.parametrize("seed", range(30))
def test_no_damage_goes_unnoticed(originals, seed):
    done, wrong = originals.try_damage(seed)
    assert not wrong, done


def spoil(path, statement):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


def test_export_writes_what_is_whole_and_says_what_is_not(stopped, tmp_path):
    path = copy(stopped[1], tmp_path / "copy")
    exported(path, tmp_path / "before")
    with closing(RunReader(path)) as reader:
        lost = reader.record_from(30)
        lost = reader.parts(30, 31)[0]
    spoil(path, f"UPDATE parts SET data = x'' WHERE place = {lost.first_step} * 16")
    code, said = exported(path, tmp_path / "after")
    assert code == 1
    assert f"the record of steps {lost.first_step} to {lost.stop - 1}" in said
    before = (tmp_path / "before" / "predictions.csv").read_text().splitlines()
    after = (tmp_path / "after" / "predictions.csv").read_text().splitlines()
    first, last = lost.first_row + 1, lost.first_row + lost.rows
    assert after == before[:first] + before[last + 1 :]


def test_check_says_which_steps_are_whole(stopped, tmp_path, capsys):
    path = copy(stopped[1], tmp_path / "copy")
    assert main(["runs", "--check", str(path)]) == 0
    assert "whole: steps 0 to " in capsys.readouterr().out
    with closing(RunReader(path)) as reader:
        lost, stop = reader.parts(30, 31)[0], reader.steps
    spoil(path, f"DELETE FROM records WHERE first_step = {lost.first_step}")
    assert main(["runs", "--check", str(path)]) == 1
    said = capsys.readouterr().out
    whole = f"whole: steps 0 to {lost.first_step - 1}, steps {lost.stop} to {stop - 1}"
    assert whole in said
    assert f"damaged: steps {lost.first_step} to {lost.stop - 1}: missing" in said


def test_a_folder_is_checked_whole_whatever_is_in_it(stopped, tmp_path, capsys):
    assert main(["runs", "--check", str(tmp_path)]) == 0
    assert "no run files in" in capsys.readouterr().out
    for name in ("b", "c"):
        (tmp_path / f"{name}.run").write_bytes(copy(stopped[1], tmp_path / name).read_bytes())
    assert main(["runs", "--check", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("whole: steps 0 to ") == 2
    (tmp_path / "a.run").write_text("no run file")
    assert main(["runs", "--check", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "a.run" in said
    assert said.count("whole: steps 0 to ") == 2


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM events WHERE number = 1", "1 events are missing, the first is number 1"),
        ("UPDATE events SET text = 'x' WHERE number = 1", "event 1 does not match"),
        ("DELETE FROM rejected WHERE number = 2", "1 rejected rows are missing"),
        ("UPDATE rejected SET line = 1 WHERE number = 2", "rejected row 2 does not match"),
        ("DELETE FROM state WHERE name = 'events'", "its state is incomplete"),
        ("UPDATE state SET data = zeroblob(9) WHERE name = 'family'", "state 'family' does not"),
        ("UPDATE run SET value = '1' WHERE name = 'seconds'", "'seconds' does not match"),
        ("DELETE FROM run WHERE name = 'summary'", "is incomplete"),
        ("DELETE FROM records WHERE first_step = 0", "missing"),
    ],
)
def test_everything_has_a_checksum_and_a_damaged_run_is_not_resumed(
    stopped, tmp_path, capsys, statement, says
):
    stream, original = stopped
    path = copy(original, tmp_path / "copy")
    spoil(path, statement)
    assert main(["runs", "--check", str(path)]) == 1
    assert says in capsys.readouterr().out
    with pytest.raises(MacroError, match=r"a\.run is damaged"):
        run(engine(stream, path))


def test_a_log_that_was_cut_short_is_named(originals, tmp_path):
    path = copy(originals.files[1], tmp_path / "copy")
    log = path.with_name(f"{path.name}-wal")
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    code, said = exported(path, tmp_path / "out")
    assert code == 1
    assert "its last steps are missing" in said


def test_a_log_with_an_unfinished_commit_at_its_end_is_whole(originals, tmp_path):
    """A killed process may leave frames without the mark of a commit."""
    path = copy(originals.files[1], tmp_path / "copy")
    log = path.with_name(f"{path.name}-wal")
    data = log.read_bytes()
    frame = bytearray(data[32 : 32 + 24 + 4096])
    frame[4:8] = bytes(4)
    log.write_bytes(data + frame)
    assert exported(path, tmp_path / "out") == (0, "")


def test_a_run_of_two_thresholds_is_read_back(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=300)
    run(engine(stream, tmp_path / "a.run", thresholds="0.05,0.3"))
    assert exported(tmp_path / "a.run", tmp_path / "out") == (0, "")


def test_a_file_that_is_no_sqlite_file_any_more_is_named(stopped, tmp_path):
    path = copy(stopped[1], tmp_path / "copy")
    shutil.copyfile(stopped[0], path)
    assert exported(path, tmp_path / "out")[0] == 1


def leaves(path, table):
    """The second and third page that hold rows of a table, by number; its root names its leaves."""
    with closing(sqlite3.connect(path)) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        root = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", [table]
        ).fetchone()[0]
    page = path.read_bytes()[(root - 1) * size : root * size]
    assert page[0] == 5, "the rows fit on one page"
    assert int.from_bytes(page[3:5]) > 2
    cells = [int.from_bytes(page[at : at + 2]) for at in (14, 16)]
    return size, [int.from_bytes(page[cell : cell + 4]) for cell in cells]


@pytest.mark.parametrize("table", ["rejected", "events"])
def test_exchanged_pages_are_named(tmp_path, table):
    """Each row still has its checksum, and there are as many, but in another order."""
    stream = write_stream(tmp_path / "d.csv", rows=4000, garbage=0.2)
    run(engine(stream, tmp_path / "a.run", thresholds="0.0001,0.01,0.1"))
    size, (one, other) = leaves(tmp_path / "a.run", table)
    pages = bytearray((tmp_path / "a.run").read_bytes())
    spans = [slice((page - 1) * size, page * size) for page in (one, other)]
    pages[spans[0]], pages[spans[1]] = pages[spans[1]], pages[spans[0]]
    (tmp_path / "a.run").write_bytes(pages)
    code, said = exported(tmp_path / "a.run", tmp_path / "out")
    assert code == 1
    assert "do not match the ledger" in said
    with closing(RunReader(tmp_path / "a.run")) as reader, pytest.raises(MacroError):
        reader.events() if table == "events" else list(reader.rejected())
