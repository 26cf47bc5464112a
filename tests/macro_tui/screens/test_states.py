"""Every state of the screen that has a name, as text at three sizes: one app for all of them.

UPDATE_SNAPSHOTS=1 writes them anew.
"""

import pytest
from made_sessions import Opened, finished_session, settle, text_of
from made_snapshots import compare

from macro_engine.run.alarms.alarms import parse

SIZES = ((80, 24), (120, 40), (160, 50))
STATES = {
    "errors": ["m"],
    "threshold": ["t"],
    "looking-back": ["home", "shift+right"],
    "zoomed": ["plus", "plus"],
    "big-chart": ["1", "e"],
    "big-decision": ["2", "e"],
    "big-timeline": ["3", "e"],
    "big-weights": ["4", "e"],
    "big-events": ["5", "e"],
    "big-subroutines": ["6", "e"],
    "rejected": ["8"],
    "event": ["5", "down", "enter"],
    "subroutine": ["6", "enter"],
    "filtered": ["slash", *"birth", "enter"],
    "metrics": ["y"],
    "stream": ["d"],
    "alarms": ["A"],
    "recall": ["M", "M", "M", "M"],
}


@pytest.fixture(scope="module")
def troubled(tmp_path_factory, stream):
    """A run with rejected rows, labels outside the classes and an alarm."""
    lines = stream.read_text().splitlines()
    for i in range(300, len(lines), 40):
        parts = lines[i].split(",")
        parts[{0: 1, 1: 3}[i // 40 % 2]] = {0: "", 1: "diverted"}[i // 40 % 2]
        lines[i] = ",".join(parts)
    path = tmp_path_factory.mktemp("troubled") / "flights.csv"
    path.write_text("\n".join(lines))
    options = {"classes": "late,punctual", "missing": "reject"}
    session = finished_session(path, [parse("ftl > 0.2"), parse("birth")], **options)
    yield session
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_states_look_as_they_should(troubled, size):
    async with Opened(troubled, size=size) as opened:
        app, main, plain = opened.app, opened.main, opened.view
        compare("state-plain-{}x{}".format(*size), text_of(app))
        for name, keys in STATES.items():
            for key in keys:
                if key != "e" or main.view.expanded is None:  # else it has no place beside others
                    await opened.pilot.press(key)
            await settle(app, opened.pilot)
            compare("state-{}-{}x{}".format(name, *size), text_of(app))
            while app.screen is not main:
                app.pop_screen()
                await settle(app, opened.pilot)
            main.view = plain
            main.choose_events("")
            main.put_panels()
            main.notice = ""
            main.query_one("#errors").focus()
            await settle(app, opened.pilot)
