"""Falling thresholds, a limit on subroutines, and how many of them there are."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_streams import COLUMNS, block_of, classes_of, random_block, random_blocks

from macro_engine.algorithm.macro import Macro, threshold_at
from macro_engine.core.rows import Columns, Rows
from macro_engine.discrepancy import DISTANCES, Labels, Shape
from macro_engine.subroutines import resolve


def nearest_mean(classes):
    return lambda: resolve("nearest-mean")(tuple(map(str, range(classes))))


@given(block=random_blocks(), power=st.sampled_from([0.1, 0.5, 2.0]), threshold=st.floats(0.01, 2))
@settings(max_examples=30, deadline=None)
def test_a_newborn_is_farther_than_the_threshold_in_force_from_every_reference(
    block, power, threshold
):
    classes = classes_of(block)
    macro = Macro(threshold, Labels(classes), 1, nearest_mean(classes), COLUMNS, power=power)
    for t in range(block.steps):
        now = macro.discrepancy.describe(macro.recent())
        references = list(macro.references)
        choice = macro.open()
        in_force = threshold * (t + 1) ** -power
        if choice.born:
            assert all(macro.discrepancy.between(now, r) > in_force for r in references)
        else:
            assert choice.distance <= in_force
        macro.complete(choice, block.step(t))


def test_thresholds_do_not_fall_unless_asked_and_infinity_never_does():
    assert threshold_at(99, 0.3, 0.0) == 0.3
    assert threshold_at(3, 0.5, 0.5) == 0.25
    assert threshold_at(10**6, math.inf, 1000.0) == math.inf


def test_at_the_limit_the_closest_one_predicts_and_learns():
    block = block_of([0, 0, 1, 1, 0, 1, 1, 1], [2, 2, 2, 2])
    macro = Macro(0.01, Labels(2), 1, nearest_mean(2), COLUMNS, most=2)
    choices = []
    for s in range(block.steps):
        choices.append(macro.open())
        macro.complete(choices[-1], block.step(s))
    assert [c.active for c in choices] == [1, 2, 2, 2]
    assert [c.forced for c in choices] == [False, False, True, True]
    assert choices[2].distance == 2.0
    assert choices[3].distance == 0.5
    assert macro.subroutines[1].counts.sum() == 2 + 2 + 2 + 2


def covering_number(distances, radius):
    """The least number of the points that have every point within the radius, by brute force."""
    n = len(distances)
    for size in range(1, n + 1):
        for centres in itertools.combinations(range(n), size):
            if (distances[:, centres].min(axis=1) <= radius).all():
                return size
    raise AssertionError


class RootOfLabels(Labels):
    """The square root of the labels distance, which is a metric."""

    def between(self, now, reference):
        return math.sqrt(super().between(now, reference))


@given(
    seed=st.integers(0, 10**6),
    classes=st.sampled_from([2, 3]),
    threshold=st.sampled_from([0.15, 0.3, 0.5, 0.8]),
)
@settings(max_examples=25, deadline=None)
def test_their_number_lies_between_the_covering_numbers_of_lemma_1(seed, classes, threshold):
    block = random_block(seed, classes, [3] * 9)
    macro = Macro(threshold, RootOfLabels(classes), 1, nearest_mean(classes), COLUMNS)
    moments = []
    for s in range(block.steps):
        moments.append(macro.discrepancy.describe(macro.recent()))
        macro.complete(macro.open(), block.step(s))
    distances = np.array([[macro.discrepancy.between(a, b) for a in moments] for b in moments])
    assert covering_number(distances, threshold) <= len(macro.subroutines)
    assert len(macro.subroutines) <= covering_number(distances, threshold / 2)


@pytest.mark.parametrize("seed", range(3))
def test_a_markov_chain_gets_a_subroutine_for_each_state_that_learns_its_next_one(seed):
    rng = np.random.default_rng(seed)
    transition = np.array([[0.1, 0.8, 0.1], [0.2, 0.1, 0.7], [0.9, 0.05, 0.05]])
    states = [0]
    for _ in range(3000):
        states.append(int(rng.choice(3, p=transition[states[-1]])))
    columns = Columns(("constant",))
    n = len(states)
    rows = Rows(np.ones((n, 1)), np.empty((n, 0), np.int64), np.array(states), columns)
    create = resolve("logistic")
    macro = Macro(
        0.5,
        DISTANCES["markov"].create(Shape(3, 1, 1)),
        1,
        lambda: create(("0", "1", "2")),
        columns,
    )
    for t in range(n):
        choice = macro.open()
        if t > 2000:
            said = macro.predict(choice, rows.cut(t, t + 1))[0]
            assert said == transition[states[t - 1]].argmax(), choice
        macro.complete(choice, rows.cut(t, t + 1))
    assert len(macro.subroutines) == len(set(states[:-1])) + 1
