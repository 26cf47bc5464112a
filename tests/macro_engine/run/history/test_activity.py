"""Who was active in most steps of a column, counted and not sampled."""

from types import SimpleNamespace

import numpy as np
import pytest

from macro_engine.run.history.active_columns import ActiveColumns
from macro_engine.run.history.activity import Activity


def plain(active, edges, stop):
    """The definition: the number with most steps in each column, the lowest on ties."""
    members, columns = len(active), len(edges) - 1
    numbers, shares = np.zeros((members, columns), int), np.zeros((members, columns))
    for k in range(members):
        for c in range(columns):
            steps = active[k, min(edges[c], edges[c + 1] - 1) : min(edges[c + 1], stop)]
            if min(edges[c], edges[c + 1] - 1) < stop:
                counts = np.bincount(steps)
                numbers[k, c] = counts.argmax()
                shares[k, c] = counts.max() / len(steps)
    return numbers, shares


def stream(steps, subroutines, members=3, seed=0):
    """Members that change their active subroutine now and then, or at every step."""
    rng = np.random.default_rng(seed)
    chosen = rng.integers(1, subroutines + 1, (members, steps))
    stays = rng.random((members, steps)) < np.array([[0.0], [0.7], [0.98]])[:members]
    for t in range(1, steps):
        chosen[:, t] = np.where(stays[:, t], chosen[:, t - 1], chosen[:, t])
    return chosen


def followed(active, rng, most=40):
    """The activity after blocks of any length, and how it is asked for columns."""
    activity = Activity(len(active))
    start = 0
    while start < active.shape[1]:
        stop = min(start + int(rng.integers(1, most)), active.shape[1])
        block = active[:, start:stop].astype(np.uint16)
        activity.append(SimpleNamespace(first_step=start, steps=stop - start, active=block))
        start = stop
    return activity, ActiveColumns(activity, lambda a, b: SimpleNamespace(active=active[:, a:b]))


@pytest.fixture
def in_bins(monkeypatch):
    """Few bins, and no step is looked at again."""
    monkeypatch.setattr(Activity, "BINS", 256)
    monkeypatch.setattr("macro_engine.run.history.active_columns._MOST_READ", 0)


@pytest.mark.usefixtures("in_bins")
@pytest.mark.parametrize("subroutines", [1, 5, 17])
@pytest.mark.parametrize("steps", [1, 100, 3000])
def test_a_column_shows_who_was_active_in_most_of_its_steps(steps, subroutines):
    rng = np.random.default_rng(1)
    active = stream(steps, subroutines)
    activity, columns = followed(active, rng)
    for count in (1, 7, 40):
        edges = -(-np.arange(count + 1) * steps // (count * activity.stride)) * activity.stride
        numbers, shares = columns.most_active(edges, 0, steps)
        wanted = plain(active, edges, steps)
        assert np.array_equal(numbers, wanted[0])
        assert np.allclose(shares, wanted[1])


def test_steps_are_counted_where_columns_are_narrower_than_bins(monkeypatch):
    monkeypatch.setattr(Activity, "BINS", 64)
    active = stream(3000, 9)
    _, columns = followed(active, np.random.default_rng(2))
    for start, stop in ((0, 90), (1001, 1201), (2950, 3000)):
        edges = start + -(-np.arange(31) * (stop - start) // 30)
        numbers, _ = columns.most_active(edges, 0, 3000)
        assert np.array_equal(numbers, plain(active, edges, 3000)[0])


@pytest.mark.usefixtures("in_bins")
def test_columns_that_are_full_are_kept_while_the_run_grows():
    active = stream(2000, 9)
    activity = Activity(3)
    columns = ActiveColumns(activity, lambda a, b: SimpleNamespace(active=active[:, a:b]))
    edges = np.arange(0, 2016 + 1, 32)
    for start in range(0, 2000, 50):
        block = active[:, start : start + 50]
        activity.append(SimpleNamespace(first_step=start, steps=50, active=block))
        numbers, _ = columns.most_active(edges, 0, start + 50)
        assert np.array_equal(numbers, plain(active, edges, start + 50)[0])
    numbers, _ = columns.most_active(edges, 0, 700)  # a frozen view
    assert np.array_equal(numbers, plain(active, edges, 700)[0])


def test_shares_of_some_subroutines_are_counted_too():
    active = stream(1000, 4)
    _, columns = followed(active, np.random.default_rng(3))
    edges = np.arange(0, 1001, 100)
    shares = columns.shares_of(1, [2, 4], edges, 0, 1000)
    wanted = [[np.mean(active[1, a : a + 100] == n) for a in edges[:-1]] for n in (2, 4)]
    assert np.allclose(shares, wanted)


def test_memory_is_bounded_and_who_leads_clearly_is_found_among_1500(monkeypatch):
    monkeypatch.setattr(Activity, "BINS", 128)
    rng = np.random.default_rng(4)
    steps = 60_000
    active = rng.integers(1, 1501, (2, steps))
    often = rng.random((2, steps)) < 0.3
    active[often] = np.broadcast_to(7 + np.arange(steps) // 6000, (2, steps))[often]
    activity, columns = followed(active, rng, most=4000)
    assert len(activity.keys) <= 128 * 2 * Activity.KEPT + 2 * 1500
    edges = np.arange(0, 2**16 + 1, activity.stride * 8)
    numbers, shares = columns.most_active(edges, 0, steps)
    wanted, _ = plain(active, edges, steps)
    assert np.array_equal(numbers, wanted)
    assert (shares[numbers > 0] > 0.2).all()
