"""Checks that every strategy passes, and what sets each apart."""

import math

import numpy as np
import pytest
from made_streams import COLUMNS, same

from macro_engine.core.members import grid
from macro_engine.core.rows import Rows
from macro_engine.core.state import pack, unpack
from macro_engine.strategies import (
    LEADER,
    STRATEGIES,
    WEIGHTS,
    Completion,
    Forecasts,
    Setup,
    register,
    start,
)
from macro_engine.strategies.ewa import ExponentialWeights, vote
from macro_engine.strategies.ftl import FollowTheLeader

every_strategy = pytest.mark.parametrize("name", STRATEGIES)
CLASSES = 3


def setup(members, classes=CLASSES, compiled=False):
    return Setup(grid([1], np.arange(1, members + 1) / 10), classes, COLUMNS, compiled)


def completion(steps, members=4, seed=0, first_step=0):
    """Steps of one to four rows with predictions, probabilities and labels drawn at random."""
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 5, steps))])
    n = int(starts[-1])
    drawn = rng.random((members + 2, n, CLASSES))
    drawn /= drawn.sum(axis=2, keepdims=True)
    said = drawn.argmax(axis=2).astype(np.uint8)
    nothing = np.full(n, -1)
    numbers = rng.random((n, 2))
    rows = Rows(numbers, rng.integers(0, 3, (n, 1)), nothing, COLUMNS, units=numbers)
    forecasts = Forecasts(
        rows, starts, first_step, said[:-2], said[-2], said[-1], drawn[:-2], drawn[-2], drawn[-1]
    )
    return Completion(forecasts, rng.integers(0, CLASSES, n))


def part(whole, first, stop):
    """Some of the steps."""
    f = whole.forecasts
    a, b = f.starts[first], f.starts[stop]
    forecasts = Forecasts(
        f.rows.cut(a, b),
        f.starts[first : stop + 1] - a,
        f.first_step + first,
        f.members[:, a:b],
        f.marginal[a:b],
        f.no_change[a:b],
        f.member_probabilities[:, a:b],
        f.marginal_probabilities[a:b],
        f.no_change_probabilities[a:b],
    )
    return Completion(forecasts, whole.labels[a:b])


def make(name, members=4, compiled=False):
    return start([name], setup(members, compiled=compiled))[0]


def assert_same_answers(one, other):
    assert same(one.predictions, other.predictions)
    assert (one.probabilities is None) == (other.probabilities is None)
    assert one.probabilities is None or same(one.probabilities, other.probabilities)
    assert one.shown.keys() == other.shown.keys()
    for name in one.shown:
        assert same(one.shown[name], other.shown[name])


@every_strategy
@pytest.mark.parametrize("members", [1, 2, 12])
def test_its_answer_has_the_promised_shape(name, members):
    whole = completion(12, members)
    strategy = make(name, members)
    answer = strategy.run(whole)
    n = len(whole.labels)
    assert answer.predictions.shape == (n,)
    assert set(answer.predictions.tolist()) <= set(range(CLASSES))
    assert answer.probabilities.shape == (n, CLASSES)
    assert np.allclose(answer.probabilities.sum(axis=1), 1.0)
    assert tuple(answer.shown) == strategy.shows
    assert all(len(shown) == 12 for shown in answer.shown.values())


@every_strategy
def test_without_probabilities_of_members_it_has_none(name):
    f = completion(5).forecasts
    forecasts = Forecasts(f.rows, f.starts, 0, f.members, f.marginal, f.no_change)
    if not STRATEGIES[name].wants_probabilities:
        assert make(name).answer(forecasts.step(0)).probabilities is None


@every_strategy
def test_blocks_of_any_size_give_the_same(name):
    whole, parts = completion(40), make(name)
    answer = make(name).run(whole)
    cut = [parts.run(part(whole, a, b)) for a, b in ((0, 1), (1, 17), (17, 40))]
    assert_same_answers(answer, type(answer).join(cut))


@every_strategy
@pytest.mark.parametrize("members", [1, 2, 12])
def test_the_compiled_loops_give_what_the_plain_ones_give(name, members):
    whole = completion(30, members)
    plain, compiled = make(name, members), make(name, members, compiled=True)
    for a, b in ((0, 12), (12, 13), (13, 30)):
        assert_same_answers(plain.run(part(whole, a, b)), compiled.run_compiled(part(whole, a, b)))
    assert pack(plain.state()) == pack(compiled.state())


@every_strategy
def test_answering_changes_nothing(name):
    whole, strategy = completion(20), make(name)
    strategy.run(part(whole, 0, 10))
    before = pack(strategy.state())
    for s in range(10, 20):
        strategy.answer(whole.forecasts.step(s))
    assert pack(strategy.state()) == before


@every_strategy
def test_it_goes_on_from_its_state(name):
    whole, first, second = completion(40), make(name), make(name)
    expected = make(name).run(whole)
    before = first.run(part(whole, 0, 23))
    second.restore(unpack(pack(first.state())))
    after = second.run(part(whole, 23, 40))
    assert_same_answers(expected, type(expected).join([before, after]))


