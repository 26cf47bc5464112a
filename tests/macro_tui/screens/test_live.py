"""The monitor on a live feed: freezing, leaving, the state of the source, the open step."""

import math
import os
import re
from contextlib import asynccontextmanager

import pytest
from made_sessions import live_session, monitor_of, open_main, settle, text_of, until, write_stream

from macro_engine.run.alarms.alarms import parse
from macro_engine.stream import reader
from macro_engine.stream.live import tail
from macro_engine.stream.live.standard_input import Pipe
from macro_tui.screens.confirm_exit import ConfirmExit
from macro_tui.screens.prompt import Prompt

pytestmark = pytest.mark.slow

FIRST = 1 + 4 * 300  # lines: the header and 300 steps


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    return write_stream(tmp_path_factory.mktemp("made") / "whole.csv").read_text().splitlines(True)


@pytest.fixture
def growing(tmp_path, lines):
    path = tmp_path / "flights.csv"
    path.write_text("".join(lines[:FIRST]))
    return path


def append(path, lines):
    with path.open("a") as file:
        file.writelines(lines)


@asynccontextmanager
async def watched(session, size=(80, 24), **options):
    """The app, a pilot, and a function that presses keys and lets them take effect."""
    app = monitor_of(session, **options)
    async with app.run_test(size=size) as pilot:

        async def press(*keys):
            await pilot.press(*keys)
            await settle(app, pilot)

        yield app, pilot, press
    assert session.stop(60)
    session.close()


def panels(app):
    """All but the lines around them."""
    return text_of(app).splitlines()[2:-2]


async def test_space_freezes_the_view_and_not_the_source(growing, lines):
    session = live_session(growing)
    async with watched(session) as (app, pilot, press):
        await open_main(app, pilot)
        await until(lambda: session.history.steps == 299)
        await press("space")
        frozen = panels(app)
        append(growing, lines[FIRST : FIRST + 200])
        await until(lambda: session.history.steps == 349)
        await settle(app, pilot)
        assert panels(app) == frozen
        header = text_of(app).splitlines()[0]
        assert " VIEW FROZEN at step 298, 200 rows since; space follows " in header
        assert "following" in header
        await press("left", "right", "right")
        assert panels(app) == frozen
        await press("g", *"320", "enter")
        assert "that came after the view was frozen" in text_of(app)
        await press("g", *"50%", "enter")
        header = text_of(app).splitlines()[0]
        assert " VIEW FROZEN at step 298, looking at step 174; space follows " in header
        await press("space")
        assert " 349 steps " in text_of(app).splitlines()[0]
        assert panels(app) != frozen
        await press("space", "end")
        assert "FROZEN" not in text_of(app)
        await press("g", *"9999", "enter")
        assert "that has not come yet" in text_of(app)


async def test_keys_that_would_hurry_it_are_not_offered_and_say_why(growing):
    session = live_session(growing)
    async with watched(session) as (app, pilot, press):
        await open_main(app, pilot)
        assert "space freeze" in text_of(app).splitlines()[-1]
        for key in ("full_stop", "left_square_bracket", "right_square_bracket"):
            await press("escape", key)
            assert "a live feed cannot be paused or sped up" in text_of(app).splitlines()[-1]
        commands = {command.title for command in app.get_system_commands(app.screen)}
        assert "Play slower" not in commands
        assert "Freeze the view, not the source; again to follow" in commands
        await press("g")
        assert isinstance(app.screen, Prompt)
        assert "50% of what has come" in text_of(app)
        await press(*"50%", "enter")
        assert app.screen.view.moment == 150


async def test_q_asks_once_and_says_what_becomes_of_the_recording(growing):
    session = live_session(growing)
    async with watched(session) as (app, pilot, press):
        await open_main(app, pilot)
        await press("q")
        assert "its recording is deleted" in text_of(app)
        assert "q again or Enter leaves, Esc stays" in text_of(app)
        await press("escape")
        assert session.is_running
        assert not isinstance(app.screen, ConfirmExit)
        await press("q")
        await pilot.press("q")
        assert app.return_value == 0


async def test_when_a_pipe_has_ended_the_monitor_stays_and_q_does_not_ask(lines, tmp_path):
    reading, writing = os.pipe()
    session = live_session(Pipe(reading), tmp_path / "ops.run")
    async with watched(session) as (app, pilot, press):
        os.write(writing, "".join(lines[:701]).encode())
        await open_main(app, pilot)
        await press("q")
        assert "resumes, without the rows until then." in text_of(app)
        await press("escape")
        os.close(writing)
        await until(lambda: not session.is_running)
        await settle(app, pilot)
        assert "THE END" in text_of(app).splitlines()[0]
        assert "the end of standard input" in text_of(app).splitlines()[-2]
        await pilot.press("q")
        assert app.return_value == 0
    os.close(reading)


