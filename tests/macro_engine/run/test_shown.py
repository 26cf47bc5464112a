"""What a strategy shows beside its answers goes through the steps and the run file."""

import asyncio
import json

import numpy as np
import pytest
from made_runs import engine, run, run_until, write_stream
from made_sessions import until
from made_strategy import halves, mixed, newest, toy  # noqa: F401 (fixtures)

from macro_engine.core.errors import MacroError
from macro_engine.core.members import grid
from macro_engine.core.names import Names, Shown
from macro_engine.core.state import DamagedError, pack, unpack
from macro_engine.run.alarms.alarms import Alarms, parse
from macro_engine.run.engine import Engine, Listener
from macro_engine.run.pulls import PullLeads
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.store.stored_names import names_of
from macro_engine.run.watched import WatchedRun
from macro_engine.strategies import Answer

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
    with pytest.raises(MacroError, match="its strategies showed other values"):
        run(engine(stream, tmp_path / "a.run", **CHOSEN))


def test_what_is_shown_in_a_wrong_shape_is_refused_in_words(stream, mixed):  # noqa: F811
    mixed.parts = {}
    with pytest.raises(MacroError, match=r"the strategy 'mixed' shows 'pull' as \(\d+, 4\)"):
        run(engine(stream, **CHOSEN))


LEADING = {"strategies": "ftl,newest", "strategy": "newest", "thresholds": ".01,.1,.3"}
WEIGHING = {"strategies": "ftl,ewa,halves", "strategy": "halves", "thresholds": ".01,.1,.3"}


def losses_before(steps):
    """Members by steps: the shares wrong in the step before."""
    losses = steps.member_wrong / steps.lengths
    return np.concatenate([np.zeros((len(losses), 1)), losses[:, :-1]], axis=1)


@pytest.mark.usefixtures("newest")
def test_the_leader_of_the_strategy_that_predicts_is_the_one_that_is_told_everywhere(
    stream, tmp_path
):
    path, rung = tmp_path / "a.run", []
    made = engine(stream, path, Listener(alarm=rung.append), **LEADING)
    made.watch_for(Alarms([parse("leader changed")]))
    run(made)
    reader = RunReader(path)
    names, steps = reader.names, reader.results(0, reader.steps)
    events = [(event.step, event.text) for _, event in reader.events(["leader"])]
    summary = reader.info["summary"]
    reader.close()
    leaders = losses_before(steps).argmin(axis=0)
    assert (names.leading, names.weighing, names.shown) == ("newest", "", ())
    assert steps.leaders.tolist() == steps.shown_members.tolist() == leaders.tolist()
    before = [2, *leaders[:-1].tolist()]
    expected = [
        (s, f"newest leader {names.member_names[old]} -> {names.member_names[new]}")
        for s, (old, new) in enumerate(zip(before, leaders.tolist(), strict=True))
        if old != new
    ]
    assert len(expected) > 5
    assert events == expected
    assert rung
    assert summary["lead"]["threshold"] == names.members[leaders[-1]].threshold


@pytest.mark.usefixtures("newest")
@pytest.mark.parametrize("late", [{}, {"label_delay": "2h"}])
def test_what_is_emitted_names_the_leader(stream, tmp_path, late):
    path = tmp_path / "a.run"
    opened = engine(stream, **LEADING, **late).opened
    run(Engine(opened, run_file=path, emit=str(tmp_path / "e.jsonl")))
    reader = RunReader(path)
    names, steps = reader.names, reader.results(0, reader.steps)
    reader.close()
    lines = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    by_row = np.repeat(steps.leaders, steps.lengths).tolist()
    assert len({*by_row}) == 3
    assert [line["member"] for line in lines] == [names.member_names[k] for k in by_row]


@pytest.mark.usefixtures("newest")
@pytest.mark.parametrize(
    ("strategies", "strategy", "leading"),
    [("ftl,newest", "ftl", "ftl"), ("ewa,newest", "ewa", "newest"), ("ewa", "ewa", "")],
)
def test_the_prediction_names_the_leader_or_else_the_first_that_has_one(
    stream, strategies, strategy, leading
):
    made = run(engine(stream, strategies=strategies, strategy=strategy))
    assert made.pipeline.names.leading == leading


def test_a_leader_that_is_no_member_is_refused_in_words(stream, newest):  # noqa: F811
    newest.answer = lambda _self, forecasts: Answer(
        forecasts.members[0], None, {"leader": np.array([3])}
    )
    with pytest.raises(MacroError, match=r"shows 'leader' as \[3.*index of one of 3 members"):
        run(engine(stream, **LEADING))


@pytest.mark.usefixtures("halves")
def test_weights_that_losses_do_not_tell_are_stored_and_looked_at(stream, tmp_path):
    path = tmp_path / "a.run"
    for stop in (30, 1000):
        run_until(engine(stream, path, **WEIGHING), stop)
    watched = WatchedRun(path)
    watched.start()
    asyncio.run(until(lambda: watched.history is not None and watched.history.steps > 90))
    history = watched.history
    assert (history.names.leading, history.names.weighing) == ("ftl", "halves")
    moments = np.array([0, 1, 40, 90])
    weights = history.weights(moments)
    told = losses_before(history.results(0, 91))[:, moments[1:] - 1]
    expected = np.where(told > 0, 0.5, 1.0)
    np.testing.assert_allclose(weights[:, 1:], expected / expected.sum(axis=0), rtol=1e-6)
    assert not weights[:, 0].any()
    assert watched.stop(60)
    watched.close()


@pytest.mark.usefixtures("halves")
def test_ewa_is_weighed_where_it_comes_first(stream):
    made = run(engine(stream, strategies="ewa,halves", strategy="ewa"))
    assert made.pipeline.names.weighing == "ewa"
    assert {one.strategy for one in made.pipeline.names.shown} == {"halves"}


@pytest.mark.parametrize(("series", "expected"), [("ftl,ewa", ("ftl", "ewa")), ("blend", ("", ""))])
def test_a_file_that_does_not_say_who_leads_was_of_ftl_and_ewa(series, expected):
    info = {"series": ["marginal", "no_change", *series.split(",")], "members": [[6, 0.1]]}
    names = names_of(info, 2)
    assert (names.leading, names.weighing) == expected


def test_a_leader_that_is_no_series_is_damage():
    info = {"series": ["marginal", "no_change", "ewa"], "members": [[6, 0.1]], "leading": "ftl"}
    with pytest.raises(DamagedError, match="leading is none of its series"):
        names_of(info, 2)


@pytest.mark.usefixtures("toy")
def test_a_file_says_whose_prediction_it_was_where_the_named_one_was_left_out(tmp_path):
    rows = "".join(f"{i / 600},c{i % 101:03}\n" for i in range(600))
    (tmp_path / "d.csv").write_text("a,y\n" + rows)
    options = {"time": "", "label": "y", "features": "a", "categorical": "", "every": "20"}
    chosen = {"strategies": "ewa,toy,blend", "strategy": "blend"}
    made = run(engine(tmp_path / "d.csv", tmp_path / "a.run", **options, **chosen))
    assert made.pipeline.strategy == made.snapshot.strategy == "ewa"
    reader = RunReader(tmp_path / "a.run")
    assert reader.info["settings"]["strategy"] == "blend"
    assert reader.strategy == "ewa"
    reader.close()


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
