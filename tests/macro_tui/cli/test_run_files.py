"""`--run`, `export` and `runs`, as a user types them."""

import json
import os

import polars as pl
import pytest
from made_runs import engine, run, run_until, write_stream

from macro_tui.cli import main


@pytest.fixture
def stream(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_stream(tmp_path / "d.csv", garbage=0.02)


OPTIONS = ["--time", "when", "--label", "late", "--features", "a,b", "--every", "30m", "--headless"]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_an_export_is_what_the_run_wrote(stream, tmp_path, capsys, kind):
    files = ["--predictions", f"p.{kind}", "--trace", f"t.{kind}"]
    assert main(["replay", "d.csv", *OPTIONS, "--run", "a.run", *files, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert main(["export", "a.run", "--to", "out/deep", "--format", kind]) == 0
    out = tmp_path / "out" / "deep"
    assert capsys.readouterr().out.split() == [
        f"out/deep/{n}"
        for n in (f"predictions.{kind}", f"trace.{kind}", f"events.{kind}", "rejected.csv")
    ]
    assert (out / f"predictions.{kind}").read_bytes() == (tmp_path / f"p.{kind}").read_bytes()
    assert (out / f"trace.{kind}").read_bytes() == (tmp_path / f"t.{kind}").read_bytes()
    events = (
        pl.read_parquet(out / "events.parquet")
        if kind == "parquet"
        else pl.read_csv(out / "events.csv")
    )
    assert events.columns == ["step", "time", "kind", "text"]
    rejected = pl.read_csv(out / "rejected.csv")
    assert rejected.columns == ["file", "line", "column", "reason", "text"]
    assert len(rejected) == summary["rejected"] > 0
    lines = stream.read_text().splitlines()
    assert all("oops" in lines[line - 1] for line in rejected["line"])


def test_the_same_command_goes_on(stream, capsys):
    run_until(engine(stream, stream.parent / "a.run"), 10)
    arguments = [
        "replay",
        "d.csv",
        *OPTIONS,
        "--categorical",
        "place",
        "--history",
        "3",
        "--strategies",
        "ftl,ewa",
    ]
    assert main([*arguments, "--run", "a.run"]) == 0
    assert "resuming after" in capsys.readouterr().err
    assert main([*arguments, "--run", "a.run", "--distance", "features"]) == 1
    assert "--distance was" in capsys.readouterr().err


def test_names_that_cannot_be_run_files_are_refused(stream, capsys):
    assert main(["replay", "d.csv", *OPTIONS, "--run", "d.csv"]) == 2
    assert "is read in this run" in capsys.readouterr().err
    assert main(["replay", "d.csv", *OPTIONS, "--run", "."]) == 2
    stream.with_suffix(".run").write_text("not one")
    assert main(["replay", "d.csv", *OPTIONS, "--run", "d.run"]) == 1
    assert "d.run" in capsys.readouterr().err
    assert stream.with_suffix(".run").read_text() == "not one"


def test_runs_are_listed_with_their_state(stream, tmp_path, capsys):
    run(engine(stream, tmp_path / "whole.run"))
    run_until(engine(stream, tmp_path / "part.run"), 10)
    (tmp_path / "junk.run").write_bytes(bytes(9000))
    live = engine(stream, tmp_path / "live.run")
    live.checkpoint.open(tmp_path / "live.run", None)
    assert main(["runs"]) == 0
    out = capsys.readouterr().out
    live.recorder.close()
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert "finished" in lines["whole.run"]
    assert "stopped" in lines["part.run"]
    assert "not a run file" in lines["junk.run"]
    assert f"running (pid {os.getpid()})" in lines["live.run"]
    assert main(["runs", "nowhere"]) == 1


def test_nothing_to_export_is_said(tmp_path, capsys):
    assert main(["export", str(tmp_path / "no.run"), "--to", str(tmp_path / "x")]) == 1
    assert "no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.run", "a.run is not a folder; to look at a run file: macro-tui watch FILE"),
        ("no", "no: no such folder"),
    ],
)
def test_runs_of_what_is_no_folder_are_refused(name, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").touch()
    assert main(["runs", name]) == 1
    assert expected in capsys.readouterr().err
