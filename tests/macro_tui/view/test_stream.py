"""What was guessed, in one block."""

from pathlib import Path

from made_runs import write_stream

from macro_engine.options.settings import Layer
from macro_engine.stream.opening import COMMAND_LINE, open_stream
from macro_tui.view.stream import GUESSED, guessed_rows, stream_rows

REPLAYS = Path(__file__).parents[3] / "replays"


def block(path, **options):
    settings = open_stream([path], [Layer.read(COMMAND_LINE, options, of_user=True)]).settings
    rows = guessed_rows(settings.values, settings.guessed)
    return ["".join(text for text, _ in row) for row in rows]


def test_everything_that_nobody_said_stands_in_one_block(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=50)
    heading, *lines = block(stream)
    assert heading == GUESSED
    assert dict(line.split(maxsplit=1) for line in lines) == {
        "label": "late",
        "time": "when",
        "features": "a, b",
        "categories": "place",
        "clock": "on",
        "every": "1",
        "histories": "6, 36",
        "thresholds": "0.01, 0.05, 0.10, 0.30, inf",
        "strategies": "ftl, ewa, blend",
    }


def test_what_was_said_is_not_among_it(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=50)
    lines = block(stream, label="late", time="", every="20", history="2")
    assert [line.split()[0] for line in lines[1:]] == [
        "features",
        "categories",
        "clock",
        "thresholds",
        "strategies",
    ]
    assert "clock           off" in lines


def test_of_a_stream_that_describes_itself_nothing_is_guessed():
    assert block(REPLAYS / "airline-DEN.parquet") == []


def test_the_screen_shows_the_rest_after_it():
    rows = stream_rows({"label": "y", "every": "1", "seed": 3}, ["every"], ["mind the gap"])
    texts = ["".join(text for text, _ in row) for row in rows]
    assert texts[0] == GUESSED
    assert texts.index("every           1") < texts.index("label           y")
    assert texts[-1] == "mind the gap"
