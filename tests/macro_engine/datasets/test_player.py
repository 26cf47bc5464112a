"""Playing a recording into a growing CSV."""

import errno
import os
import random
import threading
import time
from contextlib import contextmanager
from dataclasses import astuple
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from busy import within
from made_runs import differing, run

from macro_engine.core.errors import MacroError
from macro_engine.datasets.player import Mishaps, Player, garbage
from macro_engine.options.settings import Layer
from macro_engine.run.clock import Clock
from macro_engine.run.engine import Engine
from macro_engine.run.playing.speed import Speed
from macro_engine.stream.formats.csv import CsvFile
from macro_engine.stream.formats.csv_parser import CsvParser
from macro_engine.stream.live.beginning import PipeOrigin
from macro_engine.stream.live.standard_input import Pipe
from macro_engine.stream.opening import open_stream
from macro_engine.stream.steps import LATE_IN_SUCCESSION
from macro_engine.stream.table import Rejections


def player(recording, target, speed=None, mishaps=None, **options):
    opened = open_stream([recording], [Layer.read("test", options, of_user=True)])
    return Player(opened, target, speed or Speed(), mishaps or Mishaps())


def play(*arguments, **options):
    made = player(*arguments, **options)
    made.play(lambda _done, _rows: None)
    return made


def texts_of(path, name):
    (table,) = CsvFile(path).tables([name])
    return table.columns[name].texts()


@contextmanager
def fed_and_recorded(folder, recording, **options):
    """What was fed, opened as a tail through a pipe opens it, and the recording itself."""
    live = folder / "live.csv"
    play(recording, live, **options)
    descriptor = os.open(live, os.O_RDONLY)
    tailed = open_stream(
        PipeOrigin(Pipe(descriptor)),
        (),
        live.with_suffix(".toml"),
        wait=lambda why: pytest.fail(why),
    )
    yield tailed, open_stream([recording], [Layer.read("test", options, of_user=True)])
    os.close(descriptor)


def assert_tail_equals_replay(folder, recording, **options):
    """What is fed through a pipe gives the predictions and the trace of a replay, to the byte."""
    found = []
    with fed_and_recorded(folder, recording, **options) as both:
        for name, opened in zip(("tail", "replay"), both, strict=True):
            outputs = [folder / f"{name}-{kind}.csv" for kind in ("predictions", "trace")]
            made = run(Engine(opened, *outputs))
            read = (made.pipeline.scoreboard.rows, made.rejections.count)
            found.append((*read, *(o.read_bytes() for o in outputs)))
    assert found[0] == found[1]
    assert found[0][0] > ROWS // 2


def all_that_is_read(opened):
    """The rows of a stream as the algorithm gets them, with their times and steps."""
    rejections = Rejections()
    reader = opened.reader(rejections)
    blocks = list(reader.blocks())
    arrays = {
        "numbers": [block.rows.numbers for block in blocks],
        "slots": [block.rows.slots for block in blocks],
        "labels": [block.rows.labels for block in blocks],
        "steps": [block.first_row + block.starts[:-1] for block in blocks],
        "times": [block.times for block in blocks if block.times is not None],
    }
    assert reader.rows > ROWS // 2
    return {
        "columns": astuple(blocks[-1].rows.columns),
        "classes": reader.encoder.classes,
        "rejected": rejections.count,
        **{name: b"".join(part.tobytes() for part in parts) for name, parts in arrays.items()},
    }


def assert_fed_as_recorded(folder, recording, **options):
    """What is fed through a pipe is read as the recording is, to the last bit."""
    with fed_and_recorded(folder, recording, **options) as both:
        assert differing(*map(all_that_is_read, both)) == []


NAMED = {"label": "y", "features": "x", "categorical": "c", "classes": "p,q"}


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\r\nb", 'a"b', "a,b", '"', "plain"])
def test_what_needs_quotes_gets_them(tmp_path, text):
    quoted = text.replace('"', '""')
    (tmp_path / "d.csv").write_bytes(f'x,c,y\n1,"{quoted}",p\n2,z,q\n'.encode())
    play(tmp_path / "d.csv", tmp_path / "live.csv", **NAMED)
    assert texts_of(tmp_path / "live.csv", "c") == [text, "z"]