@every_strategy
def test_answers_depend_on_completed_steps_alone(name):
    whole = completion(20)
    other = Completion(whole.forecasts, whole.labels.copy())
    stop = whole.forecasts.starts[13]
    other.labels[whole.forecasts.starts[12] :] = 0
    one, two = make(name).run(whole), make(name).run(other)
    assert same(one.predictions[:stop], two.predictions[:stop])
    for shown in one.shown:
        assert same(one.shown[shown][:13], two.shown[shown][:13])


@every_strategy
def test_a_step_whose_labels_never_came_teaches_nothing(name):
    whole, strategy = completion(11), make(name)
    strategy.run(part(whole, 0, 10))
    before = pack(strategy.state())
    last = whole.step(10)
    unlabelled = Completion(last.forecasts, np.full(len(last.labels), -1))
    strategy.complete(unlabelled, strategy.answer(last.forecasts))
    assert pack(strategy.state()) == before


def test_losses_are_shares_of_the_labelled_rows():
    forecasts = completion(1).forecasts
    said = np.array([[0, 0, 1], [1, 1, 1]])
    rows = forecasts.rows.cut(0, 1)
    step = Forecasts(Rows.join([rows] * 3, COLUMNS), np.array([0, 3]), 0, said, said[0], said[0])
    assert Completion(step, np.array([0, -1, 0])).losses.tolist() == [[0.5, 1.0]]


@pytest.mark.parametrize("kind", [FollowTheLeader, ExponentialWeights])
def test_weights_are_a_distribution_that_favours_the_least_loss(kind):
    chosen = kind(setup(3))
    chosen.update([0.5, 0.1, 0.9])
    weights = chosen.weights(1)
    assert min(weights) >= 0
    assert math.isclose(sum(weights), 1.0)
    assert np.argmax(weights) == 1


@pytest.mark.parametrize("kind", [FollowTheLeader, ExponentialWeights])
def test_adding_the_same_loss_to_all_changes_nothing(kind):
    one, other = kind(setup(3)), kind(setup(3))
    for step, losses in enumerate(np.random.default_rng(3).integers(0, 8, (30, 3)) / 8):
        assert np.allclose(one.weights(step), other.weights(step))
        one.update(losses.tolist())
        other.update((losses + 0.125).tolist())


def test_the_last_member_leads_at_the_start():
    assert FollowTheLeader(setup(3)).leader == 2


def test_the_leader_stays_on_ties_and_is_followed_by_the_last_of_the_best():
    ftl = FollowTheLeader(setup(4))
    ftl.update([0.0, 0.0, 0.0, 0.5])
    assert ftl.leader == 2
    ftl.update([0.0, 0.0, 0.5, 0.0])
    assert ftl.leader == 1
    ftl.update([0.0, 0.25, 0.0, 0.0])
    assert ftl.leader == 0
    ftl.update([0.25, 0.0, 0.25, 0.25])  # all but 1 and 2 tie with it now
    assert ftl.leader == 0


def test_ftl_has_the_probabilities_of_its_leader():
    whole = completion(20)
    answer = FollowTheLeader(setup(4)).run(whole)
    f = whole.forecasts
    for s, leader in enumerate(answer.shown[LEADER].tolist()):
        rows = slice(f.starts[s], f.starts[s + 1])
        assert same(answer.probabilities[rows], f.member_probabilities[leader, rows])


def test_ewa_weights_follow_the_formula():
    ewa = ExponentialWeights(setup(2))
    ewa.update([0.5, 0.0])
    eta = math.sqrt(8 * math.log(2) / 2)
    low = math.exp(-eta * 0.5)
    assert ewa.weights(1) == [low / (low + 1.0), 1.0 / (low + 1.0)]


def test_ewa_mixes_the_probabilities_by_its_weights():
    whole = completion(20)
    answer = ExponentialWeights(setup(4)).run(whole)
    f = whole.forecasts
    s = 15
    rows = slice(f.starts[s], f.starts[s + 1])
    expected = np.tensordot(answer.shown[WEIGHTS][s], f.member_probabilities[:, rows], 1)
    assert np.allclose(answer.probabilities[rows], expected, rtol=1e-12)


def test_the_vote_goes_to_the_greatest_summed_weight():
    weights = np.array([[0.4, 0.35, 0.25]])
    assert vote(weights, np.array([[2], [1], [1]]), 3).tolist() == [1]


def test_the_first_class_wins_a_tied_vote():
    assert vote(np.array([[0.5, 0.5]]), np.array([[1], [0]]), 2).tolist() == [0]


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(ValueError, match="'ftl' is taken"):
        register(type("Other", (FollowTheLeader,), {}))
    with pytest.raises(ValueError, match="'marginal' is taken"):
        register(type("Other", (FollowTheLeader,), {"name": "marginal"}))


def test_strategies_stand_in_the_order_of_the_registry():
    assert [s.name for s in start(["ewa", "ftl"], setup(2))] == ["ftl", "ewa"]
