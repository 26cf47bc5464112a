"""Which streams the experiment on flights runs over."""

import pytest

from macro_engine.core.errors import UsageError
from macro_engine.experiments.airline_data import recordings

HEADER = (
    "Year,Month,DayofMonth,CRSDepTime,CRSArrTime,ArrDelay,Distance,CRSElapsedTime,UniqueCarrier,"
    "Origin,Dest,Cancelled,Diverted\n"
)


def raw(path, *airports):
    rows = [
        f"2008,1,{day},900,1000,{5 * day},500,60,DL,LAX,{a},0,0\n"
        for a in airports
        for day in (1, 9)
    ]
    path.write_text(HEADER + "".join(rows))
    return path


def test_raw_files_become_recordings_of_those_airports_that_they_have(tmp_path):
    found = recordings([raw(tmp_path / "2008.csv", "LAS", "ATL", "JFK")], [], tmp_path / "made")
    assert list(found) == ["ATL", "LAS"]  # in the order of the paper; JFK is none of its airports
    assert all(path.is_file() for path in found.values())


def test_they_are_made_once(tmp_path):
    file = raw(tmp_path / "2008.csv", "ATL")
    read = []
    first = recordings([file], [], tmp_path, lambda done, _rows: read.append(done))
    assert read
    read.clear()
    assert recordings([file], ["ATL"], tmp_path, lambda done, _rows: read.append(done)) == first
    assert read == []
    raw(file, "ATL", "ATL")
    assert recordings([file], ["ATL"], tmp_path) != first  # another content


def test_an_airport_that_was_named_must_be_there(tmp_path):
    file = raw(tmp_path / "2008.csv", "ATL")
    with pytest.raises(UsageError, match="no flight arrives at 'DEN'"):
        recordings([file], ["DEN"], tmp_path)
    with pytest.raises(UsageError, match="no flight arrives at ATL, ORD"):
        recordings([raw(tmp_path / "x.csv", "JFK")], [], tmp_path)


def test_a_folder_of_recordings_and_what_is_wrong_with_others(tmp_path):
    for name in ("airline-DEN.parquet", "airline-ATL.parquet"):
        (tmp_path / name).write_bytes(b"")
    assert list(recordings([tmp_path], [], tmp_path)) == ["ATL", "DEN"]
    assert list(recordings([tmp_path], ["DEN"], tmp_path)) == ["DEN"]
    with pytest.raises(UsageError, match="two recordings of DEN"):
        recordings([tmp_path, tmp_path / "airline-DEN.parquet"], [], tmp_path)
    odd = tmp_path / "flights.parquet"
    odd.write_bytes(b"")
    with pytest.raises(UsageError, match="name a recording after its airport"):
        recordings([odd], [], tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="neither recordings"):
        recordings([tmp_path / "empty"], [], tmp_path)
