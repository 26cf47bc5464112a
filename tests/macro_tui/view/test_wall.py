"""What a line of the wall says."""

from pathlib import Path

from macro_engine.run.snapshot import Snapshot
from macro_engine.run.wall import RunLine
from macro_tui.view.glyphs import UNICODE
from macro_tui.view.wall import wall_rows


def test_a_run_that_has_no_figures_yet_says_what_it_waits_for():
    words = "its worker was lost; it begins again elsewhere"
    line = RunLine(Path("a.run"), "a.run", Snapshot(state="starting", words=words))
    _, row = wall_rows([line], 0, 80, 24, UNICODE)
    text = "".join(part for part, _ in row)
    assert text.split(maxsplit=3) == ["▶", "a.run", "starting", words]
