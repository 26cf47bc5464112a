"""Trouble is loud: a run file that cannot be written, and a run that fails."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest
from made_sessions import (
    Opened,
    finished_session,
    monitor_of,
    open_main,
    session_over,
    settle,
    text_of,
    until,
    write_stream,
)

from macro_engine.core.errors import DroppedError, MacroError
from macro_engine.run.playing.pace import Destination
from macro_engine.run.run_listing import listing_line
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.watched import WatchedRun
from macro_tui.screens.main import MainScreen

pytestmark = pytest.mark.slow


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "flights.csv")


async def test_a_file_that_cannot_be_written_is_the_first_thing_on_the_screen(stream):
    session = finished_session(stream)
    trouble = replace(
        session.snapshot, state="running", trouble="ops.run cannot be written: disk full"
    )
    type(session).snapshot, kept = property(lambda _self: trouble), type(session).snapshot
    try:
        async with Opened(session, size=(80, 24)) as opened:
            first = text_of(opened.app).splitlines()[0]
            assert first.startswith(" NOT WRITTEN: ops.run cannot be written: disk full")
    finally:
        type(session).snapshot = kept
    session.close()


async def test_an_end_that_cannot_be_written_is_told_until_it_is(stream, tmp_path):
    run_file = tmp_path / "a.run"

    def prepare(engine):
        engine.run_file = run_file
        engine.pace.paused, engine.pace.target = True, Destination(row=1200)

    session = session_over(stream, prepare=prepare)
    app = monitor_of(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_main(app, pilot)
        await until(lambda: session.snapshot.rows == 1200 and session.controls.target is None)
        with closing(sqlite3.connect(run_file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await pilot.press("space")
            await until(lambda: session.snapshot.has_ended and session.snapshot.trouble)
            await settle(app, pilot)
            assert text_of(app).startswith(" NOT WRITTEN: ")
            assert "what came after its last commit is lost" in session.after_leaving
            other.execute("ROLLBACK")
        await until(lambda: not session.snapshot.trouble)
        assert session.after_leaving == ""
        await settle(app, pilot)
        assert "NOT WRITTEN" not in text_of(app)
    assert session.stop(60)
    session.close()


async def test_a_run_that_fails_stays_on_the_screen_with_the_reason(stream, tmp_path):
    run_file = tmp_path / "a.run"

    def prepare(engine):
        engine.run_file = run_file
        engine.pace.paused, engine.pace.target = True, Destination(row=1200)
        engine.pipeline.fails = False
        run = engine.pipeline.run

        def failing(block):
            if engine.pipeline.fails:
                raise MacroError("the subroutine own:Model failed: KeyError: 'nothing'")
            return run(block)

        engine.pipeline.run = failing

    session = session_over(stream, prepare=prepare)
    app = monitor_of(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_main(app, pilot)
        await until(lambda: session.snapshot.rows == 1200 and session.controls.target is None)
        session.engine.checkpoint.store("running")  # nothing is committed while it is held
        session.engine.pipeline.fails = True
        await pilot.press("space")
        await until(lambda: session.error is not None)
        await settle(app, pilot)
        header, verdict, *panels = text_of(app).splitlines()
        assert " FAILED " in header
        assert "the subroutine own:Model failed: KeyError" in verdict
        assert "active subroutine" in "".join(panels)
        await pilot.press("q")
    assert app.return_value == 0
    session.close()
    assert "own:Model failed" in listing_line(run_file)[1]
    with closing(RunReader(run_file)) as reader:
        assert reader.steps == 300
    watched = WatchedRun(run_file)
    watched.start()
    await until(lambda: watched.snapshot.state == "failed")
    assert "own:Model failed" in watched.snapshot.words
    watched.stop(60)
    watched.close()


async def test_a_run_that_failed_is_resumed_from_its_last_state(stream, tmp_path):
    run_file = tmp_path / "a.run"

    def failing(engine):
        engine.run_file = run_file
        run, blocks = engine.pipeline.run, []

        def fail_later(block):
            blocks.append(block)
            if len(blocks) > 3:
                raise MacroError("not today")
            return run(block)

        engine.pipeline.run = fail_later

    session = session_over(stream, prepare=failing)
    session.start()
    session.thread.join(120)
    assert str(session.error) == "not today"
    session.close()

    def recorded(engine):
        engine.run_file = run_file

    session = session_over(stream, prepare=recorded)
    session.start()
    session.thread.join(120)
    assert session.error is None
    assert session.snapshot.rows == 2400
    session.close()
    assert listing_line(run_file)[1] == "finished"


def test_steps_that_are_dropped_while_they_are_drawn_are_no_trouble():
    failures = []
    screen = SimpleNamespace(app=SimpleNamespace(fail=failures.append))
    with MainScreen._run_file_read(screen):
        raise DroppedError("a.run: steps 0 to 9 were dropped (--keep 1d)")
    assert not failures
    with MainScreen._run_file_read(screen):
        raise MacroError("a.run is damaged")
    assert len(failures) == 1
