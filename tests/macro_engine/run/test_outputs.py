"""Result files, against the run that they record."""

import json

import numpy as np
import polars as pl
import pytest

from macro_tui.cli import main


def replay(tmp_path, *options, name="d.csv", rows=40):
    lines = [f"2020-01-01 {i // 6:02}:{i % 6}0,{i % 5},{'pq'[i % 3 == 0]}" for i in range(rows)]
    (tmp_path / name).write_text("t,a,y\n" + "\n".join(lines) + "\n")
    return main(["replay", str(tmp_path / name), "--headless", "--every", "30m", *options])


def test_predictions_have_a_row_for_each_accepted_row(tmp_path, capsys):
    out = tmp_path / "p.parquet"
    assert replay(tmp_path, "--predictions", str(out), "--thresholds", ".2,.1", "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    frame = pl.read_parquet(out)
    assert frame.columns == [
        "row",
        "step",
        "time",
        "label",
        "marginal",
        "no_change",
        "ftl",
        "ewa",
        "blend",
        "t0",
        "t1",
        "p_p",
        "p_q",
    ]
    assert np.allclose(frame["p_p"] + frame["p_q"], 1.0)
    assert frame["row"].to_list() == list(range(40))
    assert frame["step"].to_list() == [i // 3 for i in range(40)]
    assert frame["time"].dtype == pl.Datetime("us")
    assert set(frame["label"]) == {"p", "q"}
    for name, error in summary["errors"].items():
        assert (frame[name] != frame["label"]).mean() == error
    for k, threshold in enumerate(summary["thresholds"]):
        assert threshold["threshold"] == [0.1, 0.2][k]
        assert (frame[f"t{k}"] != frame["label"]).mean() == threshold["error"]


def test_the_trace_has_a_row_for_each_step_and_threshold(tmp_path):
    out = tmp_path / "t.csv"
    assert replay(tmp_path, "--trace", str(out), "--thresholds", ".2,.1") == 0
    lines = out.read_text().splitlines()
    assert lines[0] == "step,time,rows,history,threshold,active,subroutines,born,distance,close"
    assert lines[1] == "0,2020-01-01T00:00:00,3,1,0.1,1,1,true,,1"
    assert lines[2] == "0,2020-01-01T00:00:00,3,1,0.2,1,1,true,,1"
    assert lines[5] == "2,2020-01-01T01:00:00,3,1,0.1,2,2,false,0.0,1"
    assert len(lines) == 1 + 2 * 14


def test_csv_and_parquet_hold_the_same(tmp_path):
    for kind in ("predictions", "trace"):
        for suffix in ("csv", "parquet"):
            replay(tmp_path, f"--{kind}", str(tmp_path / f"{kind}.{suffix}"))
        table = pl.read_parquet(tmp_path / f"{kind}.parquet")
        text = pl.read_csv(tmp_path / f"{kind}.csv", schema_overrides=table.schema)
        assert text.equals(table)


def test_without_a_time_column_times_are_empty(tmp_path):
    (tmp_path / "n.csv").write_text("a,y\n1,p\n2,q\n")
    out = tmp_path / "p.csv"
    assert (
        main(["replay", str(tmp_path / "n.csv"), "--predictions", str(out), "--thresholds", "1"])
        == 0
    )
    assert out.read_text().splitlines()[1] == "0,0,,p,p,p,p,p,p,p,p,0.5,0.5"


def test_many_parts_make_one_file(tmp_path, monkeypatch):
    from macro_engine.run import outputs

    replay(tmp_path, "--predictions", str(tmp_path / "one.parquet"))
    monkeypatch.setattr(outputs, "_ROWS_A_PART", 2)
    replay(tmp_path, "--predictions", str(tmp_path / "many.parquet"))
    assert pl.read_parquet(tmp_path / "many.parquet").equals(
        pl.read_parquet(tmp_path / "one.parquet")
    )


def test_a_run_that_fails_leaves_nothing_behind(tmp_path):
    (tmp_path / "bad.csv").write_text("a,y\n" + "1,p\n2,q\n" * 300)
    (tmp_path / "breaks.py").write_text(
        "class Breaks:\n"
        "    def learn_one(self, x, y): 1 / 0\n"
        "    def predict_one(self, x): return False\n"
    )
    out = tmp_path / "p.parquet"
    assert (
        _in(
            tmp_path,
            [
                "replay",
                "bad.csv",
                "--subroutine",
                "python:breaks:Breaks",
                "--predictions",
                str(out),
            ],
        )
        == 1
    )
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "__pycache__") == [
        "bad.csv",
        "breaks.py",
    ]


def _in(folder, arguments):
    import os

    before = os.getcwd()
    os.chdir(folder)
    try:
        return main(arguments)
    finally:
        os.chdir(before)


@pytest.mark.parametrize("option", ["--predictions", "--trace"])
def test_a_name_without_a_known_ending_is_refused(tmp_path, capsys, option):
    assert replay(tmp_path, option, str(tmp_path / "x.json")) == 2
    assert "must end in .parquet or .csv" in capsys.readouterr().err


def test_a_folder_that_does_not_exist_is_said(tmp_path, capsys):
    assert replay(tmp_path, "--trace", str(tmp_path / "no" / "x.csv")) == 1
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_distances_are_written_to_the_last_bit(tmp_path):
    replay(tmp_path, "--trace", str(tmp_path / "t.csv"), "--trace", str(tmp_path / "t.csv"))
    replay(tmp_path, "--trace", str(tmp_path / "t.parquet"))
    exact = pl.read_parquet(tmp_path / "t.parquet")["distance"].to_numpy()
    text = pl.read_csv(tmp_path / "t.csv")["distance"].to_numpy()
    assert np.array_equal(exact, text, equal_nan=True)


def test_the_input_and_other_results_are_not_overwritten(tmp_path, capsys):
    assert replay(tmp_path, "--predictions", str(tmp_path / "d.csv")) == 2
    assert "d.csv is read in this run" in capsys.readouterr().err
    assert (tmp_path / "d.csv").read_text().startswith("t,a,y")
    same = str(tmp_path / "same.csv")
    assert replay(tmp_path, "--predictions", same, "--trace", same) == 2
    assert "same.csv is written by --predictions already" in capsys.readouterr().err


def test_names_with_brackets_are_names(tmp_path):
    out = tmp_path / "o[1].csv"
    assert replay(tmp_path, "--predictions", str(out), name="d[1].csv") == 0
    assert len(out.read_text().splitlines()) == 41


@pytest.mark.parametrize("option", ["--predictions", "--trace"])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_is_written_through(tmp_path, option, is_there):
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "real.csv", tmp_path / "link.csv"
    if is_there:
        target.write_text("of an earlier run")
    link.symlink_to(target)
    assert replay(tmp_path, option, str(link)) == 0
    assert link.is_symlink()
    assert target.read_text().startswith(("row,step", "step,time"))
    assert [path.name for path in target.parent.iterdir()] == ["real.csv"]


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("/dev/null", "link.csv is not a regular file; name another one"),
        (".", "link.csv is a folder; name a file"),
        ("link.csv", "link.csv is a link that leads in a circle"),
        ("d.csv", "link.csv is read in this run"),
    ],
)
def test_a_link_to_what_must_not_be_written_is_refused(tmp_path, capsys, target, says):
    (tmp_path / "link.csv").symlink_to(target)
    for option in ("--predictions", "--trace", "--run"):
        assert replay(tmp_path, option, str(tmp_path / "link.csv")) == 2
        said = capsys.readouterr().err
        assert f"{option}: " in said
        assert says in said


def test_an_export_writes_through_links_and_leaves_no_half_file(tmp_path):
    replay(tmp_path, "--run", str(tmp_path / "a.run"))
    out, real = tmp_path / "out", tmp_path / "real"
    out.mkdir()
    real.mkdir()
    names = ["events.csv", "predictions.csv", "rejected.csv", "trace.csv"]
    for name in names:
        (out / name).symlink_to(real / name)
    assert main(["export", str(tmp_path / "a.run"), "--to", str(out), "--format", "csv"]) == 0
    assert sorted(path.name for path in real.iterdir()) == names
    assert all((out / name).is_symlink() for name in names)
