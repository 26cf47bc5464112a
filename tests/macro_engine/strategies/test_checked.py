"""What strategies of others answer is checked before anything is made of it."""

from contextlib import closing

import numpy as np
import pytest
from made_runs import engine, run, run_until, write_stream

from macro_engine.core.errors import MacroError
from macro_engine.run.store.runfile import RunReader
from macro_engine.strategies import LEADER, STRATEGIES, WEIGHTS, Answer, Strategy, register


class Plain(Strategy):
    """Answers as the first member does; what a test changes is wrong."""

    name = "plain"
    title = "whatever a test says"

    def answer(self, forecasts):
        return Answer(forecasts.members[0])

    def complete(self, completion, answer):
        """It learns nothing."""

    def state(self):
        return {}

    def restore(self, state):
        """There is nothing to restore."""


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", rows=300)


@pytest.fixture
def theirs():
    """A strategy of somebody else, whose answers a test chooses."""
    theirs = register(type("Theirs", (Plain,), {"name": "theirs"}))
    yield theirs
    del STRATEGIES["theirs"]


def run_with(theirs, stream, answer, **options):
    """Runs it with an answer that is made of forecasts."""
    theirs.answer = lambda _self, forecasts: answer(forecasts)
    chosen = {"strategies": "ftl,theirs", "thresholds": ".01,.1,.3"} | options
    return run(engine(stream, **chosen))


def shares(forecasts, *row):
    return np.tile(np.array(row, float), (len(forecasts.rows), 1))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda _: None, "answers a NoneType, where an Answer is expected"),
        (lambda f: f.members[0], "answers a ndarray, where an Answer is expected"),
        (lambda f: Answer(f.members), r"predictions of shape \(3, \d+\), type uint8"),
        (lambda f: Answer(f.members[0] + 0.5), "type float64, where whole numbers"),
        (lambda f: Answer(f.members[0] + 7), "predicts class [78], where there are 0 to 1"),
        (lambda f: Answer(f.members[0] - np.int64(2)), "predicts class -[12]"),
        (lambda f: Answer(f.members[0], shares(f, np.nan, 1)), r"the probabilities \[nan, 1.0\]"),
        (lambda f: Answer(f.members[0], shares(f, 5, 5)), "numbers from 0 to 1 with sum 1"),
        (lambda f: Answer(f.members[0], shares(f, 2, -1)), "numbers from 0 to 1 with sum 1"),
        (lambda f: Answer(f.members[0], shares(f, 1)), r"rows by classes"),
        (lambda f: Answer(f.members[0], [[0.5, 0.5], [1]]), "type object"),
        (lambda f: Answer(f.members[0], None, {"doubt": [0.5]}), "shows 'doubt', where nothing"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_in_words(theirs, stream, answer, words):
    with pytest.raises(MacroError, match=f"the strategy 'theirs' .*{words}"):
        run_with(theirs, stream, answer)


@pytest.mark.parametrize("late", [{}, {"label_delay": "2h"}])
def test_so_is_one_to_a_step_that_waits_for_labels(theirs, stream, late):
    with pytest.raises(MacroError, match="the strategy 'theirs' predicts class 9"):
        run_with(theirs, stream, lambda f: Answer(np.full(len(f.rows), 9)), **late)


@pytest.mark.parametrize(
    ("thing", "shown", "words"),
    [
        ("doubt", {}, "shows nothing, where 'doubt' is expected at every step"),
        ("doubt", {"doubt": 0.5}, r"shows 'doubt' as \(\), where 1 steps by 2 parts"),
        ("doubt", {"doubt": [["a", "b"]]}, "shows 'doubt' of type <U1, where numbers"),
        (LEADER, {LEADER: [0.5]}, r"shows 'leader' as \[0.5\], where the index of one of 3"),
        (WEIGHTS, {WEIGHTS: [[0.5, 0.5]]}, r"shows 'weights' as \(1, 2\), where 1 steps by 3"),
        (WEIGHTS, {WEIGHTS: [[0.5, np.nan, 0.5]]}, "shows the weights .*with sum 1"),
    ],
)
def test_what_is_shown_and_does_not_fit_is_refused_in_words(theirs, stream, thing, shown, words):
    theirs.shows, theirs.parts = (thing,), {"doubt": ("of the learner", "of the labels")}
    with pytest.raises(MacroError, match=f"the strategy 'theirs' {words}"):
        run_with(theirs, stream, lambda f: Answer(f.members[0], None, shown))


def test_lists_and_truth_values_fit(theirs, stream):
    theirs.shows = ("doubt",)
    expected = run_with(theirs, stream, lambda f: Answer(f.members[0], None, {"doubt": [0.5]}))
    answer = run_with(
        theirs, stream, lambda f: Answer(f.members[0] == 1, None, {"doubt": np.array([[0.5]])})
    )
    assert answer.summary()["errors"] == expected.summary()["errors"]


def refused(*_):
    raise ValueError("not now")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (refused, "ValueError: not now"),
        (lambda _: {"f": run}, "TypeError: Object of type function"),
        (lambda _: {"a": np.array([None])}, "TypeError: an array of type object is not stored"),
        (lambda _: {"a": float("nan")}, "ValueError: Out of range float"),
    ],
)
def test_a_state_that_cannot_be_stored_is_said(theirs, stream, tmp_path, state, words):
    theirs.state = state
    path = tmp_path / "a.run"
    failed = f"the strategy theirs failed as the state was stored: {words}"
    with pytest.raises(MacroError, match=failed):
        run(engine(stream, path, strategies="ftl,theirs"))
    with closing(RunReader(path)) as reader:
        assert not reader.steps
        assert reader.info.get("failure", failed).startswith(failed)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.run", "d.csv"]


