"""What learners and distances of others give is checked before anything is made of it."""

import math

import numpy as np
import pytest
from made_runs import engine, run, write_stream

from macro_engine.core.errors import MacroError
from macro_engine.discrepancy import DISTANCES, Discrepancy, Distance
from macro_engine.discrepancy import register as register_distance
from macro_engine.subroutines import NAMED, Subroutine
from macro_engine.subroutines import register as register_learner


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", rows=300)


class Learner(Subroutine):
    """Says what a test says."""

    def predict(self, rows):
        return np.zeros(len(rows), int)

    def learn(self, rows):
        """It learns nothing."""

    def copy(self):
        return type(self)()


class Apart(Discrepancy):
    """Compares numbers of rows."""

    def describe(self, history):
        return len(history)

    def between(self, now, reference):
        return abs(now - reference)

    def state(self, description):
        return {"rows": description}

    def restored(self, state):
        return state["rows"]


@pytest.fixture
def theirs():
    yield "theirs"
    NAMED.pop("theirs", None)
    DISTANCES.pop("theirs", None)


@pytest.mark.parametrize(
    ("predict", "words"),
    [
        (lambda _: None, r"predictions of shape \(\), type object"),
        (lambda _: np.zeros(1, int), r"predictions of shape \(1,\), type int64, where whole"),
        (lambda rows: np.full(len(rows), 0.5), "type float64, where whole numbers"),
        (lambda rows: np.full(len(rows), 2), "predicts class 2, where there are 0 to 1"),
        (lambda rows: np.full(len(rows), -1), "predicts class -1"),
    ],
)
def test_a_prediction_of_a_learner_that_does_not_fit_is_refused(stream, theirs, predict, words):
    made = type("Made", (Learner,), {"predict": lambda _self, rows: predict(rows)})
    register_learner(theirs, lambda _classes: made())
    with pytest.raises(MacroError, match=rf"the learner \S+\.Made .*{words}"):
        run(engine(stream, subroutine=theirs, every="2h"))


@pytest.mark.parametrize(
    ("row", "words"),
    [([math.nan, 1.0], r"\[nan, 1.0\], where numbers from 0"), ([2.0, -1.0], "sum 1"), ([1.0], "")],
)
def test_probabilities_of_a_learner_that_do_not_fit_are_refused(stream, theirs, row, words):
    tiled = {"probabilities": lambda _self, rows: np.tile(row, (len(rows), 1))}
    register_learner(theirs, lambda _classes: type("Made", (Learner,), tiled)())
    with pytest.raises(
        MacroError, match=rf"the learner \S+\.Made answers .*probabilities .*{words}"
    ):
        run(engine(stream, subroutine=theirs, strategies="ftl,blend"))


def test_what_is_no_learner_is_refused(stream, theirs):
    register_learner(theirs, lambda _classes: None)
    with pytest.raises(MacroError, match="the learner 'theirs' starts a NoneType"):
        run(engine(stream, subroutine=theirs))


@pytest.mark.parametrize("between", [math.nan, -1.0, None, "far"])
def test_what_is_no_distance_between_histories_is_refused(stream, theirs, between):
    made = type("Made", (Apart,), {"between": lambda *_: between})
    register_distance(theirs, Distance(lambda _shape: made(), history=6, thresholds=(0.1,)))
    with pytest.raises(MacroError, match=r"the distance \S+\.Made gives"):
        run(engine(stream, distance=theirs))


@pytest.mark.parametrize(
    "distance",
    [
        Apart,
        Distance(lambda _shape: Apart(), "6", (0.1,)),
        Distance(lambda _shape: Apart(), 6, ("a",)),
    ],
)
def test_what_is_no_distance_is_refused_as_it_is_registered(theirs, distance):
    with pytest.raises(TypeError, match=r"'theirs': a Distance\(create, history=6, .* is expected"):
        register_distance(theirs, distance)
    assert theirs not in DISTANCES
