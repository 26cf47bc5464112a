"""The second view of the weights panel: what strategies show."""

import re

import pytest
from made_runs import run
from made_sessions import monitor_of, open_main, session_over, settle, text_of, write_stream
from made_snapshots import compare
from made_strategy import mixed, toy  # noqa: F401 (fixtures)

from macro_engine.run.engine import Listener
from macro_engine.run.watched import WatchedRun
from macro_tui.app import Monitor, Options

pytestmark = pytest.mark.slow


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "flights.csv")


def finished(stream, strategies, **options):
    session = session_over(stream, strategies=strategies, **options)
    session.start()
    session.thread.join(120)
    assert session.error is None
    session.start = lambda: None
    return session


async def shown_by(session, *keys, size=(80, 24)):
    """The screen after some keys."""
    app = monitor_of(session)
    async with app.run_test(size=size) as pilot:
        await open_main(app, pilot)
        await pilot.press(*keys)
        await settle(app, pilot)
        text = text_of(app)
    session.close()
    return text


@pytest.mark.usefixtures("mixed")
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50)])
async def test_it_looks_as_it_should(stream, size):
    text = await shown_by(finished(stream, "ftl,ewa,mixed"), "v", size=size)
    compare(f"pulls-{size[0]}x{size[1]}", text)


@pytest.mark.usefixtures("mixed")
async def test_looking_back_it_shows_what_held_then(stream):
    text = await shown_by(finished(stream, "ftl,mixed"), "v", "home", "right", size=(120, 40))
    assert "LOOKING BACK" in text
    assert re.search(r"mixed turns +0$", text, re.M)
    assert "MACRO pulls 60 % of mixed" in text


@pytest.mark.usefixtures("toy")
async def test_a_number_of_a_plugin_is_in_a_table(stream):
    text = await shown_by(finished(stream, "ftl,toy"), "v")
    assert "[4] strategies" in text
    assert "TOY surprise" in text


async def test_where_no_strategy_shows_anything_that_is_said(stream):
    text = await shown_by(finished(stream, "ftl,ewa"), "v")
    assert "no strategy of this run shows more" in text
    assert "[4] MACRO thresholds" in text


@pytest.fixture
def resumed(stream, tmp_path, mixed):  # noqa: F811, ARG001
    """A run that was stopped and went on."""
    load, path = session_over(stream, strategies="ftl,mixed").load, tmp_path / "a.run"
    first = load(Listener(results=lambda _results: first.stop()), path)
    run(first)
    assert 0 < first.steps < 600
    assert run(load(Listener(), path)).steps == 600
    return path


async def test_a_resumed_run_that_is_watched_shows_it(resumed):
    watched = WatchedRun(resumed)
    app = Monitor(lambda: watched, Options("a.run"))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_main(app, pilot)
        await pilot.press("v")
        await settle(app, pilot)
        text = text_of(app)
    assert "what pulls mixed" in text
    assert re.search(r"mixed turns +14$", text, re.M)
    assert watched.stop(60)
    watched.close()
