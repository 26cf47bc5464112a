"""Playing a recording into a growing CSV."""

import threading
import time

import numpy as np
import pytest

from macro_engine.opening import open_stream
from macro_engine.run.player import Mishaps, Player, garbage
from macro_engine.run.speed import Speed
from macro_engine.run.timetable import Timetable
from macro_engine.settings import Layer
from macro_engine.stream.csv import CsvFile, CsvParser
from macro_engine.stream.steps import LATE_IN_SUCCESSION


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
    moments = Timetable(60.0).due(wrong)
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
    moments = Timetable(60.0).due(late)
    assert moments[-1] == times[-1]
    assert (np.diff(moments) >= 0).all()


@pytest.mark.parametrize("first", ["", "oops", "0001-01-01T00:00:00"])
def test_a_first_row_without_its_time_holds_nothing_up(tmp_path, monkeypatch, first):
    monkeypatch.setattr("macro_engine.run.player.LONGEST_PAUSE", 0.1)
    rows = "".join(f"2024-01-01T00:00:{s:02},1,p\n" for s in range(20))
    (tmp_path / "d.csv").write_text(f"t,x,y\n{first},1,q\n{rows}")
    made = player(tmp_path / "d.csv", tmp_path / "live.csv", Speed(multiple=100.0), time="t")
    playing = threading.Thread(target=made.play, args=[lambda _done, _rows: None], daemon=True)
    playing.start()
    playing.join(5)
    assert made.rows == 21


def test_rows_come_at_their_times(tmp_path):
    rows = "".join(f"2024-01-01T00:00:{s:02},{s},{'pq'[s % 2]}\n" for s in range(0, 50, 10))
    (tmp_path / "d.csv").write_text(f"t,x,y\n{rows}")
    begun = time.monotonic()
    play(tmp_path / "d.csv", tmp_path / "live.csv", Speed(multiple=100.0), time="t")
    assert 0.4 <= time.monotonic() - begun < 3
