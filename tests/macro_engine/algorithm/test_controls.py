"""A stream on which MACRO must win, and one on which it must not lose."""

import numpy as np
import pytest
from made_ensembles import compiled, general_family, members_of, predictions_of, run
from made_streams import COLUMNS, block_of


def errors(block, distance, history):
    members = members_of(distance, history)
    steps = run(compiled(members, distance, "logistic", COLUMNS, 2), block)
    labels = block.rows.labels
    return tuple(
        100 * (predictions_of(steps, series) != labels).mean() for series in ("ftl", "marginal")
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
    members = members_of("iid", 0, [0.0])
    result = general_family(members, "iid", "logistic", COLUMNS, 2).run(block)
    assert (result.predictions[0] == result.marginal).all()
    assert result.subroutines[0, -1] == 1
