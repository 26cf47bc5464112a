"""At 80x24 the screen answers what somebody on night shift asks."""

import re

import pytest
from made_sessions import Opened, finished_session
from made_snapshots import FOLDER

from macro_engine.run.alarms.alarms import parse

ANSWERS = {
    "is it better overall?": r"^MACRO [\d.]+ %, [\d.]+ points better than the baseline",
    "is it better now?": r"^█ MACRO \+[\d.]+ +last [\d,]+ steps",
    "where does the lead come from?": r"; \d+ % of it from #\d+",
    "which situation is it?": r"^its situation: '\w+' \d+ %",
    "why this subroutine?": r"^#\d+ is active: nearest of \d+ inside [\d.]+",
    "is the feed healthy?": r"^the end of the recording +100% +0 rejected +0 late",
}


@pytest.mark.slow
async def test_the_four_questions_are_answered_at_80x24(finished):
    async with Opened(finished, size=(80, 24)) as opened:
        strips = opened.app.screen._compositor.render_strips()
        text = "\n".join("".join(s.text for s in strip).rstrip() for strip in strips)
    missing = [asked for asked, answer in ANSWERS.items() if not re.search(answer, text, re.M)]
    assert not missing, text


def test_what_needs_doing_stands_beside_the_verdict():
    text = (FOLDER / "alarm-80x24.txt").read_text()
    assert re.search(r"^ ALARM \(a\) ftl > 0.2  MACRO [\d.]+ %, [\d.]+ points better", text, re.M)


@pytest.mark.slow
async def test_an_alarm_that_was_answered_and_holds_is_counted(stream):
    session = finished_session(stream, [parse("ftl > 0.2")])
    async with Opened(session, size=(80, 24)) as opened:
        await opened.press("a")
        text = "".join(part for part, _ in opened.main.query_one("#verdict").rows[0])
    assert text.startswith(" 1 alarm still on  MACRO ")
    session.close()
