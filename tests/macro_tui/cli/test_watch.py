"""`macro-tui watch`, on a screen of its own."""

import pytest
from made_runs import engine, run, write_stream
from made_sessions import open_main, settle, text_of

from macro_engine.run.watched import WatchedRun
from macro_tui.app import Monitor, Options
from macro_tui.cli import main


@pytest.fixture
def run_file(tmp_path):
    run(engine(write_stream(tmp_path / "d.csv"), tmp_path / "a.run"))
    return tmp_path / "a.run"


@pytest.mark.slow
async def test_a_run_is_looked_at_with_all_panels_and_played_by_nobody(run_file):
    session = WatchedRun(run_file)
    app = Monitor(lambda: session, Options("a.run"))
    async with app.run_test(size=(160, 50)) as pilot:
        await open_main(app, pilot)
        await settle(app, pilot)
        shown = text_of(app)
        assert "[6] subroutines" in shown
        assert shown.splitlines()[1].startswith("MACRO 22.3 %, baseline 22.2 %: too early to tell")
        await pilot.press("left", "left")
        await settle(app, pilot)
        assert "LOOKING BACK" in text_of(app)
        await pilot.press("right_square_bracket")
        await settle(app, pilot)
        assert "watching: only the process that runs it controls playback" in text_of(app)
        await pilot.press("space")
        await settle(app, pilot)
        assert "no more rows will come" in text_of(app)
        await pilot.press("b")
        await settle(app, pilot)
        assert "watching writes nothing" in text_of(app)
        assert "bookmark" not in {key.action for key in app.screen.keys}
        await pilot.press("6", "enter")
        await settle(app, pilot)
        assert "largest weights" in text_of(app) or "weight" in text_of(app)
    assert session.stop(60)
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize("key", ["b", "s", "x"])
async def test_readonly_writes_nothing_and_shows_no_key_that_would(run_file, monkeypatch, key):
    monkeypatch.chdir(run_file.parent)
    before = sorted(p.name for p in run_file.parent.iterdir())
    session = WatchedRun(run_file)
    app = Monitor(lambda: session, Options("a.run", readonly=True))
    async with app.run_test(size=(200, 50)) as pilot:
        await open_main(app, pilot)
        await pilot.press(key)
        await settle(app, pilot)
        assert "svg" not in text_of(app).splitlines()[-1]
        assert "a note for the bookmark" not in text_of(app)
        assert " read-only " in text_of(app).splitlines()[0]
        assert "read-only (--readonly): this key would write" in text_of(app).splitlines()[-1]
    assert sorted(p.name for p in run_file.parent.iterdir()) == before
    assert session.stop(60)
    session.close()


def test_without_a_terminal_it_says_what_else_reads_a_run(run_file, capsys):
    assert main(["watch", str(run_file)]) == 1
    assert "macro-tui runs and export" in capsys.readouterr().err
