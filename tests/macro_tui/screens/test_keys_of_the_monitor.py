"""Every key does what its table says."""

import asyncio
import re
from pathlib import Path
from time import monotonic

import pytest
from made_sessions import (
    STEPS,
    Opened,
    session_over,
    settle,
    text_of,
    until,
)

from macro_engine.core.format import short_threshold_text
from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine
from macro_engine.run.session import Session
from macro_engine.stream.opening import open_stream
from macro_tui.screens.details import DetailsScreen
from macro_tui.screens.event import EventScreen
from macro_tui.screens.prompt import Prompt
from macro_tui.view.decision import nearest_view
from macro_tui.view.events import picked_place
from macro_tui.view.viewport import Viewport

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
    "M": ["M"],
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
async def test_y_shows_the_metrics_until_it_is_pressed_again(finished):
    async with Opened(finished, size=(80, 24)) as opened:
        await opened.press("y")
        assert "log loss  balanced precision    recall        F1" in text_of(opened.app)
        await opened.press("y")
        assert "log loss" not in text_of(opened.app)


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


@pytest.mark.slow
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
        await until(lambda: "by points of the lead; Enter" in text_of(opened.app), seconds=3)
        opened.main.rest_until = monotonic() + 1000
        await opened.pilot.resize_terminal(160, 50)
        await opened.pilot.press("escape")
        await until(lambda: "EWA weights over time" in text_of(opened.app), seconds=3)


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
            assert shown.threshold == scene.history.names.members[k].threshold * moment**-0.2
            assert f" inside {short_threshold_text(shown.threshold)}" in text_of(opened.app)
            within = [n for n, distance in shown.nearest if distance <= shown.threshold]
            if shown.of_step is None:  # the distances of all are of this step
                assert len(within) == shown.inside
                listed += 1
            assert shown.is_birth or shown.active in within
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
async def test_chart_weights_and_timeline_show_one_stretch(finished):
    async with Opened(finished, size=(160, 50)) as opened:
        for keys in ([], ["plus"], ["3", "plus"], ["home"]):
            await opened.press(*keys)
            scene = opened.main.shown
            pages = [scene.page, scene.page_of(37), scene.page_of(150)]
            assert len({(page.start, page.stop) for page in pages}) == 1
            labels = [[text for _, text in scene.labels(page)] for page in pages]
            assert labels[0] == labels[1] == labels[2] != []
        assert opened.view.width is not None


@pytest.mark.slow
async def test_enter_jumps_to_an_event_and_opens_a_subroutine(finished):
    async with Opened(finished) as opened:
        await opened.press("5", "up", "up", "enter")
        event = dict(opened.main.event_log.chosen)[opened.view.event]
        assert opened.view.moment == event.step + 1
        assert isinstance(opened.app.screen, EventScreen)
        assert event.text[:30] in text_of(opened.app)
        await opened.press("escape", "6", "enter")
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
    ("typed", "moment"),
    [
        ("50%", STEPS // 2 + 1),
        ("400", 401),
        ("row 400", 101),
        ("step 1,0", 11),
        ("2001-03-02", 145),
    ],
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
        assert "'nowhere' is not a position" in text_of(opened.app)


@pytest.mark.slow
async def test_the_mouse_looks_where_it_clicks(finished):
    async with Opened(finished) as opened:
        await opened.pilot.click("#errors Curves", offset=(20, 3))
        assert opened.view.moment is not None
        before = opened.view.moment
        await opened.pilot.click("#timeline Timeline", offset=(30, 1))
        assert opened.view.moment != before
