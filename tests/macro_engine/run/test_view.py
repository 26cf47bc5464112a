"""The two views of a run: of one in this process, and of a run file."""

import numpy as np
import pytest
from made_runs import engine, write_stream

from macro_engine.core.errors import MacroError
from macro_engine.core.state import DamagedError
from macro_engine.run.alarms.alarms import parse
from macro_engine.run.events import Event
from macro_engine.run.session import Session
from macro_engine.run.summary import Summary
from macro_engine.run.watched import WatchedRun
from macro_engine.stream.table import Rejections


def until_ended(run, steps):
    run.start()
    run.thread.join(30 if steps is None else 0.5)
    while steps is not None and (run.history is None or run.history.steps < steps):
        assert run.error is None
        run.thread.join(0.1)


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    """The same finished run twice: as the process that made it sees it, and from its file."""
    folder = tmp_path_factory.mktemp("views")
    stream = write_stream(folder / "d.csv")
    text = stream.read_text().splitlines()
    stream.write_text(
        "\n".join([*text[:5], text[5].replace(text[5].split(",")[1], "oops"), *text[6:]])
    )
    session = Session(lambda listener, _: engine(stream, folder / "a.run", listener))
    session.set_alarms([parse("ftl > 0")])
    until_ended(session, None)
    assert session.error is None
    watched = WatchedRun(folder / "a.run")
    watched.set_alarms([parse("ftl > 0")])
    until_ended(watched, session.history.steps)
    yield session, watched
    watched.stop(60)
    watched.close()
    session.close()


def test_both_have_the_same_past(views):
    session, watched = views
    moments = np.array([1, session.history.steps])
    assert (session.history.at(moments).wrong == watched.history.at(moments).wrong).all()
    assert session.events() == watched.events()
    assert session.snapshot.errors == watched.snapshot.errors


def test_both_have_the_same_summary(views):
    session, watched = (view.summary() for view in views)
    assert session.rejected == 1
    assert session.reasons[0].lines == (6,)
    assert session.reasons == watched.reasons
    assert session.inputs == watched.inputs == ("d.csv",)
    assert (session.rows, session.steps) == (watched.rows, watched.steps)
    assert session.errors == watched.errors
    assert session.members == watched.members
    assert sum(session.labels) == session.rows == sum(watched.labels)


def test_both_know_what_a_subroutine_learned(views):
    session, watched = (view.parameters(0, 1) for view in views)
    assert session.columns == watched.columns
    assert (session.values == watched.values).all()


def test_only_the_process_that_runs_it_may_play_and_note(views):
    session, watched = views
    assert session.controls is not None
    assert not session.no_controls
    assert watched.controls is None
    assert watched.no_controls
    assert session.can_note
    assert not watched.can_note
    watched.note([Event(1, None, "bookmark", "not written")])
    assert not watched.events(["bookmark"])


def test_a_view_without_steps_has_no_summary(tmp_path):
    run = Session(lambda listener, unnamed: engine(tmp_path / "nowhere.csv", unnamed, listener))
    assert run.summary() is None
    until_ended(run, None)
    assert isinstance(run.error, MacroError)
    assert run.summary() is None
    run.close()


def test_both_watch_for_alarms_and_only_the_past_is_silent(views):
    session, watched = views
    (change,) = [change for change in session.changed_alarms() if change.is_raised]
    assert [event.text for _, event in session.events(["alarm"])] == [change.text]
    assert session.alarms.calling == watched.alarms.calling == [change]
    assert not [change for change in watched.changed_alarms() if change.rule.kind == "error"]


@pytest.mark.parametrize(
    "damage",
    [
        {"rows": None},
        {"rows": 10**400},
        {"seconds": float("nan")},
        {"errors": 3},
        {"errors": {"ftl": float("inf")}},
        {"thresholds": [1]},
        {"classes": 7},
        {"late": "x"},
    ],
    ids=str,
)
def test_a_summary_that_somebody_else_wrote_is_checked(views, damage):
    document = views[0].summary().document | damage
    with pytest.raises(DamagedError):
        Summary.read(document, [], Rejections())
