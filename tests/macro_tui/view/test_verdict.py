"""The verdict opens with MACRO, whoever gives the prediction."""

from dataclasses import replace

import numpy as np
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
            session.thread.join(120)
            assert session.error is None
            sessions[strategies] = session
        scene = scene_of(sessions[strategies], strategy, moment)
        return texts([verdict(scene, width)])[0]

    yield found
    for session in sessions.values():
        session.close()


def test_it_opens_with_macro_says_where_its_lead_comes_from_and_what_is_beside_it(verdict_of):
    for strategy in ("ftl", "mixed"):
        assert verdict_of("ftl,ewa,mixed", strategy) == (
            "MACRO 32.5 %, 3.8 points better than base; 85 % of it from #3; mixed 36.2 %"
        )
    assert verdict_of("ftl,ewa,mixed", "ewa").startswith("MACRO 32.1 %, 4.1 points better")


def test_with_little_room_the_error_of_the_prediction_stays(verdict_of):
    short = verdict_of("ftl,ewa,mixed", "mixed", 60)
    assert short == "MACRO 32.5 %, 3.8 points better; mixed 36.2 %"


def test_with_more_room_it_has_more_words_and_clauses(verdict_of):
    assert verdict_of("ftl,ewa,mixed", "mixed", 200) == (
        "MACRO 32.5 %, 3.8 points better than the baseline; 85 % of it from #3, 26 % of rows, as #3: "
        "'punctual' 92 %, 'late' 8 %; mixed 36.2 %, MACRO pulls 60 % of mixed; lately 4.5 better; "
        "EWA 32.1 %"
    )


def test_of_the_past_it_says_what_held_then(verdict_of):
    assert verdict_of("ftl,ewa,mixed", "mixed", 120, moment=50).startswith(
        "MACRO 26.0 %, baseline 25.5 %: too early to tell (200 rows); mixed 25.5 %, MACRO pulls 25 %"
    )


def test_at_80_columns_it_says_where_the_lead_comes_from(verdict_of):
    assert verdict_of("ftl,ewa", "ftl") == (
        "MACRO 32.5 %, 3.8 points better than the baseline; 85 % of it from #3"
    )


def test_without_macro_it_opens_with_the_prediction(verdict_of):
    assert verdict_of("mixed", "mixed").startswith(
        "mixed 36.2 %, baseline 36.2 %: too early to tell"
    )


class LoneLabel:
    """A scene in which only some numbers differ from a real one."""

    def __init__(self, scene, **changes):
        self.scene, self.changes = scene, changes

    def __getattr__(self, name):
        return self.changes.get(name) if name in self.changes else getattr(self.scene, name)


@pytest.fixture
def scene(tmp_path):
    session = session_over(write_stream(tmp_path / "d.csv"))
    session.start()
    session.thread.join(120)
    yield scene_of(session)
    session.close()


def errors_of(scene, **errors):
    found = scene.errors.copy()
    for name, error in errors.items():
        found[scene.history.index(name)] = error
    return found


@pytest.mark.parametrize(
    ("no_change", "words"), [(32.5, "as good"), (31.0, "better"), (34.0, "worse")]
)
def test_no_change_is_named_where_it_is_the_best_baseline(scene, no_change, words):
    told = LoneLabel(scene, errors=errors_of(scene, no_change=no_change))
    (text,) = texts([verdict(told, 120)])
    assert f"; no-change {no_change} %, {words}" in text
    assert "no-change" not in texts([verdict(scene, 120)])[0]


def test_it_speaks_of_the_rows_that_were_used(scene):
    told = LoneLabel(scene, snapshot=replace(scene.snapshot, rejected=720))
    assert texts([verdict(told, 120)])[0].startswith("MACRO 32.5 % on 77 % of rows, 3.8 points")


def test_a_loss_has_its_origin_too(scene, monkeypatch):
    monkeypatch.setattr(type(scene.history), "confidence", lambda *_: (-5.0, -1.0))
    monkeypatch.setattr(type(scene.usage), "points", lambda *_: np.array([0, -0.5, -1.5, 0, 0]))
    told = LoneLabel(scene, errors=errors_of(scene, ftl=38.2))
    (text,) = texts([verdict(told, 120)])
    assert text.startswith("MACRO 38.2 %, 2.0 points worse than the baseline; all of it from #1")


def test_what_is_surely_near_is_level(scene, monkeypatch):
    monkeypatch.setattr(type(scene.history), "confidence", lambda *_: (-0.4, 0.3))
    assert texts([verdict(scene, 80)])[0].startswith("MACRO 32.5 %, level with the baseline")
