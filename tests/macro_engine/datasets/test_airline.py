"""From the original DataExpo files to the paper's stream."""

import bz2
import gzip
import json

import numpy as np
import polars as pl
import pytest

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.datasets.airline import prepare, scheduled_arrival
from macro_engine.stream.formats.parquet import KEY
from macro_engine.stream.times import iso
from macro_tui.cli import main

HEADER = (
    "Year,Month,DayofMonth,DayOfWeek,DepTime,CRSDepTime,ArrTime,CRSArrTime,UniqueCarrier,FlightNum,"
    "TailNum,ActualElapsedTime,CRSElapsedTime,AirTime,ArrDelay,DepDelay,Origin,Dest,Distance,TaxiIn,"
    "TaxiOut,Cancelled,CancellationCode,Diverted,CarrierDelay,WeatherDelay,NASDelay,SecurityDelay,"
    "LateAircraftDelay\n"
)


def flight(
    day=1, dep=900, arr=1000, elapsed=60, delay=5, dest="ATL", cancelled=0, diverted=0, carrier="DL"
):
    return (
        f"2008,1,{day},2,{dep},{dep},{arr},{arr},{carrier},77,N1,60,{elapsed},50,{delay},0,LAX,{dest},"
        f'500,5,5,{cancelled},"",{diverted},NA,NA,NA,NA,NA\n'
    )


def prepared(tmp_path, *texts, airport="ATL", compress=bytes):
    paths = []
    for i, text in enumerate(texts):
        paths.append(tmp_path / f"{i}.csv")
        paths[-1].write_bytes(compress((HEADER + text).encode()))
    out = tmp_path / "out.parquet"
    return prepare(paths, airport, out), out


def test_two_that_make_one_recording_at_once_do_not_meet(tmp_path, monkeypatch):
    write, waiting = pl.DataFrame.write_parquet, [True]

    def meanwhile(frame, place, **options):
        write(frame, place, **options)
        if waiting.pop():
            waiting.append(False)
            prepare([tmp_path / "0.csv"], "ATL", tmp_path / "out.parquet")  # the other one

    monkeypatch.setattr(pl.DataFrame, "write_parquet", meanwhile)
    found, out = prepared(tmp_path, flight())
    assert found.arrivals == pl.read_parquet(out).height == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.csv", "out.parquet"]


@pytest.mark.parametrize(
    ("dep", "arr", "elapsed", "expected"),
    [
        (900, 1000, 60, "2008-01-01T10:00:00"),
        (2330, 45, 75, "2008-01-02T00:45:00"),  # past midnight
        (2330, 2400, 30, "2008-01-02T00:00:00"),
        (2355, 5, 10, "2008-01-02T00:05:00"),
        (1000, 955, 55, "2008-01-01T09:55:00"),  # an hour west: earlier than it left
        (10, 2355, 45, "2007-12-31T23:55:00"),  # an hour west across midnight
        (1300, 500, 600, "2008-01-02T05:00:00"),  # Honolulu to the east overnight
        (2400, 130, 90, "2008-01-02T01:30:00"),
    ],
)
def test_the_scheduled_arrival_has_the_right_date(dep, arr, elapsed, expected):
    minutes = scheduled_arrival(*(np.array([v]) for v in (2008, 1, 1, dep, arr, elapsed)))
    assert iso(int(minutes[0]) * 60_000_000) == expected


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress])
def test_arrivals_are_sorted_by_schedule_and_stably(tmp_path, compress):
    first = flight(arr=1200, delay=1) + flight(arr=1000, delay=2) + flight(arr=1000, delay=3)
    second = flight(arr=1100, delay=4) + flight(dest="ORD")
    result, out = prepared(tmp_path, first, second, compress=compress)
    frame = pl.read_parquet(out)
    assert frame["delay"].to_list() == [2, 3, 4, 1]
    # when each label was known, for --label-time
    minutes = (frame["landed"] - frame["arrival"]).dt.total_minutes()
    assert minutes.to_list() == frame["delay"].to_list()
    assert (result.rows, result.arrivals) == (5, 4)


