"""What goes to the terminal is the refreshed span and nothing left of it."""

import re

from textual.drivers.headless_driver import HeadlessDriver

from macro_tui.widgets.lines import Lines
from macro_tui.widgets.updates import SpansApp

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal(HeadlessDriver):
    sent = ""

    @property
    def is_headless(self):
        return False

    def write(self, data):
        Terminal.sent += data


class Page(SpansApp):
    def compose(self):
        yield Lines()


async def sent_for(rows, pilot, app):
    await pilot.pause(0.1)
    Terminal.sent = ""
    app.query_one(Lines).show(rows)
    await pilot.pause(0.1)
    return ESCAPES.sub("", Terminal.sent)


async def test_only_the_changed_span_is_sent():
    app = Page(driver_class=Terminal)
    async with app.run_test(headless=False, size=(30, 3)) as pilot:
        await sent_for([[("0123456789", "label")], [("abc", "ewa")]], pilot, app)
        assert await sent_for([[("01234XY789", "label")], [("abc", "ewa")]], pilot, app) == "XY"


async def test_nothing_is_sent_when_nothing_changed():
    app = Page(driver_class=Terminal)
    async with app.run_test(headless=False, size=(30, 3)) as pilot:
        rows = [[("0123456789", "label")]]
        await sent_for(rows, pilot, app)
        assert await sent_for(rows, pilot, app) == ""
