"""Checks that every selector passes, and what sets each apart."""

import math

import numpy as np
import pytest

from macro_engine.algorithm.selection import ExponentialWeights, FollowTheLeader, vote

SELECTORS = [FollowTheLeader, ExponentialWeights]
every_selector = pytest.mark.parametrize("selector", SELECTORS)


@every_selector
@pytest.mark.parametrize("thresholds", [1, 2, 12])
def test_weights_are_a_distribution(selector, thresholds):
    losses = np.random.default_rng(0).random((50, thresholds))
    weights = selector(thresholds).run(losses)
    assert weights.shape == losses.shape
    assert (weights >= 0).all()
    assert np.allclose(weights.sum(axis=1), 1.0)


@every_selector
def test_weights_depend_on_closed_steps_alone(selector):
    losses = np.random.default_rng(1).random((20, 4))
    other = losses.copy()
    other[12] = 1 - other[12]
    assert (selector(4).run(losses)[:13] == selector(4).run(other)[:13]).all()


@every_selector
def test_blocks_of_any_size_give_the_same_weights(selector):
    losses = np.random.default_rng(2).random((20, 4))
    parts = selector(4)
    assert (
        selector(4).run(losses) == np.concatenate([parts.run(losses[:7]), parts.run(losses[7:])])
    ).all()


@every_selector
def test_most_weight_goes_to_the_threshold_with_the_least_loss(selector):
    chosen = selector(3)
    chosen.update([0.5, 0.1, 0.9])
    assert np.argmax(chosen.weights()) == 1


@every_selector
def test_adding_the_same_loss_to_all_changes_nothing(selector):
    losses = np.random.default_rng(3).integers(0, 8, (30, 3)) / 8
    assert np.allclose(selector(3).run(losses), selector(3).run(losses + 0.125))


def test_the_largest_threshold_leads_at_the_start():
    assert FollowTheLeader(3).leader == 2


def test_the_leader_stays_on_ties_and_is_followed_by_the_largest_of_the_best():
    ftl = FollowTheLeader(4)
    ftl.update([0.0, 0.0, 0.0, 0.5])
    assert ftl.leader == 2
    ftl.update([0.0, 0.0, 0.5, 0.0])
    assert ftl.leader == 1
    ftl.update([0.0, 0.25, 0.0, 0.0])
    assert ftl.leader == 0
    ftl.update([0.25, 0.0, 0.25, 0.25])  # all but 1 and 2 tie with it now
    assert ftl.leader == 0


def test_ewa_weights_follow_the_formula():
    ewa = ExponentialWeights(2)
    ewa.update([0.5, 0.0])
    eta = math.sqrt(8 * math.log(2) / 2)
    low = math.exp(-eta * 0.5)
    assert ewa.weights() == [low / (low + 1.0), 1.0 / (low + 1.0)]


def test_the_vote_goes_to_the_greatest_summed_weight():
    weights = np.array([[0.4, 0.35, 0.25]])
    assert vote(weights, np.array([[2], [1], [1]]), 3).tolist() == [1]


def test_the_first_class_wins_a_tied_vote():
    assert vote(np.array([[0.5, 0.5]]), np.array([[1], [0]]), 2).tolist() == [0]
