import json
from datetime import UTC, date, datetime

import numpy as np
import polars as pl
import pytest

from macro_engine.core.errors import MacroError
from macro_engine.stream.formats import parquet
from macro_engine.stream.formats.parquet import KEY, ParquetFile, SeriesColumn
from macro_engine.stream.times import iso


def write(tmp_path, frame, **metadata):
    path = tmp_path / "data.parquet"
    frame.write_parquet(path, metadata=metadata or None)
    return path


def test_it_is_read_by_slices_with_row_numbers_from_one(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "SLICE", 4)
    file = ParquetFile(write(tmp_path, pl.DataFrame({"a": range(10), "b": ["x"] * 10})))
    tables = list(file.tables(["a"]))
    assert [t.lines.tolist() for t in tables] == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]
    assert [list(t.columns) for t in tables] == [["a"]] * 3
    assert tables[1].columns["a"].numbers()[0].tolist() == [4.0, 5.0, 6.0, 7.0]
    assert file.done == 1.0


@pytest.mark.parametrize(
    ("values", "numbers", "problems"),
    [
        ([1, 2, None], [1.0, 2.0], {2: "is missing"}),
        ([True, False], [1.0, 0.0], {}),
        (
            np.array([1.0, np.nan, np.inf]),
            [1.0],
            {1: "'nan' is not a finite number", 2: "'inf' is not a finite number"},
        ),
        (["1.5", "x", None], [1.5], {1: "'x' is not a number", 2: "is missing"}),
        (
            [[1], [2]],
            [],
            {0: "is not a number but List(Int64)", 1: "is not a number but List(Int64)"},
        ),
    ],
)
def test_numbers(values, numbers, problems):
    found, why = SeriesColumn(pl.Series(values)).numbers()
    assert [found[i] for i in range(len(found)) if i not in why] == numbers
    assert {i: str(p) for i, p in why.items()} == problems


def test_texts():
    assert SeriesColumn(pl.Series([1, None, 3])).texts() == ["1", "", "3"]
    assert SeriesColumn(pl.Series([1.0, 2.5])).texts() == ["1", "2.5"]
    assert SeriesColumn(pl.Series([True, False])).texts() == ["true", "false"]


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (pl.Series([datetime(2008, 3, 14, 11, 2)]), "2008-03-14T11:02:00"),
        (pl.Series([datetime(2008, 3, 14, 11, 2)], dtype=pl.Datetime("ns")), "2008-03-14T11:02:00"),
        (
            pl.Series([datetime(2008, 3, 14, 11, 2, tzinfo=UTC)]).dt.convert_time_zone(
                "Asia/Tokyo"
            ),
            "2008-03-14T11:02:00",
        ),
        (pl.Series([date(2008, 3, 14)]), "2008-03-14T00:00:00"),
        (pl.Series([1205492520]), "2008-03-14T11:02:00"),
        (pl.Series(["2008-03-14 11:02"]), "2008-03-14T11:02:00"),
    ],
)
def test_times(series, expected):
    column = SeriesColumn(series)
    times, problems = column.times(column.time_reader(None))
    assert iso(int(times[0])) == expected
    assert problems == {}


def test_a_missing_time_is_a_problem():
    column = SeriesColumn(pl.Series([None, datetime(2008, 3, 14)]))
    assert {i: str(p) for i, p in column.times(column.time_reader(None))[1].items()} == {
        0: "is missing"
    }


def test_it_describes_itself(tmp_path):
    frame = pl.DataFrame({"a": [1]})
    assert ParquetFile(write(tmp_path, frame, **{KEY: json.dumps({"label": "a"})})).description == {
        "label": "a"
    }


@pytest.mark.parametrize(
    "text", ["{", "[1]", "[" * 100_000, '{"delta": NaN}', f'{{"delta": {10**400}}}']
)
def test_a_description_that_is_no_json_object_is_refused(tmp_path, text):
    path = write(tmp_path, pl.DataFrame({"a": [1]}), **{KEY: text})
    with pytest.raises(MacroError, match=r"its description .key macro.stream. is not"):
        ParquetFile(path)


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    path = tmp_path / "fake.parquet"
    path.write_bytes(b"PAR1 is how it starts")
    with pytest.raises(MacroError, match=r"fake\.parquet is not a readable Parquet file"):
        ParquetFile(path)


def test_a_name_is_taken_as_it_is_and_not_as_a_pattern(tmp_path):
    pl.DataFrame({"^x.*$": [1.0], "x": [2.0], "*": [3.0]}).write_parquet(tmp_path / "d[1].parquet")
    pl.DataFrame({"^x.*$": [9.0], "x": [9.0], "*": [9.0]}).write_parquet(tmp_path / "d1.parquet")
    (table,) = ParquetFile(tmp_path / "d[1].parquet").tables(["^x.*$", "*"])
    assert table.columns["^x.*$"].numbers()[0].tolist() == [1.0]
    assert table.columns["*"].numbers()[0].tolist() == [3.0]


def test_nested_columns_are_left_out_and_that_is_said(tmp_path):
    frame = pl.DataFrame({"a": [1.0], "s": [{"x": 1}], "l": [[1, 2]]})
    file = ParquetFile(write(tmp_path, frame))
    assert file.names == ["a"]
    assert [note.split(":")[0] for note in file.notes] == ["'s' is left out", "'l' is left out"]


def test_a_date_is_no_number():
    column = SeriesColumn(pl.Series([date(2008, 3, 14)]))
    assert str(column.numbers()[1][0]) == "is not a number but Date"
    assert column.texts() == ["2008-03-14"]


def test_a_file_of_too_many_columns_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("macro_engine.stream.spec.MOST_COLUMNS", 1)
    with pytest.raises(MacroError, match=r"data\.parquet has 2 columns; at most 1 can be read"):
        ParquetFile(write(tmp_path, pl.DataFrame({"a": [1], "b": [2]})))
