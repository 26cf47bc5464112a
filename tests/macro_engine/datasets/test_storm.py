"""The week that the demo plays."""

import csv
from datetime import datetime, timedelta
from itertools import pairwise

import polars as pl
import pytest

from macro_engine.datasets import storm_feed
from macro_engine.datasets.storm import Storm
from macro_tui.replays import find_recording

CHICAGO = find_recording("airline-ORD.parquet")


def late_share(begin, days):
    rows = pl.read_parquet(CHICAGO).filter(
        pl.col("date").is_between(begin, begin + timedelta(days=days), closed="left")
    )
    return (rows["delay"] > 15).mean()


def test_the_week_is_stormy_after_calm_days():
    begins = Storm().begins
    assert late_share(begins - timedelta(days=4), 4) < 0.2
    assert max(late_share(begins + timedelta(days=day), 1) for day in range(7)) > 0.6


def test_what_lies_before_is_written_at_once_and_the_rest_at_its_pace(tmp_path, monkeypatch):
    storm = Storm(begins=datetime(2001, 4, 5, 12), days=0.02, before=0.1)
    moments = []
    monkeypatch.setattr("macro_engine.datasets.player.sleep", moments.append)
    monkeypatch.setattr(
        "macro_engine.run.clock.Clock.elapsed", property(lambda _clock: float(len(moments)))
    )
    path = tmp_path / "live.csv"
    before = {}

    class Watched(storm_feed.Player):
        def _write(self, lines):
            super()._write(lines)
            before[len(moments)] = before.get(len(moments), 0) + len(lines)

    monkeypatch.setattr(storm_feed, "Player", Watched)
    storm_feed.feed(CHICAGO, storm, path, multiple=60.0)
    with path.open() as file:
        times = [datetime.fromisoformat(row["date"]) for row in csv.DictReader(file)]
    early = sum(time < storm.begins for time in times)
    assert early > 20
    assert len(times) - early > 5
    assert before[0] >= early + 1  # and the header
    assert len(before) > 3
    assert all(a <= b for a, b in pairwise(times))


def test_the_week_waits_until_whoever_reads_has_caught_up(tmp_path, monkeypatch):
    storm = Storm(begins=datetime(2001, 4, 5, 12), days=0.01, before=0.1)
    path = tmp_path / "live.csv"
    seen = []

    def may_begin():
        seen.append(path.read_text().splitlines()[1:])
        return len(seen) > 3

    monkeypatch.setattr("macro_engine.datasets.player.sleep", lambda _seconds: None)
    storm_feed.feed(CHICAGO, storm, path, multiple=1e9, may_begin=may_begin)
    every = path.read_text().splitlines()[1:]
    early = [row for row in every if row.split(",")[0] < storm.begins.isoformat()]
    assert 0 < len(early) < len(every)
    assert seen[1:] == [early] * 3


def test_what_lies_before_is_read_when_only_its_last_step_is_open():
    storm = Storm()
    assert not storm.is_reached(None)
    assert not storm.is_reached(storm.microseconds - 2 * 3_600_000_000)
    assert storm.is_reached(storm.microseconds - 1_200_000_000)


@pytest.mark.parametrize("airport", ["ATL", "DEN", "DFW", "IAH", "LAS", "ORD", "PHX"])
def test_every_shipped_airport_has_the_week(airport, tmp_path):
    path = tmp_path / "cut.parquet"
    storm_feed.cut(find_recording(f"airline-{airport}.parquet"), Storm(before=0.0), path)
    assert pl.read_parquet(path).height > 1000
