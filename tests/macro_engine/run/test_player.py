"""Playing a recording into a growing CSV."""

import pytest

from macro_engine.opening import open_stream
from macro_engine.run.player import Mishaps, Player, garbage
from macro_engine.run.speed import Speed
from macro_engine.settings import Layer
from macro_engine.stream.csv import CsvFile, CsvParser


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
