"""The verdict opens with MACRO, whoever gives the prediction."""

import pytest
from made_sessions import scene_of, session_over, write_stream
from made_strategy import mixed  # noqa: F401 (a fixture)
from made_views import texts

from macro_tui.view.verdict import verdict


@pytest.fixture
def verdict_of(tmp_path, mixed):  # noqa: F811, ARG001
    """Gives the verdict on a run of some strategies, if one of them gives the prediction."""
    sessions = {}

    def found(strategies, strategy, width=80, moment=None):
        if strategies not in sessions:
            session = session_over(write_stream(tmp_path / "d.csv"), strategies=strategies)
            session.start()
            session.thread.join(60)
            assert session.error is None
            sessions[strategies] = session
        scene = scene_of(sessions[strategies], strategy, moment)
        return texts([verdict(scene, width)])[0]

    yield found
    for session in sessions.values():
        session.close()


def test_it_opens_with_macro_and_says_what_macro_is_to_the_other(verdict_of):
    for strategy in ("ftl", "mixed"):
        assert verdict_of("ftl,ewa,mixed", strategy) == (
            "MACRO: FTL 32.5% 3.8 points below baseline; mixed 36.2%, MACRO pulls 60% of it"
        )
    assert verdict_of("ftl,ewa,mixed", "ewa") == (
        "MACRO: EWA 32.1% 4.1 points below baseline; mixed 36.2%, MACRO pulls 60% of it"
    )


def test_with_more_room_it_has_more_words_and_clauses(verdict_of):
    assert verdict_of("ftl,ewa,mixed", "mixed", 160) == (
        "MACRO: FTL 32.5% 3.8 points (10.5%) fewer errors than the baseline; mixed 36.2%, MACRO "
        "pulls 60% of it; lately 4.5 fewer; EWA 32.1%; baseline 36.2%"
    )


def test_of_the_past_it_says_what_held_then(verdict_of):
    assert verdict_of("ftl,ewa,mixed", "mixed", moment=50).endswith("MACRO pulls 25% of it")


def test_where_only_macro_is_computed_it_is_not_named(verdict_of):
    assert verdict_of("ftl,ewa", "ftl").startswith("FTL 32.5% 3.8 points (10.5%) fewer errors")


def test_without_macro_it_opens_with_the_prediction(verdict_of):
    assert verdict_of("mixed", "mixed").startswith("mixed 36.2% as many errors as the baseline")