@pytest.mark.parametrize("width", [2, 3, 25, 26])
def test_garbage_is_never_a_row(width):
    records = CsvParser(",").feed(b"".join(line + b"\n" for line in garbage(width)))
    assert len(records) == len(garbage(width))
    assert all(record.problem or len(record.fields) != width for record in records)


def test_a_wrong_time_far_ahead_delays_a_recording_by_one_pause():
    times = 5.0 * np.arange(300)
    wrong = times.copy()
    wrong[20] = 1e12
    moments = Clock(1.0, longest=60.0).due(wrong)
    assert moments[:20].tolist() == times[:20].tolist()
    assert moments[20] == times[19] + 60
    again = 21 + LATE_IN_SUCCESSION  # the row that is taken to be on time
    assert (moments[20:again] == moments[20]).all()
    assert np.diff(moments[again:]).tolist() == [5.0] * (299 - again)


def test_late_rows_delay_nothing():
    times = 5.0 * np.arange(300)
    late = times.copy()
    late[::7] -= 1e6
    late[0] = 0.0
    moments = Clock(1.0, longest=60.0).due(late)
    assert moments[-1] == times[-1]
    assert (np.diff(moments) >= 0).all()


@pytest.mark.parametrize("first", ["", "oops", "0001-01-01T00:00:00"])
def test_a_first_row_without_its_time_holds_nothing_up(tmp_path, first):
    rows = "".join(f"2024-01-01T00:00:{s:02},1,p\n" for s in range(20))
    (tmp_path / "d.csv").write_text(f"t,x,y\n{first},1,q\n{rows}")
    made = player(tmp_path / "d.csv", tmp_path / "live.csv", Speed(multiple=100.0), time="t")
    made.clock.longest = 0.1
    playing = threading.Thread(target=made.play, args=[lambda _done, _rows: None], daemon=True)
    playing.start()
    playing.join(60)
    assert made.rows == 21


def test_rows_come_at_their_times(tmp_path):
    rows = "".join(f"2024-01-01T00:00:{s:02},{s},{'pq'[s % 2]}\n" for s in range(0, 50, 10))
    (tmp_path / "d.csv").write_text(f"t,x,y\n{rows}")
    begun = time.monotonic()
    play(tmp_path / "d.csv", tmp_path / "live.csv", Speed(multiple=100.0), time="t")
    assert 0.4 <= time.monotonic() - begun < within(3)


