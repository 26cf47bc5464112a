from datetime import datetime, timedelta

import polars as pl
import pytest

from macro_engine.core.errors import UsageError
from macro_engine.stream.formats.string_column import StringColumn
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.opening import open_stream
from macro_engine.stream.time_formats import AmbiguousError, format_of, may_be_epochs
from macro_engine.stream.times import time_reader

WRITTEN = {
    "01/31/2024 1:00 PM": "%m/%d/%Y %I:%M %p",
    "31/01/2024": "%d/%m/%Y",
    "31.01.2024 13:00": "%d.%m.%Y %H:%M",
    "2024/01/31 13:00:00": "%Y/%m/%d %H:%M:%S",
    "Jan 31 2024": "%b %d %Y",
    "January 31, 2024": "%B %d, %Y",
    "31/Jan/2024:13:00:00 +0200": "%d/%b/%Y:%H:%M:%S %z",
    "2024-01-31 13:00:00 UTC": "%Y-%m-%d %H:%M:%S UTC",
    "2024-01-31 13:00:00.250 UTC": "%Y-%m-%d %H:%M:%S.%f UTC",
    "Wednesday, 31 January 2024": "%A, %d %B %Y",
    "13:00 31.01.2024": "%H:%M %d.%m.%Y",
    "20240131": "%Y%m%d",
    "20240131130000": "%Y%m%d%H%M%S",
}


@pytest.mark.parametrize(("text", "expected"), WRITTEN.items())
def test_dates_as_people_write_them(text, expected):
    assert format_of([text]) == expected


@pytest.mark.parametrize("text", ["2024-01-31 13:00", "1706702400", "north", "12345678", "3.5", ""])
def test_what_needs_no_format_or_has_none(text):
    assert format_of([text]) is None


def test_a_number_above_12_settles_day_and_month():
    assert format_of(["01/02/2024", "02/02/2024", "13/02/2024"]) == "%d/%m/%Y"
    assert format_of(["01/02/2024", "01/03/2024", "01/13/2024"]) == "%m/%d/%Y"


def test_the_order_settles_day_and_month():
    assert format_of(["11/01/2024", "12/01/2024", "01/02/2024", "02/02/2024"]) == "%d/%m/%Y"


def test_a_file_that_begins_with_the_newest_settles_day_and_month():
    assert format_of(["02/02/2024", "01/02/2024", "12/01/2024", "11/01/2024"]) == "%d/%m/%Y"


def test_rows_in_no_order_do_not_settle_day_and_month():
    days = [(i * 7 % 12 + 1, i * 5 % 11 + 1) for i in range(200)]
    with pytest.raises(AmbiguousError):
        format_of([f"{a:02}/{b:02}/2024" for a, b in days])


def test_what_the_data_do_not_settle_is_asked_for():
    with pytest.raises(AmbiguousError) as found:
        format_of(["01/02/2024", "02/02/2024"])
    assert found.value.formats == ("%m/%d/%Y", "%d/%m/%Y")


def test_a_few_values_may_be_no_times():
    texts = ["31.01.2024"] * 20 + ["unknown", ""]
    assert format_of(texts) == "%d.%m.%Y"


@pytest.mark.parametrize(
    ("number", "expected"), [("1706702400", True), ("1706702400000", True), ("17067", False)]
)
def test_numbers_are_epochs_between_1990_and_2100(number, expected):
    assert may_be_epochs([number]) is expected


@pytest.mark.parametrize("time_format", sorted({*WRITTEN.values(), "%d-%m-%Y", "%d/%m/%y %H:%M"}))
def test_many_at_a_time_are_read_as_one_by_one(time_format):
    start = datetime(2024, 1, 31, 13, 5).astimezone()
    texts = [(start + timedelta(hours=7 * i)).strftime(time_format) for i in range(200)]
    texts += ["", "1/2/2024", "30/02/2024", "99/99/9999", "+1/01/2024", "2024", texts[0] + " "]
    texts += [texts[0].replace("0", ""), texts[0].lower(), "0000" + texts[0][4:]]
    reader = time_reader([], time_format)
    one_by_one = TextColumn(texts).times(reader)
    at_once = StringColumn(pl.Series(texts)).times(reader)
    assert one_by_one[0].tolist() == at_once[0].tolist()
    assert one_by_one[1] == at_once[1]


def opened(tmp_path, times):
    path = tmp_path / "flights.csv"
    lines = [f"{time},{i % 7},{i % 2}" for i, time in enumerate(times)]
    path.write_text("\n".join(["when,a,y", *lines]) + "\n")
    return open_stream([path])


def test_a_stream_gets_the_format_of_its_times(tmp_path):
    days = [f"{1 + i // 24:02}.01.2024 {i % 24:02}:00" for i in range(300)]
    settings = opened(tmp_path, days).settings
    assert settings["time"] == "when"
    assert settings["time_format"] == "%d.%m.%Y %H:%M"
    assert settings.origins["time_format"] == settings.origins["time"]


def test_a_stream_of_which_day_and_month_are_unclear_is_asked_for(tmp_path):
    with pytest.raises(UsageError, match=r"column 'when'.*--time-format '%m/%d/%Y'"):
        opened(tmp_path, ["01/02/2024"] * 100 + ["02/02/2024"] * 100)


def test_a_column_of_small_numbers_is_no_time(tmp_path):
    assert opened(tmp_path, range(300)).settings.get("time") is None
