"""Every key does what its table says."""

import asyncio
import re
from pathlib import Path
from time import monotonic

import pytest
from made_sessions import (
    STEPS,
    finished_session,
    monitor_of,
    open_main,
    paused_session,
    session_over,
    settle,
    text_of,
    until,
    write_stream,
)

from macro_engine.core.format import short_threshold_text
from macro_engine.options.settings import Layer
from macro_engine.run.alarms import parse
from macro_engine.run.engine import Engine
from macro_engine.run.session import Session
from macro_engine.stream.opening import open_stream
from macro_tui.screens.details import DetailsScreen
from macro_tui.screens.help import HelpScreen
from macro_tui.screens.prompt import Prompt
from macro_tui.view.decision import nearest_view
from macro_tui.view.events import picked_place
from macro_tui.view.keys import KEYS
from macro_tui.view.viewport import Viewport


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return write_stream(tmp_path_factory.mktemp("made") / "flights.csv")


@pytest.fixture(scope="module")
def finished(stream):
    session = finished_session(stream)
    yield session
    session.close()


class Opened:
    """A monitor whose main screen is open."""

    def __init__(self, session, size=(120, 30), **options):
        self.app = monitor_of(session, **options)
        self.context = self.app.run_test(size=size)

    async def __aenter__(self):
        self.pilot = await self.context.__aenter__()
        await open_main(self.app, self.pilot)
        self.main = self.app.screen
        return self

    async def __aexit__(self, *error):
        await self.context.__aexit__(*error)

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await settle(self.app, self.pilot)

    @property
    def view(self):
        return self.main.view


PRESSED = {
    "left": ["left"],
    "right": ["left", "left", "right"],
    "shift+left": ["shift+left"],
    "shift+right": ["home", "shift+right"],
    "home": ["home"],
    "i": ["i"],
    "plus": ["plus"],
    "minus": ["plus", "plus", "minus"],
    "t": ["t"],
    "m": ["m"],
    "w": ["w"],
    "c": ["c"],
    "N": ["N"],
    "n": ["home", "n"],
    "e": ["e"],
    "up": ["5", "up"],
    "down": ["6", "down"],
    "pageup": ["5", "pageup"],
    "pagedown": ["6", "pagedown"],
    "o": ["o"],
}


@pytest.mark.slow
async def test_each_key_changes_what_is_looked_at(finished):
    async with Opened(finished) as opened:
        without_effect = []
        for name, (*first, last) in PRESSED.items():
            opened.main.look(Viewport())
            opened.main.put_panels()
            await opened.pilot.press(*first)
            before = opened.view
            await opened.press(last)
            if opened.view == before:
                without_effect.append(name)
        assert not without_effect


@pytest.mark.slow
@pytest.mark.parametrize("key", ["end", "escape", "shift+right"])
async def test_whoever_returns_to_now_leaves_the_event_too(finished, key):
    async with Opened(finished, size=(160, 50)) as opened:
        await opened.press("N")
        assert opened.view.event is not None
        while opened.view.moment is not None:
            await opened.press(key)
        assert opened.view.event is None
        assert opened.main.shown is not None
        assert picked_place(opened.main.shown) is None


@pytest.mark.slow
async def test_a_step_has_one_number_all_over_the_screen(finished):
    async with Opened(finished) as opened:
        assert " 600 steps " in text_of(opened.app).splitlines()[0]
        for key in ("home", "shift+right"):
            await opened.press(key)
            first, *rest = text_of(opened.app).splitlines()
            name = re.search(r"LOOKING BACK at (step \d+), ", first)[1]
            assert any(f"and why  {name}, " in line for line in rest)


