"""The family gives what the definition gives, to the last bit."""

import math

import numpy as np
import pytest
from extras import needs_vw
from hypothesis import given, settings
from hypothesis import strategies as st
from made_ensembles import general_family, members_of
from made_streams import (
    COLUMNS,
    classes_of,
    equal_or_both_missing,
    random_block,
    random_blocks,
    same,
)

from macro_engine.algorithm.family import Family, with_marginal
from macro_engine.algorithm.macro import Macro
from macro_engine.discrepancy import DISTANCES, Labels, Shape
from macro_engine.subroutines import resolve
from macro_engine.subroutines.output import converted


def family_and_definitions(
    block, distance, history, subroutine, output="last", thresholds=None, **settings
):
    classes = classes_of(block)
    names = tuple(map(str, range(classes)))
    create = converted(resolve(subroutine), output, 0.05)
    columns = block.rows.columns
    members = members_of(distance, history, thresholds)
    family = general_family(members, distance, subroutine, columns, classes, output, **settings)
    definitions = []
    for member in with_marginal(members):
        steps = members[0].steps if member.is_marginal else member.steps
        discrepancy = DISTANCES[distance].create(Shape(classes, len(columns.numbers), steps))
        definitions.append(
            Macro(member.threshold, discrepancy, steps, lambda: create(names), columns, **settings)
        )
    return family, definitions


def assert_equal_to_definition(block, family, definitions):
    result = family.run(block)
    for k, definition in enumerate(definitions):
        for s in range(block.steps):
            rows = block.step(s)
            choice = definition.open()
            expected = definition.predict(choice, rows)
            definition.complete(choice, rows)
            assert same(result.predictions[k][block.starts[s] : block.starts[s + 1]], expected)
            if k == len(result.active):
                continue
            assert result.active[k, s] == choice.active
            assert result.born[k, s] == choice.born
            assert result.close[k, s] == (0 if choice.forced else len(choice.close))
            assert result.subroutines[k, s] == len(definition.subroutines)
            assert equal_or_both_missing(choice.distance, result.distance[k, s])


@pytest.mark.slow
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("subroutine", ["logistic", "nearest-mean"])
@given(block=random_blocks(), history=st.sampled_from([1, 2, 6, None]))
@settings(max_examples=12, deadline=None)
def test_on_random_streams(distance, subroutine, block, history):
    assert_equal_to_definition(block, *family_and_definitions(block, distance, history, subroutine))


@pytest.mark.slow
@pytest.mark.parametrize(
    "subroutine",
    [
        "river:naive_bayes.GaussianNB",
        "river:tree.HoeffdingTreeClassifier(grace_period=5)",
        "erm",
        pytest.param("vw", marks=needs_vw),
    ],
)
def test_with_other_models(subroutine):
    block = random_block(1, 3, [3] * 20)
    assert_equal_to_definition(block, *family_and_definitions(block, "labels", 2, subroutine))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("distance", "history"), [("labels", 6), ("features", 1), ("labels", None)]
)
def test_on_real_flights(atlanta, distance, history):
    block = atlanta.cut(0, 300)
    assert_equal_to_definition(block, *family_and_definitions(block, distance, history, "logistic"))


@pytest.mark.slow
@pytest.mark.parametrize("output", ["average", "score"])
@pytest.mark.parametrize("subroutine", ["logistic", "nearest-mean", "erm"])
def test_with_other_outputs(subroutine, output):
    block = random_block(2, 3, [3] * 25)
    assert_equal_to_definition(
        block, *family_and_definitions(block, "labels", 2, subroutine, output)
    )


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("settings", [{"power": 0.3}, {"most": 3}, {"power": 0.5, "most": 5}])
def test_with_falling_thresholds_and_a_limit(distance, settings):
    block = random_block(6, 3, [2] * 25)
    assert_equal_to_definition(
        block, *family_and_definitions(block, distance, 2, "nearest-mean", **settings)
    )


@pytest.mark.parametrize("distance", ["labels", "features"])
@pytest.mark.parametrize("thresholds", [[0.1, 0.3], [0.1, 0.3, math.inf]])
@given(block=random_blocks(), history=st.sampled_from([(1, 3), (2, 6, None), (2,)]))
@settings(max_examples=8, deadline=None)
def test_with_several_histories_and_infinity(distance, thresholds, block, history):
    assert_equal_to_definition(
        block,
        *family_and_definitions(block, distance, history, "nearest-mean", thresholds=thresholds),
    )


def test_infinity_in_the_grid_is_the_marginal_baseline_and_computed_once():
    block = random_block(4, 2, [3] * 20)
    named = family_and_definitions(block, "labels", 2, "logistic", thresholds=[0.1, math.inf])[0]
    unnamed = family_and_definitions(block, "labels", 2, "logistic", thresholds=[0.1])[0]
    one, other = named.run(block), unnamed.run(block)
    assert len(named.everyone) == len(unnamed.everyone) == 2
    assert same(one.predictions, other.predictions)
    assert one.marginal is not None
    assert same(one.marginal, one.members[-1])
    assert one.subroutines[-1].tolist() == [1] * 20


def test_blocks_of_any_size_give_the_same():
    block = random_block(3, 5, [1, 4, 2, 6, 1, 1, 3, 5, 2, 2, 4, 1])
    whole = family_and_definitions(block, "labels", 2, "logistic")[0].run(block)
    family = family_and_definitions(block, "labels", 2, "logistic")[0]
    parts = [family.run(block.cut(a, b)) for a, b in [(0, 1), (1, 5), (5, 6), (6, 12)]]
    for name in ("predictions", "active", "born", "distance", "close", "subroutines"):
        assert same(getattr(whole, name), np.concatenate([getattr(p, name) for p in parts], axis=1))


def test_a_distance_is_computed_once_for_each_distinct_reference():
    calls = []

    class Counting(Labels):
        def between(self, now, reference):
            calls.append(id(reference))
            return super().between(now, reference)

    block = random_block(5, 2, [3] * 30)
    create = resolve("nearest-mean")
    members = members_of("labels", (1, 4), [0.01, 0.1, 0.5])
    family = Family(members, Counting(2), lambda: create(("0", "1")), COLUMNS, 2)
    before = 0
    for s in range(block.steps):
        references = family.reference_count
        family.run(block.cut(s, s + 1))
        assert len(calls) - before == references
        before = len(calls)
    assert family.reference_count < sum(len(m.subroutines) for m in family.everyone)