async def test_a_file_that_is_not_there_is_waited_for_in_words_and_q_leaves_at_once(tmp_path):
    session = live_session(tmp_path / "flights.csv")
    async with watched(session) as (app, pilot, _press):
        await until(lambda: session.snapshot.state == "waiting")
        await until(lambda: app.screen.id != "_default")
        await settle(app, pilot)
        assert "There is no such file yet: waiting for it (" in text_of(app)
        await pilot.press("q")
        assert app.return_value == 0
        assert session.stop(1)
    assert session.error is None


def quiet_seconds(app):
    found = re.match(r"flights.csv  quiet (\d+) s", text_of(app))
    return int(found[1]) if found else 0


def gone_seconds(app):
    found = re.match(r"flights.csv  file gone for ([\d.]+) s, waiting", text_of(app))
    return float(found[1]) if found else None


async def test_every_state_of_the_source_is_said(growing, lines, monkeypatch):
    monkeypatch.setattr(reader, "QUIET_SECONDS", math.inf)
    monkeypatch.setattr(tail, "GRACE", 0.1)
    growing.write_text("".join(lines[:101]))
    session = live_session(growing, categorical="")
    async with watched(session) as (app, _pilot, _press):

        async def shows(words):
            await until(lambda: re.search(words, text_of(app)))

        await until(lambda: app.screen.id != "_default")
        await shows(r"Learning the classes 100/500")
        append(growing, lines[101:FIRST])
        await shows(r"^flights.csv  . following  299 steps")
        monkeypatch.setattr(reader, "QUIET_SECONDS", 0.0)
        await until(lambda: quiet_seconds(app) > 0)
        before = quiet_seconds(app)
        await until(lambda: quiet_seconds(app) > before)
        growing.unlink()
        await until(lambda: gone_seconds(app) is not None)
        before = gone_seconds(app)
        await until(lambda: (gone_seconds(app) or 0) > before)


async def test_rows_of_the_open_step_are_shown_as_they_come(growing, lines):
    session = live_session(growing)
    async with watched(session) as (app, pilot, _press):
        await open_main(app, pilot)
        await until(lambda: "open step: 4 rows so far, FTL " in text_of(app))
        append(growing, [lines[FIRST], lines[FIRST + 1]])
        await until(lambda: "open step: 2 rows so far, FTL " in text_of(app))
        shown = next(line for line in text_of(app).splitlines() if "open step" in line)
        assert re.search(r"FTL [\d.]+% wrong; newest: '[\w >]+', (correct|predicted)", shown)


async def test_silence_by_the_wall_clock_rings_once_until_rows_come(growing, lines):
    session = live_session(growing)
    rule = parse("no rows for 0.5s")
    async with watched(session, alarms=(rule,)) as (app, pilot, press):
        await open_main(app, pilot)
        await until(lambda: session.snapshot.state == "quiet")  # all rows were read
        await until(lambda: " ALARM (a) no rows for 0.5s " in text_of(app))
        await press("a")
        assert " ALARM " not in text_of(app)
        append(growing, lines[FIRST : FIRST + 8])
        await until(lambda: session.history.steps == 301)
        await settle(app, pilot)
        texts = [event.text for _, event in app.screen.event_log.events if event.kind == "alarm"]
        told = [text.split(":")[0] for text in texts]
        assert "cleared" in told
        assert told == (["raised", "cleared"] * len(told))[: len(told)]  # once for each silence
        await until(lambda: " ALARM (a) no rows for 0.5s " in text_of(app))


async def test_a_run_that_goes_on_shows_its_past_before_a_new_row(growing, tmp_path):
    first = live_session(growing, tmp_path / "ops.run")
    first.start()
    await until(lambda: first.snapshot.steps == 299)
    assert first.stop(60)
    first.close()
    session = live_session(growing, tmp_path / "ops.run")
    async with watched(session) as (app, pilot, press):
        await open_main(app, pilot)
        assert session.history.steps == 299
        assert "299 steps" in text_of(app).splitlines()[0]
        await press("q")
        assert "the same command resumes from here." in text_of(app)
        await pilot.press("enter")
        assert app.return_value == 0
