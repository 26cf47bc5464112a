"""The verdict on a lead holds whenever somebody looks."""

import math

import numpy as np
import pytest

from macro_engine.run.score.confidence import Confidence


def plain(differences, alpha=0.05):
    """The theorem, line by line."""
    x = [(d + 1) / 2 for d in differences]
    found, bets = [], []
    mean, variance = 0.5, 0.25
    weighted = spread = 0.0
    for t, value in enumerate(x, 1):
        bet = min(math.sqrt(2 * math.log(2 / alpha) / (variance * t * math.log(1 + t))), 0.5)
        bets.append(bet)
        weighted += bet * value
        spread += 4 * (value - mean) ** 2 * (-math.log(1 - bet) - bet) / 4
        middle = weighted / sum(bets)
        half = (math.log(2 / alpha) + spread) / sum(bets)
        found.append((max(2 * (middle - half) - 1, -1), min(2 * (middle + half) - 1, 1)))
        mean = (0.5 + sum(x[:t])) / (t + 1)
        means = [(0.5 + sum(x[:i])) / (i + 1) for i in range(1, t + 1)]
        squares = sum((v - m) ** 2 for v, m in zip(x, means, strict=False))
        variance = (0.25 + squares) / (t + 1)
    return np.array(found).T


def test_it_is_the_theorem():
    differences = np.random.default_rng(1).uniform(-1, 1, 60)
    low, high = Confidence(1).update(differences[None])
    wanted = plain(differences)
    assert np.allclose(low[0], wanted[0])
    assert np.allclose(high[0], wanted[1])


def test_blocks_of_any_length_give_the_same_bits():
    rng = np.random.default_rng(2)
    differences = rng.integers(-4, 5, (3, 500)) / 4
    whole, parts = Confidence(3), Confidence(3)
    low, high = whole.update(differences)
    start, found = 0, []
    while start < 500:
        stop = min(start + int(rng.integers(1, 60)), 500)
        found.append(parts.update(differences[:, start:stop]))
        start = stop
    assert np.array_equal(low, np.column_stack([part[0] for part in found]))
    assert np.array_equal(high, np.column_stack([part[1] for part in found]))
    again = Confidence(3)
    again.restore(parts.state())
    assert np.array_equal(again.low, whole.low)
    assert np.array_equal(again.high, high[:, -1])


def made(kind, rng, streams, steps):
    """Differences whose mean is 0 by what is known before each step."""
    if kind == "rare":
        return rng.integers(-1, 2, (streams, steps)) * (rng.random((streams, steps)) < 0.05)
    if kind == "coins":
        return rng.choice([-1.0, 1.0], (streams, steps))
    # as large as the sign of the step before it: steps depend on each other, leads do not pay
    signs = rng.choice([-1.0, 1.0], (streams, steps))
    sizes = np.where(np.column_stack([np.ones(streams), signs[:, :-1]]) > 0, 1.0, 0.1)
    return signs * sizes


@pytest.mark.parametrize("kind", ["rare", "coins", "dependent"])
def test_of_a_thousand_streams_without_a_difference_at_most_a_twentieth_ever_claims_one(kind):
    differences = made(kind, np.random.default_rng(3), 1000, 1500)
    low, high = Confidence(1000).update(differences)
    claims = ((low > 0) | (high < 0)).any(axis=1)
    assert claims.mean() <= 0.05


def test_a_difference_is_found():
    rng = np.random.default_rng(4)
    differences = np.clip(rng.normal(0.05, 0.2, (20, 20_000)), -1, 1)
    low, high = Confidence(20).update(differences)
    assert (low[:, -1] > 0).all()
    assert (high[:, -1] < 0.1).all()
    assert (low[:, 20] < 0).all()
