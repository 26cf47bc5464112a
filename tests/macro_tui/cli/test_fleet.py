"""`macro-tui fleet` as it is typed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_fleets import rows

from macro_engine.core.errors import MacroError
from macro_tui.app import Options
from macro_tui.cli import main
from macro_tui.wall_app import WallMonitor

SETTINGS = ["--label", "y", "--classes", "p,q", "--every", "10", "--history", "1", "--thresholds", ".1,.5", "--strategies", "ftl", "--scale", "none"]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the streams: macro-tui fleet a.csv b.csv --to runs"),
        (["a.csv", "--workers", "0"], "--workers 0: write 1 or more"),
        (["-"], "standard input is one stream; use tail"),
        (["a.csv", "./a.csv"], "./a.csv is named twice"),
        (["a.csv", "--from-now"], "are for live files; name them with --live"),
        (["a.csv", "--alarm", "ftl is bad"], "--alarm"),
        (["a.csv", "--scheduler", "tcp://127.0.0.1:9", "--on-alarm", "true"], "--on-alarm: the streams run elsewhere"),
        (["a.csv", "--thresholds", "x"], "--thresholds"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_all_streams_is_said_at_once(
    arguments, said, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main(["fleet", *arguments, "--to", "runs"]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob("runs/*"))


def test_a_folder_that_cannot_be_made_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["fleet", "a.csv", "--to", str(tmp_path / "file")]) == 1
    assert "name a folder" in capsys.readouterr().err


def test_a_run_that_was_left_cannot_end_the_wall():
    wall = WallMonitor([], Options("fleet"))

    class Followed:
        error = None

    wall.wall = Followed()
    wall.fail(MacroError("Cannot operate on a closed database"))
    assert wall.error is None


@pytest.mark.slow
def test_one_document_with_an_entry_a_stream_and_the_second_start_goes_on(tmp_path, capsys):
    for number in range(3):
        (tmp_path / f"s{number}.csv").write_text("a,y\n" + rows(300, number))
    (tmp_path / "bad.csv").write_text("a,y\n")
    paths = [str(tmp_path / name) for name in ("s0.csv", "s1.csv", "s2.csv", "bad.csv", "none.csv")]
    command = [
        "fleet",
        *paths,
        "--to",
        str(tmp_path / "runs"),
        "--workers",
        "2",
        "--json",
        *SETTINGS,
    ]
    for _ in range(2):
        assert main(command) == 1
        captured = capsys.readouterr()
        found = json.loads(captured.out)
        assert [one["state"] for one in found["streams"]] == ["finished"] * 3 + ["failed"] * 2
        assert found["failed"] == 2
        assert found["streams"][0]["summary"]["rows"] == 300
        assert found["streams"][4]["error"].endswith("none.csv: no such file")
        assert captured.err.count("none.csv: no such file") == 2  # when it fails, and at the end
    alarmed = ["fleet", *paths[:2], "--to", str(tmp_path / "again"), "--workers", "1", *SETTINGS]
    assert main([*alarmed, "--headless", "--alarm", "birth", "--fail-on-alarm"]) == 3
    assert main([*alarmed, "--headless"]) == 0


@pytest.mark.slow
def test_ctrl_c_commits_what_was_read_and_leaves_no_process(tmp_path):
    for number in range(3):
        (tmp_path / f"live{number}.csv").write_text("a,y\n" + rows(600, number))
    process = subprocess.Popen(
        [sys.executable, "-m", "macro_tui", "fleet", "--live", *sorted(map(str, tmp_path.glob("live*.csv"))),
         "--to", str(tmp_path / "runs"), "--workers", "1", "--json", *SETTINGS],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 90
    while len(list(tmp_path.glob("runs/*.run"))) < 3 and time.monotonic() < until:
        time.sleep(0.2)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert [one["summary"]["rows"] for one in json.loads(out)["streams"]] == [600] * 3
    assert {path.suffix for path in Path(tmp_path / "runs").iterdir()} == {".run"}
    assert subprocess.run(["pgrep", "-g", str(process.pid)], check=False).returncode == 1