def test_what_is_left_out_is_counted(tmp_path):
    text = (
        flight()
        + flight(cancelled=1, delay="NA")
        + flight(diverted=1, delay="NA")
        + flight(delay="NA")
        + "broken\n"
    )
    result, _ = prepared(tmp_path, text)
    assert (result.arrivals, result.cancelled, result.diverted) == (1, 1, 1)
    assert (result.unusable, result.broken) == (1, 1)
    assert result.first_unusable == "0.csv, line 5"


def test_the_recording_describes_itself(tmp_path):
    _, out = prepared(tmp_path, flight() + flight(day=5, carrier="AA", delay=16))
    description = json.loads(pl.read_parquet_metadata(out)[KEY])
    assert description["label"] == "delay > 15"
    assert description["categorical"] == ["weekday", "carrier", "origin"]
    frame = pl.read_parquet(out)
    assert frame["weekday"].to_list() == ["Tue", "Sat"]
    assert frame["time_of_day"].to_list() == [10 / 24, 10 / 24]
    assert main(["replay", str(out), "--headless"]) == 0


def test_an_airport_without_arrivals_is_refused_with_those_that_have_some(tmp_path):
    with pytest.raises(UsageError, match=r"no flight arrives at 'QQQ'.*most arrive at: ORD, ATL"):
        prepared(tmp_path, flight() + flight(dest="ORD") * 2, airport="QQQ")


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="is not a DataExpo airline file: it has no column 'Year'"):
        prepare([tmp_path / "x.csv"], "ATL", tmp_path / "out.parquet")
    with pytest.raises(MacroError, match=r"none\.csv cannot be opened: No such file"):
        prepare([tmp_path / "none.csv"], "ATL", tmp_path / "out.parquet")


def test_the_command_says_what_it_did(tmp_path, capsys):
    raw = tmp_path / "2008.csv"
    raw.write_text(HEADER + flight() + flight(cancelled=1))
    out = tmp_path / "airline-ATL.parquet"
    assert main(["prepare", "airline", str(raw), "--airport", "ATL", "--out", str(out)]) == 0
    said = capsys.readouterr().err
    assert "1 arrivals at ATL of 2 flights read; left out: 1 cancelled, 0 diverted" in said
    assert main(["prepare", "airline", str(raw), "--airport", "ATL", "--out", "x.csv"]) == 2
    link = tmp_path / "link.parquet"
    link.symlink_to(out)
    before = out.stat().st_ino
    assert main(["prepare", "airline", str(raw), "--airport", "ATL", "--out", str(link)]) == 0
    assert link.is_symlink()
    assert out.stat().st_ino != before


@pytest.mark.parametrize(
    "row",
    [
        flight(delay=-140_000),
        flight().replace(",500,", ",81000,"),
        flight(day=33),
        flight(arr=2460),
        flight(arr=975),
        flight().replace("2008,1,", "1e18,1,"),
        flight().replace("2008,1,", "2008,13,"),
    ],
)
def test_numbers_that_make_no_sense_are_left_out_and_counted(tmp_path, row):
    result, _ = prepared(tmp_path, flight() + row)
    assert (result.arrivals, result.unusable) == (1, 1)


@pytest.mark.parametrize("elapsed", ["NA", "abc", "inf", "99999"])
def test_a_duration_that_makes_no_sense_is_estimated(tmp_path, elapsed):
    result, out = prepared(tmp_path, flight(dep=2330, arr=45, elapsed=elapsed))
    assert result.arrivals == 1
    assert str(pl.read_parquet(out)["arrival"][0]) == "2008-01-02 00:45:00"


def test_a_folder_that_does_not_exist_is_said_before_anything_is_read(tmp_path):
    with pytest.raises(MacroError, match="its folder does not exist"):
        prepare([tmp_path / "none.csv"], "ATL", tmp_path / "no" / "out.parquet")
