"""Playing, keeping, leaving: what the keys of the program do."""

import asyncio
import re

import pytest
from made_sessions import (
    Opened,
    finished_session,
    monitor_of,
    open_main,
    paused_session,
    settle,
    text_of,
    until,
)

from macro_engine.run.alarms.alarms import parse
from macro_tui.screens.help import HelpScreen
from macro_tui.view.keys import KEYS


@pytest.mark.slow
async def test_at_the_end_nothing_is_offered_that_would_play_and_bookmarks_are_kept(stream):
    session = finished_session(stream)
    async with Opened(session) as opened:
        *_, status, footer = text_of(opened.app).splitlines()
        assert "rows/s" not in status
        assert "space" not in footer
        await opened.press("home", "b", *"storm", "enter")
        assert "bookmark at step 0" in text_of(opened.app).splitlines()[-1]
        noted = [event for _, event in opened.main.event_log.events if event.kind == "bookmark"]
        assert [(event.step, event.text) for event in noted] == [(0, "storm")]
    assert session.snapshot.rate == 0
    session.close()


@pytest.mark.slow
async def test_before_the_first_step_keys_say_what_they_do(stream):
    session = paused_session(stream, row=0)
    app = monitor_of(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: app.screen.id != "_default" and session.snapshot.state == "paused")
        main = app.screen
        await pilot.press("home", "i")
        await settle(app, pilot)
        assert main.view.moment is None
        assert "and paused" in text_of(app)
        await pilot.press("g", *"50%", "enter")
        await settle(app, pilot)
        assert "there is no step to go to yet" in text_of(app)
        await pilot.press("space")
        await open_main(app, pilot)
        assert "LOOKING BACK" not in text_of(app)
    session.stop(60)
    session.close()


@pytest.mark.slow
async def test_help_palette_and_themes(finished):
    async with Opened(finished) as opened:
        await opened.press("question_mark")
        assert isinstance(opened.app.screen, HelpScreen)
        await opened.press("escape")
        theme = opened.app.theme
        await opened.press("T")
        assert opened.app.theme != theme
        commands = [command.title for command in opened.app.get_system_commands(opened.main)]
        assert len(commands) == len(KEYS) - 1
        await opened.press("ctrl+p")
        assert opened.app.screen is not opened.main


async def test_files_are_written_and_never_over_others(finished, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with Opened(finished) as opened:
        await opened.press("x", "x", "s")
        assert "written: macro-tui-step-599.svg" in text_of(opened.app)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["macro-tui-step-599-2.csv", "macro-tui-step-599.csv", "macro-tui-step-599.svg"]
    first, *lines = (tmp_path / names[1]).read_text().splitlines()
    assert first.startswith("steps,rows,time,")
    assert lines[-1].startswith("600,2400,2001-03-05T03:50:00,")
    assert (tmp_path / names[2]).read_text().startswith("<svg")


@pytest.mark.slow
async def test_alarms_call_until_they_are_acknowledged(stream):
    session = finished_session(stream, [parse("ftl > 0.2")])
    async with Opened(session) as opened:
        assert " ALARM " in text_of(opened.app)
        await opened.press("a")
        assert " ALARM " not in text_of(opened.app)
    session.close()


@pytest.mark.slow
async def test_only_a_pause_that_is_long_enough_rings(stream):
    longest = 4  # minutes, from the last row of a step to the next step
    rules = [parse(f"no rows for {longest + 1}m"), parse(f"no rows for {longest}m")]
    session = finished_session(stream, rules)
    async with Opened(session) as opened:
        assert "there were none for 4 min" in text_of(opened.app)
        assert [change.rule for change in session.alarms.calling] == rules[1:]
    session.close()


async def test_q_leaves(finished):
    async with Opened(finished) as opened:
        await opened.pilot.press("q")
        assert opened.app.return_value == 0


@pytest.mark.slow
async def test_ctrl_c_leaves_from_every_screen(finished, monkeypatch):
    async with Opened(finished) as opened:
        asked = []
        monkeypatch.setattr(opened.app, "interrupt", lambda: asked.append(opened.app.screen))
        await opened.press("ctrl+c", "question_mark", "ctrl+c", "escape", "g", "ctrl+c")
        assert len(set(asked)) == 3


@pytest.mark.slow
async def test_playing_is_controlled_by_keys(stream):
    session = paused_session(stream, row=400)
    async with Opened(session) as opened:
        await until(lambda: session.controls.target is None and session.history.steps == 100)
        await opened.press("full_stop")
        await until(lambda: session.history.steps == 101)
        await opened.press("b", *"storm", "enter")
        assert "bookmark" in {event.kind for _, event in opened.main.event_log.chosen}
        await opened.press("left_square_bracket")
        assert str(session.controls.speed) == "6,000,000x"
        await opened.press("right_square_bracket")
        assert str(session.controls.speed) == "max"
        await opened.press("g", *"row", "space", *"1000", "enter")
        await until(lambda: session.history.steps == 250)
        await opened.press("g", *"260", "enter")
        await until(lambda: session.history.steps == 261)
        assert opened.view.moment is None
        await opened.press("home")
        await opened.press("space")
        await until(lambda: session.snapshot.state == "finished")
        await opened.press("space")
        assert "all of it was played" in text_of(opened.app)
        assert opened.view.moment == 1
    session.stop(60)
    session.close()


async def test_a_failing_run_closes_the_screen_and_keeps_the_error(tmp_path):
    session = paused_session(tmp_path / "missing.csv", row=1)
    app = monitor_of(session)
    async with app.run_test(size=(80, 24)):
        await until(lambda: app.error is not None)
    assert app.return_value == 1
    assert "missing.csv" in str(app.error)
    session.close()


@pytest.mark.slow
async def test_every_size_on_the_way_can_be_shown(finished):
    async with Opened(finished) as opened:
        for size in ((20, 5), (1, 1), (79, 23), (300, 80), (80, 24)):
            await opened.pilot.resize_terminal(*size)
            await asyncio.sleep(0.05)
            await settle(opened.app, opened.pilot)
        assert "[4] MACRO thresholds" in text_of(opened.app)


async def test_the_label_that_was_guessed_stands_in_the_header_until_a_key_is_pressed(finished):
    async with Opened(finished) as opened:
        assert "label 'label', by its name (d: more)" in text_of(opened.app).splitlines()[0]
        await opened.press("m")
        assert "by its name" not in text_of(opened.app).splitlines()[0]


@pytest.mark.slow
async def test_label_features_and_remarks_can_always_be_seen(finished):
    async with Opened(finished, size=(80, 24)) as opened:
        await opened.press("d")
        shown = text_of(opened.app)
        assert re.search(r"label +label ", shown)
        assert re.search(r"features +a, b ", shown)
        await opened.press("end")
        assert "the label is 'label', by its name; --label names another" in text_of(opened.app)
        await opened.press("d")
        assert opened.app.screen is opened.main
