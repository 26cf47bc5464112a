"""What a strategy shows beside its answers goes through the steps and the run file."""

import asyncio

import numpy as np
import pytest
from made_runs import engine, run, run_until, write_stream
from made_sessions import until
from made_strategy import mixed  # noqa: F401 (a fixture)

from macro_engine.core.errors import MacroError
from macro_engine.core.members import grid
from macro_engine.core.names import Names, Shown
from macro_engine.core.state import pack, unpack
from macro_engine.run.engine import Listener
from macro_engine.run.pulls import PullLeads
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.watched import WatchedRun

CHOSEN = {"strategies": "ftl,mixed"}
SHOWN = (
    *(Shown("mixed", "pull", part) for part in ("linear", "shares", "macro", "tiles")),
    Shown("mixed", "turning"),
    Shown("mixed", "turns"),
)


@pytest.fixture
def stream(tmp_path, mixed):  # noqa: F811, ARG001
    return write_stream(tmp_path / "d.csv", rows=1500)


def events_of(path):
    reader = RunReader(path)
    found = [(event.step, event.text) for _, event in reader.events(["pull"])]
    reader.close()
    return found


def test_it_is_stored_by_name_and_read_again(stream, tmp_path):
    steps = run(engine(stream, tmp_path / "a.run", **CHOSEN)).steps
    reader = RunReader(tmp_path / "a.run")
    assert reader.names.shown == SHOWN
    shown = reader.results(0, steps).shown
    reader.close()
    turns = np.arange(steps) // 40
    np.testing.assert_array_equal(shown[5], turns)
    np.testing.assert_array_equal(shown[2], np.where(turns % 2, 0.2, 0.6).astype(np.float32))


def test_the_history_has_it_at_any_moment_live_and_watched(stream, tmp_path):
    found = []
    run(engine(stream, tmp_path / "a.run", Listener(results=found.append), **CHOSEN))
    watched = WatchedRun(tmp_path / "a.run")
    watched.start()
    asyncio.run(until(lambda: watched.history is not None and watched.history.steps > 90))
    history = watched.history
    assert history.names.shown == SHOWN
    shown = history.at(np.array([0, 1, 41, 90])).shown
    assert np.isnan(shown[:, 0]).all()
    assert shown[5].tolist()[1:] == [0, 1, 2]
    assert found[0].shown[5, 0] == 0.0
    assert watched.stop(60)
    watched.close()


def test_a_part_that_takes_the_lead_is_an_event_also_after_a_stop(stream, tmp_path):
    steps = run(engine(stream, tmp_path / "whole.run", **CHOSEN)).steps
    parts = tmp_path / "parts.run"
    for stop in (30, 100):
        run_until(engine(stream, parts, **CHOSEN), stop)
    run(engine(stream, parts, **CHOSEN))
    texts = ("mixed: tiles takes the lead from MACRO", "mixed: MACRO takes the lead from tiles")
    expected = [(s, texts[s // 40 % 2 == 0]) for s in range(40, steps, 40)]
    assert events_of(tmp_path / "whole.run") == events_of(parts) == expected


def test_a_run_whose_strategies_show_something_else_now_is_not_resumed(stream, tmp_path, mixed):  # noqa: F811
    run_until(engine(stream, tmp_path / "a.run", **CHOSEN), 20)
    mixed.shows = ("turns",)
    with pytest.raises(MacroError, match="its strategies show other things"):
        run(engine(stream, tmp_path / "a.run", **CHOSEN))


def test_what_is_shown_in_a_wrong_shape_is_refused_in_words(stream, mixed):  # noqa: F811
    mixed.parts = {}
    with pytest.raises(MacroError, match=r"the strategy 'mixed' shows 'pull' as \(\d+, 4\)"):
        run(engine(stream, **CHOSEN))


class Made:
    def __init__(self, *pulls):
        self.shown = np.array(pulls, np.float32).T


def leads():
    shown = (Shown("x", "speed"), Shown("x", "pull", "a"), Shown("x", "pull", "b"))
    return PullLeads(Names(("marginal", "no_change", "x"), grid([1], [0.1]), 2, shown))


def test_a_lead_is_taken_by_a_clear_pull_alone():
    made = leads()
    assert made.changes(Made([9, 0, 0], [9, 1, 0], [9, 1, 1.05], [9, 1, 1.2], [9, 1.25, 1.2])) == {
        3: "x: b takes the lead from a"
    }


def test_who_leads_is_remembered():
    first, later = leads(), leads()
    first.changes(Made([0, 1, 0]))
    later.restore(unpack(pack(first.state())))
    assert later.changes(Made([0, np.nan, np.nan], [0, 1, 2])) == {1: "x: b takes the lead from a"}
