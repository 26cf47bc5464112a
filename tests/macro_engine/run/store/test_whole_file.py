"""A run file that goes somewhere else is whole, also where somebody reads it when the run ends."""

from contextlib import closing

import pytest
from made_runs import engine, run, write_stream

from macro_engine.core.errors import MacroError
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.store.whole_file import whole_file


@pytest.fixture
def read_at_the_end(tmp_path):
    """A run file whose newest commits are in its companion, and who reads it."""
    write_stream(tmp_path / "s.csv", 300)
    path = tmp_path / "s.run"
    readers = []

    def look():
        if path.exists() and not readers and made.steps:
            readers.append(RunReader(path))

    made = engine(tmp_path / "s.csv", path)
    made.listener.progress = look
    run(made)
    yield path, readers[0]
    readers[0].close()


@pytest.mark.slow
def test_what_the_companion_holds_is_in_the_bytes(tmp_path, read_at_the_end):
    path, _ = read_at_the_end
    log = path.with_name("s.run-wal")
    assert log.stat().st_size > 10 * path.stat().st_size  # the file alone would be nearly nothing
    elsewhere = tmp_path / "elsewhere.run"
    elsewhere.write_bytes(whole_file(path))
    with closing(RunReader(elsewhere)) as found:
        assert found.steps == 30
        assert found.info["status"] == "finished"
    assert not log.exists() or not log.stat().st_size
    assert whole_file(path) == elsewhere.read_bytes()


@pytest.mark.slow
def test_a_companion_that_lost_commits_is_said(read_at_the_end):
    path, _ = read_at_the_end
    log = path.with_name("s.run-wal")
    log.write_bytes(log.read_bytes()[:-100])
    with pytest.raises(MacroError, match="-wal"):
        whole_file(path)


@pytest.mark.slow
def test_one_that_is_read_meanwhile_is_refused_rather_than_halved(read_at_the_end, monkeypatch):
    path, reader = read_at_the_end
    monkeypatch.setattr("macro_engine.run.store.whole_file.PATIENCE", 0.0)
    reader.connection.execute("BEGIN")
    reader.connection.execute("SELECT count(*) FROM state").fetchone()
    with pytest.raises(MacroError, match="another process reads it"):
        whole_file(path)
