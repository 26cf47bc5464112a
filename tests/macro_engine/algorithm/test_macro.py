"""The laws of Figure 1, on random streams."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_streams import COLUMNS, block_of, classes_of, random_blocks
from river.linear_model import LogisticRegression
from river.optim import SGD
from river.optim.schedulers import InverseScaling

from macro_engine.algorithm.macro import Macro
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.subroutines import resolve

distances = pytest.mark.parametrize("distance", DISTANCES)
thresholds = st.sampled_from([0.0, 0.01, 0.1, 0.2, 0.5, 1.0])
histories = st.sampled_from([1, 2, 6, None])


def macro(block, distance="labels", threshold=0.1, history=1, subroutine="nearest-mean"):
    classes = classes_of(block)
    names = tuple(map(str, range(classes)))
    create = resolve(subroutine)
    discrepancy = DISTANCES[distance].create(Shape(classes, len(COLUMNS.numbers), history))
    return Macro(threshold, discrepancy, history, lambda: create(names), COLUMNS)


def run(algorithm, block):
    """Each step's choice and predictions."""
    for s in range(block.steps):
        rows = block.step(s)
        choice = algorithm.open()
        yield choice, algorithm.predict(choice, rows)
        algorithm.complete(choice, rows)


def test_the_first_step_starts_the_first_subroutine():
    choice, predictions = next(run(macro(block := block_of([1, 0], [1, 1])), block))
    assert (choice.active, choice.close, choice.born, choice.distance) == (1, (1,), True, None)
    assert predictions.tolist() == [0]


def test_a_history_that_comes_back_finds_its_subroutine_again():
    block = block_of([0, 0, 1, 1, 0, 0, 1, 1], [2, 2, 2, 2])
    choices = [choice for choice, _ in run(macro(block), block)]
    assert [c.active for c in choices] == [1, 2, 3, 2]
    assert [c.born for c in choices] == [True, True, True, False]
    assert choices[3].distance == 0.0


def test_the_lowest_number_is_active_on_ties():
    # histories: none, all 0, all 1, half and half; the last is as far from 2 as from 3
    block = block_of([0, 0, 1, 1, 0, 1, 0], [2, 2, 2, 1])
    algorithm = macro(block, threshold=0.5)
    *_, last = [choice for choice, _ in run(algorithm, block)]
    assert last.close == (2, 3)
    assert last.active == 2


def test_a_newborn_copies_the_closest_subroutine_and_parts_from_it():
    block = block_of([0, 0, 0, 0, 1, 1, 0, 0, 0, 0], [4, 2, 4], numbers=np.eye(10, 2))
    algorithm = macro(block, threshold=0.01)
    list(run(algorithm, block))
    _first, second, third = algorithm.subroutines
    assert second.counts.tolist() == [4, 2]  # copied at step 1, then learned it
    assert third.counts.tolist() == [8, 2]  # copied at step 2, then learned it


@distances
@given(block=random_blocks(), threshold=thresholds, history=histories)
@settings(max_examples=25, deadline=None)
def test_one_is_born_exactly_when_none_was_close(distance, block, threshold, history):
    algorithm = macro(block, distance, threshold, history)
    for s in range(block.steps):
        now = algorithm.discrepancy.describe(algorithm.recent())
        references = list(algorithm.references)
        far = [algorithm.discrepancy.between(now, r) > threshold for r in references]
        choice = algorithm.open()
        assert choice.born == all(far)
        assert len(algorithm.subroutines) == len(references) + choice.born
        assert all(a is b for a, b in zip(references, algorithm.references, strict=False))
        algorithm.complete(choice, block.step(s))


@given(block=random_blocks().filter(lambda block: classes_of(block) == 2))
@settings(max_examples=25, deadline=None)
def test_at_an_infinite_threshold_it_is_one_river_model(block):
    model = LogisticRegression(optimizer=SGD(InverseScaling(1.0)), intercept_lr=InverseScaling(1.0))
    algorithm = macro(block, threshold=math.inf, subroutine="logistic")
    for s, (choice, predictions) in enumerate(run(algorithm, block)):
        rows = block.step(s)
        expected = [model.predict_one(x) for x in rows.dicts]
        for x, label in zip(rows.dicts, rows.labels, strict=True):
            model.learn_one(x, bool(label))
        assert choice.active == 1
        assert predictions.tolist() == expected
