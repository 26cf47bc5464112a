"""Run files of version 1 are read, watched and exported, but not resumed."""

import asyncio
import csv
import hashlib
import io
from contextlib import closing

import pytest
from made_runs import engine, live_engine, run, run_until_read, unpacked, write_stream
from made_sessions import until

from macro_engine.core.errors import MacroError
from macro_engine.core.members import grid
from macro_engine.run.export import export
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.watched import WatchedRun
from macro_tui.cli import main

# of what version 0.1.0 exported from these files
EXPORTED = {
    "version1-replay": {
        "predictions.csv": "6fed719f0ae0e1eb",
        "trace.csv": "38906c8a3c083129",
        "events.csv": "d25156d3c61746d4",
        "rejected.csv": "32e41572a5332bb4",
    },
    "version1-tail": {
        "predictions.csv": "53a243e16bb8ff26",
        "trace.csv": "d8d08a0a13244ea9",
        "events.csv": "aced15d6e30d9a24",
        "rejected.csv": "32e41572a5332bb4",
    },
}
REPLAY = {"distance": "labels", "thresholds": "0.005,0.05,0.1,0.3"}
TAIL = {"distance": "features", "thresholds": "0.2,0.3,0.4"}


def digests(files):
    return {path.name: hashlib.sha256(as_it_was(path)).hexdigest()[:16] for path in files}


def as_it_was(path):
    """The file without the columns that version 0.1.0 did not write."""
    with path.open(newline="") as file:
        names, *rows = csv.reader(file)
    kept = [i for i, name in enumerate(names) if name != "history" and not name.startswith("p_")]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([row[i] for i in kept] for row in (names, *rows))
    return text.getvalue().encode()


def results_of(path):
    """What is exported of the results; events may be worded otherwise by now."""
    exported = export(path, path.parent / "out", ".csv")
    return digests(file for file in exported.files if file.name != "events.csv")


@pytest.fixture
def stream(tmp_path):
    """The stream that those runs read."""
    return write_stream(tmp_path / "v1.csv", rows=1200, garbage=0.01)


def learnt_bounds(stream):
    """Those that version 0.1.0 took from the first 500 usable rows."""
    with stream.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["a"] != "oops"][:500]
    values = {name: [float(row[name]) for row in rows] for name in ("a", "b")}
    return {name: [min(numbers), max(numbers)] for name, numbers in values.items()}


@pytest.mark.parametrize("name", EXPORTED)
def test_it_is_exported_as_it_always_was(name, tmp_path):
    exported = export(unpacked(name, tmp_path / "a.run"), tmp_path / "out", ".csv")
    assert not exported.damage
    assert digests(exported.files) == EXPORTED[name]


def test_a_new_run_is_exported_as_version_1_exported_it(stream, tmp_path):
    run(engine(stream, tmp_path / "a.run", bounds=learnt_bounds(stream), **REPLAY))
    assert results_of(tmp_path / "a.run") == results_of(unpacked("version1-replay", tmp_path / "b"))


def test_a_new_tail_is_exported_as_version_1_exported_it(stream, tmp_path):
    bounds = learnt_bounds(stream)
    run_until_read(live_engine(stream, tmp_path / "a.run", bounds=bounds, **TAIL), 1200)
    assert results_of(tmp_path / "a.run") == results_of(unpacked("version1-tail", tmp_path / "b"))


def test_it_is_watched(tmp_path):
    watching = WatchedRun(unpacked("version1-tail", tmp_path / "a.run"))
    watching.start()
    try:
        asyncio.run(until(lambda: watching.error or watching.snapshot.state == "stopped"))
        assert watching.error is None
        assert watching.history.steps == 119
        moment = watching.history.moment(100)
        assert (moment.list_steps == 100).all()  # every list is there
        assert (moment.nearest[:, 0] > 0).all()
        assert watching.updates(0) is not None
    finally:
        watching.stop(60)
        watching.close()


def test_check_says_that_it_has_no_checksums(tmp_path, capsys):
    path = unpacked("version1-replay", tmp_path / "a.run")
    assert main(["runs", "--check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "version 1, which has no checksums" in said
    assert "whole: steps 0 to 119" in said


def test_resuming_it_is_refused_with_the_way_to_a_new_run(stream, tmp_path):
    path = unpacked("version1-replay", tmp_path / "a.run")
    before = path.read_bytes()
    with pytest.raises(MacroError, match=r"not resumed.* --run .*a-2\.run"):
        run(engine(stream, path, **REPLAY))
    assert path.read_bytes() == before


def test_series_and_members_have_names(tmp_path):
    with closing(RunReader(unpacked("version1-tail", tmp_path / "a.run"))) as reader:
        assert reader.names.series == ("marginal", "no_change", "ftl", "ewa")
        assert reader.names.members == grid([3], [0.2, 0.3, 0.4])