@pytest.mark.parametrize("late", [{}, {"label_delay": "2h"}])
def test_a_state_that_cannot_be_restored_is_said(theirs, stream, tmp_path, late):
    path, options = tmp_path / "a.run", {"strategies": "ftl,theirs"} | late
    run_until(engine(stream, path, **options), 5)
    theirs.restore = refused
    with pytest.raises(MacroError, match="theirs failed as the state was restored: ValueError"):
        run(engine(stream, path, **options))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.run", "d.csv"]
    theirs.restore = lambda _self, _state: None
    assert run(engine(stream, path, **options)).steps > 5


@pytest.mark.parametrize("name", ["row", "step", "time", "label", "t0", "t12", "p_yes"])
def test_a_column_of_the_predictions_is_no_name(name):
    with pytest.raises(ValueError, match=f"'{name}' is a column of the predictions"):
        register(type("Named", (Plain,), {"name": name}))


@pytest.mark.parametrize("name", ["", "Vote", "my-vote", "2nd"])
def test_a_name_is_what_alarms_can_read(name):
    with pytest.raises(
        ValueError, match="is not a valid name for a strategy; write one as in my_vote"
    ):
        register(type("Named", (Plain,), {"name": name}))


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"name": 3}, "the strategy Told has no name"),
        ({"title": None}, "the strategy Told has no title"),
        ({"shows": "doubt"}, "shows is a tuple of names"),
        ({"parts": ("slow",)}, "and parts a dict by these"),
        ({"parts": {"doubt": "slow"}}, "parts are tuples of names"),
        ({"parts": {"doubt": ()}}, "parts are tuples of names"),
    ],
)
def test_a_strategy_says_of_itself_what_every_one_says(told, words):
    with pytest.raises(TypeError, match=words):
        register(type("Told", (Plain,), told))
    assert "plain" not in STRATEGIES


def test_what_is_no_strategy_or_half_of_one_is_refused():
    with pytest.raises(TypeError, match="no class that derives from Strategy"):
        register(lambda setup: setup)
    with pytest.raises(TypeError, match="lacks answer, complete, restore, state"):
        register(type("Half", (Strategy,), {"name": "half", "title": "half of one"}))


def answer_and_write(forecasts):
    forecasts.members[0] = 0
    return Answer(forecasts.members[0])


def learn_and_write(_self, completion, _answer):
    completion.labels[0] = 0


@pytest.mark.parametrize("options", [{}, {"label_delay": "2h"}])
@pytest.mark.parametrize("moment", ["answer", "complete"])
def test_none_can_change_what_others_are_given(theirs, stream, moment, options):
    def answer(forecasts):
        return answer_and_write(forecasts) if moment == "answer" else Answer(forecasts.members[0])

    if moment == "complete":
        theirs.complete = learn_and_write
    with pytest.raises(MacroError, match=r"the strategy theirs failed .* read-only"):
        run_with(theirs, stream, answer, **options)
