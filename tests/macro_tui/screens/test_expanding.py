"""A panel on the whole screen shows what it has no room for beside the others."""

import pytest
from made_sessions import Opened, text_of

MORE = {
    "1": r"error, steps  last 64  last 512  last 4,096  all steps",
    "2": r"threshold  chose  distance  inside  of",
    "3": r"steps  of all  of lead",
    "4": r"error  subs",
    "5": r"in the stream",
    "6": r"its situation then:",
}


@pytest.mark.slow
async def test_every_panel_shows_more_on_the_whole_screen(finished):
    async with Opened(finished, size=(80, 24)) as opened:
        beside = " ".join(text_of(opened.app).split())
        for key, more in MORE.items():
            await opened.press(key)
            if opened.view.expanded is None:  # else it has no place beside the others
                await opened.press("e")
            text = " ".join(text_of(opened.app).split())
            assert " ".join(more.split()) in text, key
            assert " ".join(more.split()) not in beside, key
            await opened.press("escape")
            assert opened.view.expanded is None


@pytest.mark.slow
async def test_rejected_rows_have_a_panel_of_their_own(finished):
    async with Opened(finished, size=(80, 24)) as opened:
        await opened.press("8")
        assert "[8] rejected rows" in text_of(opened.app)
        assert "no row was rejected" in text_of(opened.app)
