"""A stream on which MACRO must win, and one on which it must not lose."""

import numpy as np
import pytest
from made_streams import COLUMNS, block_of

from macro_engine.algorithm.contest import Contest
from macro_engine.algorithm.family import Family
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.subroutines import resolve


def errors(block, distance, history):
    create = resolve("logistic")
    discrepancy = DISTANCES[distance].create(Shape(2, 2, history))
    thresholds = DISTANCES[distance].thresholds
    family = Family(thresholds, discrepancy, history, lambda: create(("0", "1")), COLUMNS)
    outcome = Contest.of(family, 2).run(block)
    labels = block.rows.labels
    return tuple(
        100 * (predictions != labels).mean()
        for predictions in (outcome.of("ftl"), outcome.family.marginal)
    )


def steps_of_eight(labels, seed):
    rng = np.random.default_rng(seed)
    n = len(labels)
    return block_of(labels, [8] * (n // 8), rng.random((n, 2)), rng.integers(0, 3, (n, 1)))


@pytest.mark.parametrize("seed", range(3))
def test_ftl_beats_marginal_where_situations_recur(seed):
    rng = np.random.default_rng(seed)
    shares = np.repeat(np.tile([0.1, 0.9, 0.3, 0.7], 6), 400)
    labels = (rng.random(len(shares)) < shares).astype(np.int64)
    ftl, marginal = errors(steps_of_eight(labels, seed), "labels", 4)
    assert ftl <= marginal - 3.0


@pytest.mark.parametrize("seed", range(3))
def test_ftl_loses_little_where_nothing_can_be_gained(seed):
    rng = np.random.default_rng(seed)
    labels = (rng.random(8000) < 0.3).astype(np.int64)
    ftl, marginal = errors(steps_of_eight(labels, seed), "labels", 4)
    assert ftl <= marginal + 1.0


def test_under_iid_macro_is_the_marginal_learner():
    rng = np.random.default_rng(0)
    block = steps_of_eight((rng.random(2000) < 0.3).astype(np.int64), 0)
    create = resolve("logistic")
    family = Family(
        [0.0], DISTANCES["iid"].create(Shape(2, 2, 0)), 0, lambda: create(("0", "1")), COLUMNS
    )
    result = family.run(block)
    assert (result.predictions[0] == result.marginal).all()
    assert result.subroutines[0, -1] == 1
