"""The screen of many runs."""

import pytest
from made_sessions import ended, session_over, settle, text_of, until, write_stream

from macro_tui.app import Options
from macro_tui.cli import main
from macro_tui.screens.main import MainScreen
from macro_tui.wall_app import WallMonitor

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wall")
    stream = write_stream(folder / "flights.csv")
    for name in ("berlin", "oslo"):

        def prepare(engine, name=name):
            engine.run_file = folder / f"{name}.run"

        ended(session_over(stream, prepare=prepare)).close()
    return folder


async def test_runs_are_listed_filtered_opened_and_left(folder):
    app = WallMonitor([folder], Options("wall", readonly=True))
    async with app.run_test(size=(120, 24)) as pilot:
        await until(lambda: app.wall is not None and len(app.wall.lines) == 2)
        await until(lambda: "2 runs, 0 live" in text_of(app))
        shown = text_of(app)
        assert "read-only" in shown
        assert "▶ berlin.run" in shown
        await pilot.press("slash", *"osl", "enter")
        await until(lambda: "▶ oslo.run" in text_of(app))
        assert "berlin" not in text_of(app)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, MainScreen) and app.screen.shown is not None)
        await settle(app, pilot)
        assert "oslo.run" in text_of(app)
        await pilot.press("left", "escape")  # back to the newest step, then to the wall
        assert isinstance(app.screen, MainScreen)
        await pilot.press("escape")
        await until(lambda: "1 run, 0 live" in text_of(app))
        await pilot.press("escape", "q")
    assert app.return_value == 0
    assert app.session is None
    assert app.wall.stop(60)


def test_a_wall_needs_files_and_a_terminal(folder, tmp_path, capsys):
    assert main(["wall", str(tmp_path / "nowhere")]) == 1
    assert "no such run file or folder" in capsys.readouterr().err
    assert main(["wall", str(folder)]) == 1
    assert "needs a terminal" in capsys.readouterr().err
    assert main(["wall", str(folder), "--alarm", "fire"]) == 2
