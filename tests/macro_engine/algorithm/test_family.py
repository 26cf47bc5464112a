"""The family gives what the definition gives, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_streams import (
    COLUMNS,
    classes_of,
    equal_or_both_missing,
    random_block,
    random_blocks,
    same,
)

from macro_engine.algorithm.conversion import converted
from macro_engine.algorithm.family import Family
from macro_engine.algorithm.macro import Macro
from macro_engine.discrepancy import DISTANCES, Labels, Shape
from macro_engine.subroutines import resolve


def family_and_definitions(block, distance, history, subroutine, output="last", **rules):
    classes = classes_of(block)
    names = tuple(map(str, range(classes)))
    create = converted(resolve(subroutine), output, 0.05)
    columns = block.rows.columns
    thresholds = list(DISTANCES[distance].thresholds)

    def discrepancy():
        return DISTANCES[distance].create(Shape(classes, len(columns.numbers), history))

    family = Family(thresholds, discrepancy(), history, lambda: create(names), columns, **rules)
    definitions = [
        Macro(threshold, discrepancy(), history, lambda: create(names), columns, **rules)
        for threshold in [*thresholds, float("inf")]
    ]
    return family, definitions


def assert_equal_to_definition(block, family, definitions):
    result = family.run(block)
    predictions = [*result.predictions, result.marginal]
    for k, definition in enumerate(definitions):
        for s in range(block.steps):
            rows = block.step(s)
            choice = definition.choose()
            expected = definition.predict(rows)
            definition.update(rows)
            assert same(predictions[k][block.starts[s] : block.starts[s + 1]], expected)
            if k == len(definitions) - 1:
                continue
            assert result.active[k, s] == choice.active
            assert result.born[k, s] == choice.born
            assert result.close[k, s] == (0 if choice.forced else len(choice.close))
            assert result.subroutines[k, s] == len(definition.subroutines)
            assert equal_or_both_missing(choice.distance, result.distance[k, s])


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("subroutine", ["logistic", "nearest-mean"])
@given(block=random_blocks(), history=st.sampled_from([1, 2, 6, None]))
@settings(max_examples=12, deadline=None)
def test_on_random_streams(distance, subroutine, block, history):
    assert_equal_to_definition(block, *family_and_definitions(block, distance, history, subroutine))


@pytest.mark.parametrize(
    "subroutine",
    [
        "river:naive_bayes.GaussianNB",
        "river:tree.HoeffdingTreeClassifier(grace_period=5)",
        "erm",
        "vw",
    ],
)
def test_with_other_models(subroutine):
    block = random_block(1, 3, [3] * 20)
    assert_equal_to_definition(block, *family_and_definitions(block, "labels", 2, subroutine))


@pytest.mark.parametrize(
    ("distance", "history"), [("labels", 6), ("features", 1), ("labels", None)]
)
def test_on_real_flights(atlanta, distance, history):
    block = atlanta.cut(0, 300)
    assert_equal_to_definition(block, *family_and_definitions(block, distance, history, "logistic"))


@pytest.mark.parametrize("output", ["average", "score"])
@pytest.mark.parametrize("subroutine", ["logistic", "nearest-mean", "erm"])
def test_with_other_outputs(subroutine, output):
    block = random_block(2, 3, [3] * 25)
    assert_equal_to_definition(
        block, *family_and_definitions(block, "labels", 2, subroutine, output)
    )


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("rules", [{"power": 0.3}, {"most": 3}, {"power": 0.5, "most": 5}])
def test_with_falling_thresholds_and_a_limit(distance, rules):
    block = random_block(6, 3, [2] * 40)
    assert_equal_to_definition(
        block, *family_and_definitions(block, distance, 2, "nearest-mean", **rules)
    )


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
    family = Family([0.01, 0.1, 0.5], Counting(2), 1, lambda: create(("0", "1")), COLUMNS)
    before = 0
    for s in range(block.steps):
        references = len(family.references)
        family.run(block.cut(s, s + 1))
        assert len(calls) - before == references
        before = len(calls)
    assert len(family.references) < sum(len(m.subroutines) for m in family.members)