async def test_columns_are_those_of_the_chart_while_it_is_hidden(finished, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with Opened(finished, size=(80, 24)) as opened:
        await opened.press("left", "left")
        moment = opened.view.moment
        await opened.press("x", "end", "5", "left", "left")
        assert opened.view.expanded == "events"
        assert opened.view.moment == moment
        await opened.press("x")
    name = f"macro-tui-step-{moment - 1}"
    assert Path(f"{name}.csv").read_text() == Path(f"{name}-2.csv").read_text()


@pytest.mark.slow
async def test_a_panel_that_opens_does_not_wait_for_the_next_turn_to_draw(finished):
    async with Opened(finished, size=(80, 24)) as opened:
        opened.main.rest_until = monotonic() + 1000
        await opened.pilot.press("6")
        await until(lambda: "by use; Enter opens one" in text_of(opened.app), seconds=3)
        opened.main.rest_until = monotonic() + 1000
        await opened.pilot.resize_terminal(160, 50)
        await opened.pilot.press("escape")
        await until(lambda: "EWA weights over time" in text_of(opened.app), seconds=3)


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
    session.stop(5)
    session.close()


@pytest.mark.slow
async def test_a_stream_without_times_has_no_times_to_go_to(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,label\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(900)))

    def load(listener, unnamed):
        layer = Layer.read(
            "the test", {"time": "", "every": "10", "label": "label", "features": "a"}, of_user=True
        )
        return Engine(open_stream([path], [layer]), listener=listener, run_file=unnamed)

    session = Session(load)
    async with Opened(session) as opened:
        await until(lambda: session.snapshot.has_ended)
        await opened.press("g", *"2001-03-14", "enter")
        assert "this stream has no times" in text_of(opened.app).splitlines()[-1]
        assert opened.view.moment is None
        await opened.press("left")
        assert f"step {opened.view.moment - 1} " in text_of(opened.app).splitlines()[3]
    session.close()


@pytest.mark.slow
async def test_thresholds_that_fall_are_shown_as_they_are_in_force(stream):
    session = session_over(stream, eps_power="0.2")
    async with Opened(session) as opened:
        await until(lambda: session.snapshot.has_ended)
        listed = 0
        for moment in (3, 150, *range(560, 600)):
            opened.main.look(opened.view.at(moment, STEPS))
            scene = opened.main.shown
            shown, k = nearest_view(scene), scene.member
            if shown.of_step is None and not shown.is_birth:  # its own distances are kept
                within = [n for n, distance in shown.nearest if distance <= shown.threshold]
                assert len(within) == scene.step.close[k]
                listed += 1
            decided = moment if shown.of_step is None else shown.of_step + 1
            assert shown.threshold == scene.history.names.members[k].threshold * decided**-0.2
            if shown.of_step is None:
                assert f" within {short_threshold_text(shown.threshold)}" in text_of(opened.app)
        assert listed
    session.close()


@pytest.mark.slow
async def test_a_filter_that_nothing_passes_says_so(finished):
    async with Opened(finished) as opened:
        await opened.press("slash", *"gap", "enter")
        assert "no event has that text or is of that kind" in text_of(opened.app)
        await opened.press("slash", *(["backspace"] * 3), *"#6", "enter")
        assert " 1 event; n and N" in text_of(opened.app)


@pytest.mark.slow
@pytest.mark.parametrize(
    "keys", [["question_mark"], ["6", "enter"], ["g"], ["ctrl+p"], ["ctrl+p", *"go"]]
)
async def test_what_opens_over_the_screen_is_ascii_too(finished, keys):
    async with Opened(finished, size=(80, 24), ascii=True) as opened:
        await opened.press(*keys)
        await asyncio.sleep(0.3)
        await settle(opened.app, opened.pilot)
        shown = text_of(opened.app)
        assert opened.app.screen is not opened.main
        assert shown.isascii(), set(shown) - set(map(chr, range(128)))


@pytest.mark.slow
async def test_end_and_escape_return_to_now(finished):
    async with Opened(finished) as opened:
        await opened.press("left")
        assert "LOOKING BACK" in text_of(opened.app)
        await opened.press("end")
        assert opened.view.moment is None
        await opened.press("home", "escape")
        assert opened.view.moment is None
        assert "LOOKING BACK" not in text_of(opened.app)


