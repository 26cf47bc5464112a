"""Rows of a recording in the order of their times."""

import polars as pl
import pytest

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.options.settings import Layer
from macro_engine.stream import sorting
from macro_engine.stream.opening import open_stream
from macro_engine.stream.table import Rejections

ROWS = [(f"2024-01-0{9 - i % 9}", i, "pq"[i % 2]) for i in range(40)]


def write(tmp_path, name):
    path = tmp_path / name
    frame = pl.DataFrame(ROWS, schema=["t", "a", "y"], orient="row")
    if name.endswith("csv"):
        path.write_text(frame.write_csv() + "oops\n" + "2024-01-05,x,p\nnever,1,p\n")
    else:
        frame.with_columns(pl.col("t").str.to_date()).write_parquet(path)
    return path


def opened(path, **options):
    layer = Layer.read("test", {"features": "a", "sort": True, **options}, of_user=True)
    return open_stream([path], [layer])


@pytest.mark.parametrize("name", ["d.csv", "d.parquet"])
def test_rows_come_in_the_order_of_their_times_and_keep_it_where_they_are_equal(tmp_path, name):
    source = opened(write(tmp_path, name)).reader(Rejections()).source
    (table,) = source.poll()
    times, numbers = table.columns["t"].texts(), table.columns["a"].texts()
    found = list(zip(times, map(str, numbers), strict=True))[: len(ROWS) - 1]
    expected = sorted(((t, str(i)) for t, i, _ in ROWS), key=lambda row: row[0])
    assert [row for row in found if row[1] != "x"] == expected[: len(found) - ("x" in numbers)]


def test_what_cannot_be_read_is_rejected_with_its_own_line(tmp_path):
    rejections = Rejections()
    reader = opened(write(tmp_path, "d.csv"), missing="reject").reader(rejections)
    assert sum(len(block.rows) for block in reader.blocks()) == 40
    assert sorted(rejection.line for rejection in rejections.first) == [42, 43, 44]


def test_a_position_is_read_on_from(tmp_path, monkeypatch):
    monkeypatch.setattr(sorting, "_SLICE", 16)
    stream = opened(write(tmp_path, "d.csv"))
    source = stream.reader(Rejections()).source
    source.poll()
    again = stream.reader(Rejections()).source
    again.restore(source.position())
    rest = [source.poll(), source.poll(), source.poll()]
    found = [again.poll(), again.poll(), again.poll()]
    assert rest[-1] == found[-1] == []
    assert [t.lines.tolist() for ts in rest for t in ts] == [
        t.lines.tolist() for ts in found for t in ts
    ]


def test_more_than_the_memory_is_meant_for_is_refused_with_the_cure(tmp_path, monkeypatch):
    monkeypatch.setattr(sorting, "MOST_BYTES", 10)
    source = opened(write(tmp_path, "d.csv")).reader(Rejections()).source
    with pytest.raises(MacroError, match="sort the file itself"):
        source.poll()


def test_without_times_there_is_nothing_to_sort_by(tmp_path):
    with pytest.raises(UsageError, match="--sort needs a time column"):
        opened(write(tmp_path, "d.csv"), time="").reader(Rejections())


def test_times_that_run_backwards_are_said_with_the_cure_unless_they_are_sorted(tmp_path):
    path = write(tmp_path, "d.csv")
    said = [r for r in open_stream([path]).remarks if "run backwards" in r]
    assert said == [
        "'t': 36 times of the first 42 run backwards, the first at line 3; "
        "--sort puts a recording in order"
    ]
    assert not [r for r in opened(path).remarks if "run backwards" in r]


def test_what_runs_backwards_later_is_counted_for_the_summary_also_after_a_resume(tmp_path):
    path = tmp_path / "d.csv"
    minutes = [*range(600), 10, *range(600, 700), 20]
    lines = [f"{i * 60},{i % 7},{'pq'[i % 2]}" for i in minutes]
    path.write_text("\n".join(["t,a,y", *lines]))
    layer = Layer.read("test", {"time": "t"}, of_user=True)
    reader = open_stream([path], [layer]).reader(Rejections())
    list(reader.blocks())
    again = open_stream([path], [layer]).reader(Rejections())
    again.restore(reader.state())
    for one in (reader, again):
        assert one.maker.notes() == [
            "2 rows before the row above in time; --sort puts a recording in order"
        ]
