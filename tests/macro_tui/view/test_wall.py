"""What a wall says of runs that need a look."""

from pathlib import Path

import pytest
from made_views import texts

from macro_engine.run.snapshot import Snapshot
from macro_engine.run.wall import RunLine
from macro_tui.view.glyphs import UNICODE
from macro_tui.view.wall import wall_header, wall_rows


def line(name, state, words="", **told):
    return RunLine(Path(name), name, Snapshot(state=state, words=words), **told)


RUNS = [
    line("a.run", "running", alarms=("ftl > 20%: ftl 21.2%, limit 20.0%",), lag=57.0),
    line("b.run", "failed", "the run failed: no such sensor"),
    line("c.run", "gone", "writer gone for 57 s", lag=3 * 3600.0 + 59),
    line("d.run", "waiting", "not written for 12 min 33 s", lag=0.4),
    line("e.run", "running", lag=125.0),
]


@pytest.mark.parametrize("width", [60, 80, 160])
def test_why_a_run_needs_a_look_is_legible(width):
    rows = texts(wall_rows(RUNS, 0, width, 10, UNICODE))
    assert "ALARM ftl > 20%: ftl 21.2%" in rows[1][:width]
    assert "the run failed: no such" in rows[2][:width]
    assert "gone 57 s" in rows[3]
    assert "stuck 12 min " in rows[4]


def test_whoever_is_silent_or_failed_is_counted_among_those_that_need_a_look():
    assert " 4 need a look " in "".join(text for text, _ in wall_header(RUNS, "", False))
    assert " 30 below " in "".join(text for text, _ in wall_header(RUNS, "", False, 30))
    assert "need" not in "".join(text for text, _ in wall_header(RUNS[4:], "", False))


def test_the_lag_fits_in_its_column():
    rows = texts(wall_rows(RUNS, 0, 160, 10, UNICODE))
    place = rows[0].index("lag ")
    assert [row[place : place + 9].strip() for row in rows[3:]] == ["3 h", "0.4 s", "2 min"]


def test_a_run_that_has_no_figures_yet_says_what_it_waits_for():
    words = "its worker was lost; it restarts on another worker"
    _, row = texts(wall_rows([line("a.run", "starting", words)], 0, 80, 24, UNICODE))
    assert row.split(maxsplit=3) == ["▶", "a.run", "starting", words]
