"""A live feed that is followed, frozen and gone, and a wall, as text at three sizes.

UPDATE_SNAPSHOTS=1 writes them anew.
"""

import math
import re

import pytest
from made_sessions import (
    ended,
    live_session,
    monitor_of,
    open_main,
    session_over,
    settle,
    text_of,
    until,
    write_stream,
)
from made_snapshots import compare

from macro_engine.core.errors import MacroError
from macro_engine.run.playing.pace import Destination
from macro_engine.stream import reader
from macro_engine.stream.live import tail
from macro_tui.app import Options
from macro_tui.wall_app import WallMonitor

pytestmark = pytest.mark.slow

SIZES = ((80, 24), (120, 40), (160, 50))


def timeless(app):
    """The screen without what the clock on the wall says."""
    text = re.sub(r"20[2-9]\d-\d\d-\d\d \d\d:\d\d(:\d\d)?", "(on the wall)", text_of(app))
    text = re.sub(r"  \d+ MB.*$", "", text, flags=re.M)
    text = re.sub(r"(!\s+599) \d\d:\d\d ", r"\1 HH:MM ", text)
    return re.sub(r"gone for [\d.]+ s", "gone for N s", text)


async def keep(name, app, pilot):
    for size in SIZES:
        await pilot.resize_terminal(*size)
        await settle(app, pilot)
        await settle(app, pilot)
        compare("state-{}-{}x{}".format(name, *size), timeless(app))


async def test_a_live_feed_looks_as_it_should(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "QUIET_SECONDS", math.inf)
    monkeypatch.setattr(tail, "GRACE", 0.1)
    growing = write_stream(tmp_path / "flights.csv")
    growing.write_text(growing.read_text() + "\n")
    session = live_session(growing)
    app = monitor_of(session)
    async with app.run_test(size=SIZES[0]) as pilot:
        await open_main(app, pilot)
        await until(lambda: session.snapshot.steps == 599)
        await until(lambda: session.snapshot.open_rows == 4)
        await keep("following", app, pilot)
        await pilot.press("space")
        await keep("frozen", app, pilot)
        await pilot.press("space")
        growing.unlink()
        await until(lambda: "gone for" in text_of(app))
        await keep("waiting", app, pilot)
    assert session.stop(60)
    session.close()


async def test_a_run_that_failed_looks_as_it_should(tmp_path):
    def prepare(engine):
        engine.pace.paused, engine.pace.target = True, Destination(row=1200)
        run = engine.pipeline.run

        def failing(block):
            if engine.pipeline.rows >= 1200:
                raise MacroError("the subroutine own:Model failed: KeyError: 'nothing'")
            return run(block)

        engine.pipeline.run = failing

    session = session_over(write_stream(tmp_path / "flights.csv"), prepare=prepare)
    app = monitor_of(session)
    async with app.run_test(size=SIZES[0]) as pilot:
        await open_main(app, pilot)
        await until(lambda: session.snapshot.rows == 1200 and session.controls.target is None)
        await pilot.press("space")
        await until(lambda: session.error is not None)
        await keep("failed", app, pilot)
    session.stop(60)
    session.close()


async def test_a_wall_looks_as_it_should(tmp_path):
    stream = write_stream(tmp_path / "flights.csv")
    for name in ("berlin", "oslo"):

        def prepare(engine, name=name):
            engine.run_file = tmp_path / f"{name}.run"

        ended(session_over(stream, prepare=prepare)).close()
    app = WallMonitor([tmp_path], Options("wall"))
    async with app.run_test(size=SIZES[0]) as pilot:
        await until(lambda: "2 runs, 0 live" in text_of(app))
        await keep("wall", app, pilot)
        await pilot.press("q")
    assert app.wall.stop(60)
