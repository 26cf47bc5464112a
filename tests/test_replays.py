"""The shipped replays, wherever they are installed."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from macro_engine.stream.opening import open_stream
from macro_tui.replays import find_recording, shipped_replays

ARRIVALS = {
    "ATL": 124_232,
    "ORD": 165_573,
    "DFW": 156_515,
    "PHX": 92_767,
    "LAS": 67_424,
    "DEN": 66_799,
    "IAH": 64_373,
}


def test_there_is_one_for_each_airport_of_the_paper():
    assert {p.name for p in shipped_replays()} == {f"airline-{a}.parquet" for a in ARRIVALS}


@pytest.mark.parametrize("airport", ARRIVALS)
def test_each_describes_itself_and_is_small(airport):
    path = find_recording(f"airline-{airport}.parquet")
    assert path.stat().st_size < 2_000_000
    opened = open_stream([path])
    assert opened.files[0].size == ARRIVALS[airport]
    assert "inferred" not in opened.settings.origins.values()
    settings = opened.settings
    assert (settings["distance"], settings["history"], settings["every"]) == ("labels", 6, "10m")
    assert settings["label"] == "delay > 15"
    assert len(settings["features"]) == 4
    assert settings["categorical"] == ["weekday", "origin"]
    assert set(settings["bounds"]) == set(settings["features"])
    dates = pl.read_parquet(path, columns=["date"])["date"]
    assert dates.is_sorted()


def test_a_file_in_the_working_folder_comes_first(tmp_path, monkeypatch):
    (tmp_path / "airline-ATL.parquet").write_bytes(b"mine")
    monkeypatch.chdir(tmp_path)
    assert find_recording("airline-ATL.parquet") == Path("airline-ATL.parquet")


@pytest.mark.slow
def test_they_are_found_from_any_folder(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "macro_tui", "inspect", "airline-IAH.parquet"],
        cwd=tmp_path,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "64,373 rows" in done.stdout