ROWS = 240
MOMENTS = [
    datetime(2024, 3, 30, 22, 0, 0, 123_457) + i * timedelta(minutes=1, microseconds=999_983)
    for i in range(ROWS)  # through the change to summer time
]
TIMES = {
    "microseconds": pl.Series(MOMENTS, dtype=pl.Datetime("us")),
    "nanoseconds": (pl.Series(MOMENTS).cast(pl.Datetime("ns")).cast(pl.Int64) + 789).cast(
        pl.Datetime("ns")
    ),
    "milliseconds": pl.Series(MOMENTS).cast(pl.Datetime("ms")),
    "UTC": pl.Series(MOMENTS).dt.replace_time_zone("UTC"),
    "Berlin": pl.Series(MOMENTS).dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin"),
    "before 1970": pl.Series([moment - timedelta(days=40_000) for moment in MOMENTS]),
    "dates": pl.Series([date(2024, 1, 1) + timedelta(days=i // 3) for i in range(ROWS)]),
    "epochs": pl.Series([int(m.replace(tzinfo=UTC).timestamp() * 1000) for m in MOMENTS]),
    "seconds": pl.Series([m.replace(tzinfo=UTC).timestamp() for m in MOMENTS]),
    "texts": pl.Series([f"{m.isoformat()}+05:30" for m in MOMENTS]),
}


def with_nulls(series, seed):
    rng = random.Random(seed)
    gaps = pl.Series([rng.random() < 0.03 for _ in range(len(series))])
    return series.to_frame("").select(pl.when(~gaps).then(pl.col(""))).to_series()


def recorded(folder, **columns):
    """A recording with a label that follows a number, in which every column has nulls."""
    rng = random.Random(1)
    x = [rng.uniform(-1e3, 1e3) ** 3 for _ in range(ROWS)]
    columns = {"x": x, "y": [v > rng.gauss(0.0, 1e3) for v in x]} | columns
    series = {name: pl.Series(values) for name, values in columns.items()}
    frame = pl.DataFrame({n: with_nulls(s, seed) for seed, (n, s) in enumerate(series.items())})
    frame.write_parquet(folder / "d.parquet")
    return folder / "d.parquet"


@pytest.mark.parametrize("kind", TIMES)
def test_times_of_every_type_are_fed_as_they_are(tmp_path, kind):
    assert_fed_as_recorded(
        tmp_path,
        recorded(tmp_path, t=TIMES[kind]),
        time="t",
        label="y",
        features="x",
        categorical="",
        every="3d" if kind == "dates" else "7m",
        distance="features",
    )


RNG = random.Random(2)
COLUMNS = {
    "doubles": pl.Series([RNG.choice([0.1, -0.0, 1e-300, 1 / 3, 1e22]) for _ in range(ROWS)]),
    "infinite": pl.Series(
        [RNG.choice([0.5, 2.5, 7.5, float("nan"), float("inf")]) for _ in range(ROWS)]
    ),
    "singles": pl.Series([RNG.random() for _ in range(ROWS)], dtype=pl.Float32),
    "large": pl.Series([2**53 + RNG.randrange(99) for _ in range(ROWS)]),
    "bytes": pl.Series([RNG.randrange(9) for _ in range(ROWS)], dtype=pl.UInt8),
    "bools": pl.Series([RNG.random() < 0.5 for _ in range(ROWS)]),
    "decimals": pl.Series(
        [Decimal(RNG.randrange(10**18)) / 10**4 for _ in range(ROWS)], dtype=pl.Decimal(20, 4)
    ),
    "digits": pl.Series([f" {RNG.random()}" for _ in range(ROWS)]),
    "texts": pl.Series(
        [RNG.choice(["a,b", 'say "a"', "two\nlines", "\r\n", " a "]) for _ in range(ROWS)]
    ),
    "categories": pl.Series(
        [RNG.choice(["a,b", "ä", "NA"]) for _ in range(ROWS)], dtype=pl.Categorical
    ),
    "enums": pl.Series([RNG.choice(["p", "q"]) for _ in range(ROWS)], dtype=pl.Enum(["p", "q"])),
    "moments": TIMES["Berlin"].dt.truncate("1h"),
    "durations": pl.Series([timedelta(hours=RNG.randrange(5)) for _ in range(ROWS)]),
}
NUMBERS = ("doubles", "infinite", "singles", "large", "bytes", "bools", "decimals", "digits")


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_every_type_are_fed_to_the_last_bit(tmp_path, name):
    assert_fed_as_recorded(
        tmp_path,
        recorded(tmp_path, c=COLUMNS[name]),
        label="y",
        features="x,c",
        categorical="",
        every="9",
        distance="features",
    )


@pytest.mark.parametrize("name", [name for name in COLUMNS if name not in ("decimals", "digits")])
def test_categories_of_every_type_are_fed_as_they_are(tmp_path, name):
    assert_fed_as_recorded(
        tmp_path,
        recorded(tmp_path, c=COLUMNS[name]),
        label="y",
        features="x",
        categorical="c",
        every="9",
    )


@pytest.mark.parametrize(
    ("label", "column"),
    [("c > 0.5", "bools"), ("c > 0.5", "doubles"), ("c == 'a,b'", "texts"), ("c", "enums")],
)
def test_labels_of_every_type_are_fed_as_they_are(tmp_path, label, column):
    recording = recorded(tmp_path, c=COLUMNS[column])
    assert_fed_as_recorded(
        tmp_path, recording, label=label, features="x", categorical="", every="9"
    )


def test_a_time_that_is_a_feature_too_is_fed_as_it_stands(tmp_path):
    assert_tail_equals_replay(
        tmp_path,
        recorded(tmp_path, t=TIMES["epochs"]),
        time="t",
        label="y",
        features="x,t",
        categorical="",
        every="7m",
    )


def write_times(path, moments):
    rows = "".join(f"{moment},{i},{'pq'[i % 2]}\n" for i, moment in enumerate(moments))
    path.write_text(f"t,x,y\n{rows}")
    return path


def test_times_are_judged_once_in_a_file(tmp_path, monkeypatch):
    """One of the tables begins with what would be another unit."""
    monkeypatch.setattr("macro_engine.stream.formats.csv.CHUNK", 4096)
    moments = [f"{1_700_000_000_000 + 1000 * i}" for i in range(600)]
    moments[200:500] = [f"{1_700_000_000 + i}" for i in range(300)]
    assert_tail_equals_replay(
        tmp_path, write_times(tmp_path / "d.csv", moments), time="t", every="20s", late="reject"
    )


@pytest.mark.parametrize("wrong", ["1700000000", "1e30", "2024-01-01T00:05:00", "nan", "never"])
def test_a_wrong_time_is_not_right_in_what_is_fed(tmp_path, wrong):
    moments = [f"{1 + i // 40:02}.01.2024" for i in range(600)]
    for i in range(0, 600, 7):
        moments[i] = wrong
    recording = write_times(tmp_path / "d.csv", moments)
    options = {"time": "t", "every": "2d", "time_format": "%d.%m.%Y"}
    assert_fed_as_recorded(tmp_path, recording, **options)


def test_decimal_commas_are_fed_as_points(tmp_path):
    rows = "".join(f"{i},{i % 9};{'pq'[i % 2]}\n1.5;p\n" for i in range(400))
    (tmp_path / "d.csv").write_text(f"x;y\n{rows}")
    options = {"label": "y", "features": "x", "categorical": "", "every": "9"}
    assert_tail_equals_replay(tmp_path, tmp_path / "d.csv", decimal=",", **options)


@pytest.fixture
def short(tmp_path):
    (tmp_path / "d.csv").write_text("x,y\n" + "".join(f"{i},{'pq'[i % 2]}\n" for i in range(10)))
    return tmp_path / "d.csv"


def rows_of(path):
    return path.read_text().splitlines()[1:]


def test_rotation_overwrites_nothing(short, tmp_path):
    (tmp_path / "live.csv.2").write_text("precious")
    with pytest.raises(MacroError, match=r"live\.csv\.2 exists already"):
        play(short, tmp_path / "live.csv", mishaps=Mishaps(rotate_rows=3))
    assert (tmp_path / "live.csv.2").read_text() == "precious"
    (tmp_path / "live.csv.old").write_text("harmless")
    play(short, tmp_path / "live.csv")


def test_what_was_rotated_away_may_be_taken_away(short, tmp_path):
    made = player(short, tmp_path / "live.csv", mishaps=Mishaps(rotate_rows=3))
    seen = []

    def take_away(_done, rows):
        if rows == 6:
            seen.append(rows_of(tmp_path / "live.csv.2"))
            (tmp_path / "live.csv.2").unlink()

    made.play(take_away)
    assert seen == [["p,0", "q,1", "p,2"]]
    assert made.rotations == 3
    assert rows_of(tmp_path / "live.csv.2") == ["q,3", "p,4", "q,5"]
    assert rows_of(tmp_path / "live.csv.1") == ["p,6", "q,7", "p,8"]
    assert rows_of(tmp_path / "live.csv") == ["q,9"]


def test_a_rotation_that_fails_is_said(short, tmp_path):
    made = player(short, tmp_path / "live.csv", mishaps=Mishaps(rotate_rows=3))

    def be_in_the_way(_done, rows):
        if rows == 3:
            (tmp_path / "live.csv.2").mkdir()

    with pytest.raises(MacroError, match=r"live\.csv\.1 cannot be renamed: Is a directory"):
        made.play(be_in_the_way)


@pytest.mark.parametrize("fails", ["open", "write"])
def test_a_csv_that_cannot_be_begun_leaves_nothing_behind(short, tmp_path, monkeypatch, fails):
    def fail(path, *_arguments, opens=os.open):
        if fails == "write" or str(path).endswith("live.csv"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return opens(path, *_arguments)

    with monkeypatch.context() as patch:
        patch.setattr(f"os.{fails}", fail)
        with pytest.raises(MacroError, match=r"live\.csv cannot be written: No space"):
            play(short, tmp_path / "live.csv")
    assert os.listdir(tmp_path) == ["d.csv"]
    play(short, tmp_path / "live.csv")
