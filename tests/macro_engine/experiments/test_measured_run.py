"""A run of an experiment in numbers, and the plain learner that is given the past."""

import numpy as np
import pytest
from made_flights import made_flights

from macro_engine import replay
from macro_engine.core.rows import Block, Columns, Rows
from macro_engine.experiments.airline import run_lag, run_macro
from macro_engine.experiments.lag_features import WINDOWS, LagFeatures
from macro_engine.work.tasks import Task


@pytest.fixture(scope="module")
def flights(tmp_path_factory):
    return made_flights(tmp_path_factory.mktemp("flights"), ["DEN"]) / "airline-DEN.parquet"


def measured(path, **settings):
    usual = {
        "distance": "labels",
        "learner": "logistic",
        "rate": "sqrt",
        "strategies": ["ftl", "ewa"],
    }
    return run_macro(Task.of(run_macro, usual | settings, (path,)))


@pytest.mark.slow
@pytest.mark.parametrize(("distance", "rate"), [("labels", "sqrt"), ("features", 0.05)])
def test_it_gives_what_a_replay_gives(flights, distance, rate):
    found = measured(flights, distance=distance, rate=rate)
    with replay(flights, preset=f"paper-{distance}", learning_rate=rate) as run:
        expected = run.summary
    assert {n: w / found["rows"] for n, w in found["wrong"].items()} == expected["errors"]
    assert [
        (m["threshold"], m["wrong"] / found["rows"], m["subroutines"]) for m in found["members"]
    ] == [(t["threshold"], t["error"], t["subroutines"]) for t in expected["thresholds"]]


@pytest.mark.slow
def test_blend_beside_them_changes_no_other_series(flights):
    alone, beside = measured(flights), measured(flights, strategies=["ftl", "ewa", "blend"])
    assert beside["wrong"].pop("blend") < beside["rows"]
    assert beside["wrong"] == alone["wrong"]


@pytest.mark.slow
def test_days_and_costs_add_up(flights):
    found = measured(flights)
    days = found["days"]
    assert sum(days["rows"]) == found["rows"] == 3000
    assert sum(days["ftl"]) == found["wrong"]["ftl"]
    assert sum(days["t0"]) == found["members"][0]["wrong"]
    assert days["day"] == sorted(set(days["day"]))
    for member in found["members"]:
        steps, subroutines, effort = member["cost"][-1]
        assert steps == found["steps"]
        assert subroutines == member["subroutines"]
        assert steps < effort <= 2 * steps * subroutines


@pytest.mark.slow
def test_lag_features_change_what_the_baseline_says(flights):
    found = run_lag(Task.of(run_lag, {"rate": "sqrt"}, (flights,)))
    assert found["rows"] == 3000
    assert found["wrong"]["marginal"] != measured(flights)["wrong"]["marginal"]


def block_of(labels, starts, first_step=0):
    labels = np.array(labels)
    numbers = np.zeros((len(labels), 1))
    rows = Rows(numbers, np.empty((len(labels), 0), np.int64), labels, Columns(("a",)))
    return Block(rows, np.array(starts), None, 0, first_step)


def test_lag_features_are_shares_over_closed_steps():
    random = np.random.default_rng(0)
    lengths = random.integers(1, 4, 60)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    labels = random.integers(0, 2, starts[-1])
    lags, parts = LagFeatures(2), []
    for a, b in ((0, 1), (1, 20), (20, 60)):  # in blocks, which must not matter
        part = block_of(labels[starts[a] : starts[b]], starts[a : b + 1] - starts[a])
        parts.append(lags.widen(part).rows)
    found = np.concatenate([rows.numbers for rows in parts])
    for step in range(60):
        for k, window in enumerate(WINDOWS):
            past = labels[starts[max(step - window, 0)] : starts[step]]
            expected = past.mean() if len(past) else 0.0
            assert (found[starts[step] : starts[step + 1], 1 + k] == expected).all()
    columns = parts[0].columns
    assert columns.numbers == ("a", "lag 1, class 1", "lag 6, class 1", "lag 36, class 1")
    assert columns.compared.numbers == ("a",)


def test_lag_features_see_nothing_of_their_own_step():
    one = LagFeatures(2).widen(block_of([0, 1, 0, 0], [0, 2, 4]))
    other = LagFeatures(2).widen(block_of([0, 1, 1, 1], [0, 2, 4]))
    assert np.array_equal(one.rows.numbers, other.rows.numbers)