@pytest.mark.slow
async def test_panels_take_the_focus_and_those_without_a_place_open(finished):
    async with Opened(finished, size=(80, 24)) as opened:
        for number in "1234":
            await opened.press(number)
            assert opened.view.expanded is None
        await opened.press("tab")
        assert opened.main.focused_panel.key == "errors"
        await opened.press("shift+tab")
        assert opened.main.focused_panel.key == "weights"
        await opened.press("5")
        assert opened.view.expanded == "events"
        await opened.press("escape", "6")
        assert opened.view.expanded == "subroutines"


@pytest.mark.slow
async def test_zoom_goes_to_the_timeline_where_it_has_the_focus(finished):
    async with Opened(finished) as opened:
        await opened.press("3", "plus")
        assert opened.view.width is None
        assert opened.view.timeline_width is not None


@pytest.mark.slow
async def test_enter_jumps_to_an_event_and_opens_a_subroutine(finished):
    async with Opened(finished) as opened:
        await opened.press("5", "up", "up", "enter")
        event = dict(opened.main.event_log.chosen)[opened.view.event]
        assert opened.view.moment == event.step + 1
        await opened.press("6", "enter")
        assert isinstance(opened.app.screen, DetailsScreen)
        assert "as of the newest step" in text_of(opened.app)
        await opened.press("escape")
        assert opened.app.screen is opened.main


async def test_a_filter_narrows_the_events(finished):
    async with Opened(finished) as opened:
        everything = len(opened.main.event_log.chosen)
        await opened.press("slash", *"leader", "enter")
        assert 0 < len(opened.main.event_log.chosen) < everything
        assert {event.kind for _, event in opened.main.event_log.chosen} == {"leader"}
        await opened.press("escape")
        assert len(opened.main.event_log.chosen) == everything


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "moment"), [("50%", STEPS // 2 + 1), ("400", 101), ("2001-03-02", 145)]
)
async def test_going_back_is_a_view(finished, typed, moment):
    async with Opened(finished) as opened:
        await opened.press("g")
        opened.app.screen.query_one("Input").value = typed
        await opened.press("enter")
        assert opened.view.moment == moment


@pytest.mark.slow
async def test_a_place_that_is_none_is_refused_in_words(finished):
    async with Opened(finished) as opened:
        await opened.press("g", *"nowhere", "enter")
        assert isinstance(opened.app.screen, Prompt)
        assert "'nowhere' is no place" in text_of(opened.app)


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


async def test_alarms_call_until_they_are_acknowledged(finished):
    async with Opened(finished, alarms=(parse("ftl > 0.2"),)) as opened:
        assert " ALARM " in text_of(opened.app)
        await opened.press("a")
        assert " ALARM " not in text_of(opened.app)


async def test_only_a_pause_that_is_long_enough_rings(finished):
    longest = 4  # minutes, from the last row of a step to the next step
    async with Opened(finished, alarms=(parse(f"no rows for {longest + 1}m"),)) as opened:
        assert not opened.main.session.alarms.calling
    async with Opened(finished, alarms=(parse(f"no rows for {longest}m"),)) as opened:
        assert "there were none for 4 min" in text_of(opened.app)


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
async def test_the_mouse_looks_where_it_clicks(finished):
    async with Opened(finished) as opened:
        await opened.pilot.click("#errors Curves", offset=(20, 3))
        assert opened.view.moment is not None
        before = opened.view.moment
        await opened.pilot.click("#timeline Timeline", offset=(30, 1))
        assert opened.view.moment != before


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
        await opened.press("g", *"1000", "enter")
        await until(lambda: session.history.steps == 250)
        assert opened.view.moment is None
        await opened.press("home")
        await opened.press("space")
        await until(lambda: session.snapshot.state == "finished")
        await opened.press("space")
        assert "all of it was played" in text_of(opened.app)
        assert opened.view.moment == 1
    session.stop(5)
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
