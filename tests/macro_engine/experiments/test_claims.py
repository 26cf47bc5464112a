"""The paper's claims as rules."""

import pytest

from macro_engine.experiments.cells import THRESHOLD, Cell, Cells, Group
from macro_engine.experiments.claims import (
    BELOW_EWA,
    BELOW_MARGINAL,
    NEAR_BEST,
    RULES,
    VW_GAINS_MORE,
    VW_LIKE_ERM,
    WIDE_RANGE,
    on_cost,
    on_learners,
    on_lengths,
    on_reduction,
    on_strategies,
)

ERM, VW = Group("ATL", "labels", "logistic", "sqrt", 1), Group("ATL", "labels", "vw", None, 1)


def cells_of(errors, places=("ATL",)):
    cells = Cells(places)
    for group, series in errors.items():
        for name, error in series.items():
            threshold = None if isinstance(name, str) else name
            cells.add(Cell(group, THRESHOLD if threshold else name, threshold, error))
    return cells


def verdicts(found):
    return {one.claim: (one.holds, round(one.value, 6)) for one in found}


def test_what_is_said_of_the_strategies():
    cells = cells_of({ERM: {"marginal": 0.2, "ftl": 0.19, "ewa": 0.192, 0.1: 0.188, 0.2: 0.2}})
    assert verdicts(on_strategies(cells)) == {
        BELOW_MARGINAL: (True, -1.0),
        NEAR_BEST: (True, 0.2),
        BELOW_EWA: (True, -0.2),
        WIDE_RANGE: (True, 50.0),
    }


@pytest.mark.parametrize(
    ("claim", "errors"),
    [
        (BELOW_MARGINAL, {"marginal": 0.19}),
        (NEAR_BEST, {0.1: 0.1869}),
        (BELOW_EWA, {"ewa": 0.19}),
        (WIDE_RANGE, {0.1: 0.2}),
    ],
)
def test_each_of_them_can_fail_alone(claim, errors):
    usual = {"marginal": 0.2, "ftl": 0.19, "ewa": 0.192, 0.1: 0.188, 0.2: 0.2}
    found = verdicts(on_strategies(cells_of({ERM: usual | errors})))
    assert found[claim][0] is False


def test_what_is_said_of_the_learners():
    errors = {ERM: {"marginal": 0.2, "ftl": 0.19}, VW: {"marginal": 0.25, "ftl": 0.194}}
    found = verdicts(on_learners(cells_of(errors), ["labels"], "sqrt"))
    assert found == {VW_GAINS_MORE: (True, 17.4), VW_LIKE_ERM: (True, 0.4)}
    errors[VW] = {"marginal": 0.2, "ftl": 0.196}
    found = verdicts(on_learners(cells_of(errors), ["labels"], "sqrt"))
    assert found == {VW_GAINS_MORE: (False, -3.0), VW_LIKE_ERM: (False, 0.6)}


def test_a_learner_that_was_not_run_is_not_judged():
    assert (
        list(on_learners(cells_of({ERM: {"marginal": 0.2, "ftl": 0.19}}), ["labels"], "sqrt")) == []
    )


def test_one_place_with_a_large_gain_is_enough():
    tea, milk = (Group(name, "frames", "nearest-mean", None, 5) for name in ("tea", "milk"))
    errors = {tea: {"marginal": 0.2, "ftl": 0.05}, milk: {"marginal": 0.2, "ftl": 0.15}}
    (found,) = on_reduction(cells_of(errors), [tea, milk])
    assert (found.holds, round(found.value, 6), found.where) == (True, 75.0, "anywhere (tea)")
    errors[tea]["ftl"] = 0.06  # by 70 %, and not by more
    (found,) = on_reduction(cells_of(errors), [tea, milk])
    assert found.holds is False


def test_the_length_of_history_is_judged_by_the_spread():
    groups = [Group("tea", "frames", "nearest-mean", None, length) for length in (1, 5)]
    for last, holds in ((0.209, True), (0.211, False)):
        cells = cells_of({groups[0]: {"ftl": 0.2}, groups[1]: {"ftl": last}}, ("tea",))
        (found,) = on_lengths(cells, "frames", (1, 5))
        assert found.holds is holds
    assert list(on_lengths(cells, "frames", (1, 5, 20))) == []  # one of them is missing


def test_the_cost_is_compared_with_n_times_the_subroutines():
    steady, growing = [[10, 2, 30], [20, 4, 120]], [[10, 2, 30], [20, 2, 130]]
    (found,) = on_cost(ERM, [{"cost": steady}])
    assert (found.holds, found.value) == (True, 1.0)
    (found,) = on_cost(ERM, [{"cost": steady}, {"cost": growing}])
    assert found.holds is False


def test_every_verdict_carries_its_rule():
    cells = cells_of({ERM: {"marginal": 0.2, "ftl": 0.19, "ewa": 0.192, 0.1: 0.188}})
    for one in on_strategies(cells):
        assert one.rule == RULES[one.claim]
        assert one.document()["where"] == "ATL"
