"""Where the lead comes from."""

import numpy as np
import pytest
from made_sessions import finished_session, session_over, write_stream

from macro_engine.run.score.lead import COUNTS, Lead, differences
from macro_engine.run.watched import WatchedRun


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    session = finished_session(write_stream(tmp_path_factory.mktemp("lead") / "d.csv"))
    yield session
    session.close()


def plain(results, member, strategy):
    """The definition: rows gained in the steps in which each subroutine was active."""
    gained = {}
    for s in range(results.steps):
        number = int(results.active[member, s])
        gain = int(results.wrong_of("marginal")[s]) - int(results.wrong_of(strategy)[s])
        gained[number] = gained.get(number, 0) + gain
    return gained


@pytest.mark.parametrize("strategy", ["ftl", "ewa"])
@pytest.mark.parametrize("member", range(3))
def test_the_subroutines_of_any_member_share_out_the_whole_lead(session, member, strategy):
    results = session.history.results(0, 600)
    usage = session.history.usage(member, 600)
    wanted = plain(results, member, strategy)
    assert {n: int(g) for n, g in enumerate(usage.of(strategy)) if n} == wanted
    errors = session.summary().errors
    lead = 100 * (errors["marginal"] - errors[strategy])
    assert usage.points(strategy).sum() == pytest.approx(lead, abs=1e-12)


def test_of_the_past_it_is_what_held_then(session):
    results = session.history.results(0, 250)
    usage = session.history.usage(1, 250)
    assert {n: int(g) for n, g in enumerate(usage.of("ftl")) if n} == plain(results, 1, "ftl")


def test_the_summary_names_who_earned_it_and_sums_to_the_lead(session):
    told = session.summary().document["lead"]
    errors = session.summary().errors
    assert told["points"] == pytest.approx(100 * (errors["marginal"] - errors["ftl"]), abs=1e-12)
    points = [one["points"] for one in told["subroutines"]]
    assert points == sorted(points, reverse=True)
    assert sum(points) + told["others"]["points"] == pytest.approx(told["points"], abs=1e-12)
    assert sum(one["rows"] for one in told["subroutines"]) == pytest.approx(1)
    assert told["threshold"] == 0.2


def test_the_situation_in_words_is_the_history_at_the_birth(session):
    history, told = session.history, session.summary().document["lead"]
    for one in told["subroutines"]:
        assert one["situation"] == history.situation_at_birth(1, one["number"])
    step = history.births[1][3].step
    labels = history.results(step - 3, step).labels
    shares = np.bincount(labels, minlength=2) / len(labels)
    most = int(shares.argmax())
    words = f"'{history.classes[most]}' {shares[most]:.0%}".replace("%", " %")
    assert history.situation_at_birth(1, 4).startswith(words)


def test_a_rule_gives_its_name_to_situations(tmp_path):
    session = session_over(
        write_stream(tmp_path / "d.csv"), label="label == 'late'", features="a,b"
    )
    session.start()
    session.thread.join(120)
    assert session.error is None
    told = session.summary().document["lead"]["subroutines"]
    assert any(one["situation"].startswith("'label == 'late'' ") for one in told)
    assert all(one["situation"].count("%") <= 1 for one in told)
    session.close()


def test_blocks_of_any_length_and_a_state_in_between_give_the_same(session):
    history = session.history
    whole, parts = Lead(history.names), Lead(history.names)
    whole.update(history.results(0, 600))
    for start, stop in ((0, 1), (1, 7), (7, 200), (200, 600)):
        parts.update(history.results(start, stop))
        again = Lead(history.names)
        again.restore(parts.state())
        parts = again
    assert parts.document("ftl", history.titles) == whole.document("ftl", history.titles)


def test_room_for_subroutines_of_another_member_changes_no_sum(session):
    """A state has the same room for all members, and the order of additions may depend on it."""
    history, rng = session.history, np.random.default_rng(1)
    lead = Lead(history.names)
    lead.update(history.results(0, 600))
    lead.situations._grow(64)
    for _ in range(20):
        for k, usage in enumerate(lead.usage):
            room = 20 if k == lead.leader else 50
            for name in COUNTS:
                setattr(usage, name, rng.integers(1, 100, room))
            usage.gained = {name: rng.integers(-99, 99, room) for name in lead.strategies}
        again = Lead(history.names)
        again.restore(lead.state())
        found, wanted = (one.document("ftl", history.titles) for one in (again, lead))
        assert found["points"] == wanted["points"]
        assert found["others"] == wanted["others"]


def test_the_screen_and_the_summary_agree_on_what_is_luck(session):
    history, told = session.history, session.summary().document["lead"]
    assert history.confidence(600, "ftl") == (told["low"], told["high"])
    fresh = Lead(history.names)
    fresh.update(history.results(0, 100))
    low, high = history.confidence(100, "ftl")
    place = fresh.strategies.index("ftl")
    assert low == pytest.approx(100 * fresh.confidence.low[place])
    assert high == pytest.approx(100 * fresh.confidence.high[place])
    assert differences(history.results(0, 100)).shape == (2, 100)


def test_who_watches_sees_the_same(session):
    watching = WatchedRun(session.engine.run_file)
    watching.start()
    while watching.history is None or watching.history.steps < 600:
        assert watching.error is None
        watching.thread.join(0.05)
    assert watching.summary().document["lead"] == session.summary().document["lead"]
    assert watching.history.confidence(600, "ftl") == session.history.confidence(600, "ftl")
    assert watching.stop(60)
    watching.close()
