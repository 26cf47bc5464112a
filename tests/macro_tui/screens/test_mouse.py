"""The wheel scrolls the list under it; a click picks what it hits."""

import pytest
from made_sessions import Opened, settle
from textual._xterm_parser import XTermParser

from macro_tui.view import events, subroutines

SIZE = (160, 50)
UP, DOWN = 64, 65


async def scroll(opened, wheel, selector):
    """A notch of the wheel as a terminal says it: a place on the screen, and no widget."""
    region = opened.main.query_one(selector).content_region
    said = f"\x1b[<{wheel};{region.x + 3};{region.y + 2}M"
    for event in XTermParser().feed(said):
        opened.app.post_message(event)
    await opened.pilot.pause()
    await settle(opened.app, opened.pilot)


@pytest.mark.slow
async def test_a_click_picks_an_event_a_threshold_and_a_subroutine(finished):
    async with Opened(finished, size=SIZE) as opened:
        main = opened.main
        await opened.pilot.click("#events Paragraph:last-child", offset=(5, 3))
        assert opened.view.event == main.shown.listed[3][0]
        assert events.picked_place(main.shown) == 3
        await opened.pilot.click("#weights Weights", offset=(5, 1))
        assert main.shown.member == 0
        await opened.pilot.click("#weights Weights", offset=(5, 3))
        assert main.shown.member == 2
        await opened.pilot.click("#subroutines Paragraph:last-child", offset=(5, 2))
        assert opened.view.subroutine == subroutines.lines(main.shown)[1].number
        before = opened.view
        await opened.pilot.click("#subroutines .title", offset=(5, 0))
        await opened.pilot.click("#weights Weights", offset=(5, 0))
        assert opened.view == before


@pytest.mark.slow
async def test_the_wheel_scrolls_the_list_under_it_and_zooms_elsewhere(finished):
    async with Opened(finished, size=SIZE) as opened:
        await scroll(opened, DOWN, "#events Paragraph:last-child")
        first = events.picked_place(opened.main.shown)
        await scroll(opened, DOWN, "#events Paragraph:last-child")
        assert events.picked_place(opened.main.shown) == first + 3
        await scroll(opened, UP, "#events Paragraph:last-child")
        assert events.picked_place(opened.main.shown) == first
        assert opened.view.width is None
        member = opened.main.shown.member
        await scroll(opened, UP, "#weights Weights")
        assert opened.main.shown.member == max(member - 1, 0)
        await scroll(opened, UP, "#errors Curves")
        assert opened.view.width is not None
