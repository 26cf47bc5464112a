"""The main states of the screen as text; UPDATE_SNAPSHOTS=1 writes them anew."""

import pytest
from made_sessions import (
    finished_session,
    monitor_of,
    open_main,
    paused_session,
    settle,
    text_of,
    until,
)
from made_snapshots import FOLDER, compare

from macro_engine.run.alarms.alarms import parse


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size", "keys", "options"),
    [
        ("end-80x24", (80, 24), [], {}),
        ("end-120x30", (120, 30), [], {}),
        ("end-160x50", (160, 50), [], {}),
        ("back-80x24", (80, 24), ["left"] * 9, {}),
        ("back-160x50", (160, 50), ["home", *["shift+right"]], {}),
        ("zoomed-errors-120x30", (120, 30), ["plus", "plus", "m", "m", "c", "c", "c"], {}),
        ("threshold-80x24", (80, 24), ["t", "t"], {}),
        ("events-80x24", (80, 24), ["5", "up", "up"], {}),
        ("subroutines-120x30", (120, 30), ["6", "o", "down"], {}),
        ("details-80x24", (80, 24), ["6", "enter"], {}),
        ("help-80x24", (80, 24), ["question_mark"], {}),
        ("goto-80x24", (80, 24), ["g", "5", "0", "percent_sign"], {}),
        ("ascii-80x24", (80, 24), ["left"], {"ascii": True}),
        ("small-60x14", (60, 14), [], {}),
        ("tiny-20x5", (20, 5), [], {}),
    ],
)
async def test_a_state_looks_as_it_should(finished, name, size, keys, options):
    app = monitor_of(finished, **options)
    async with app.run_test(size=size) as pilot:
        await open_main(app, pilot)
        await pilot.press(*keys)
        await settle(app, pilot)
        compare(name, text_of(app))


async def test_an_alarm_looks_as_it_should(stream):
    session = finished_session(stream, [parse("ftl > 0.2")])
    app = monitor_of(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_main(app, pilot)
        compare("alarm-80x24", text_of(app))
    session.close()


async def test_paused_looks_as_it_should(stream):
    session = paused_session(stream, row=1000)
    session.start()
    await until(lambda: session.controls is not None and session.controls.target is None)
    session.start = lambda: None  # the range of the chart depends on the frames before
    app = monitor_of(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_main(app, pilot)
        compare("paused-80x24", text_of(app))
    assert session.stop(60)
    session.close()


def test_what_is_ascii_is_ascii():
    assert (FOLDER / "ascii-80x24.txt").read_text().isascii()
