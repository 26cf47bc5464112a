"""Checks that every distance passes; a new one is in the list by being in DISTANCES."""

import math

import numpy as np
import pytest
from made_streams import COLUMNS, random_block

from macro_engine.core.rows import Rows
from macro_engine.discrepancy import DISTANCES, Shape

every_distance = pytest.mark.parametrize("name", DISTANCES)
EMPTY = Rows.join([], COLUMNS)


def create(name, classes=3):
    return DISTANCES[name].create(Shape(classes, len(COLUMNS.numbers), 5))


def between(name, s, t, classes=3):
    distance = create(name, classes)
    return distance.between(distance.describe(s), distance.describe(t))


def rows(seed, n=7, classes=3):
    return random_block(seed, classes, [n]).rows


@every_distance
@pytest.mark.parametrize("seed", range(20))
def test_it_is_a_float_and_never_negative_or_nan(name, seed):
    distance = between(name, rows(seed, 1 + seed % 5), rows(seed + 100))
    assert type(distance) is float
    assert distance >= 0.0


@every_distance
@pytest.mark.parametrize("seed", range(20))
def test_it_is_symmetric(name, seed):
    s, t = rows(seed, 4), rows(seed + 100)
    assert between(name, s, t) == between(name, t, s)


@every_distance
def test_a_single_row_is_at_distance_zero_from_itself(name):
    s = rows(0, 1)
    assert between(name, s, s) == 0.0


@every_distance
def test_two_empty_histories_are_at_distance_zero(name):
    assert between(name, EMPTY, EMPTY) == 0.0


@every_distance
def test_an_empty_history_is_infinitely_far_from_any_other(name):
    expected = 0.0 if name == "iid" else math.inf
    assert between(name, EMPTY, rows(0)) == expected
    assert between(name, rows(0), EMPTY) == expected


@every_distance
def test_a_description_does_not_change_with_the_rows_it_came_from(name):
    distance = create(name)
    s, t = rows(0), rows(1)
    reference = distance.describe(s)
    before = distance.between(distance.describe(t), reference)
    s.numbers[:] = 0.5
    s.labels[:] = 0
    assert distance.between(distance.describe(t), reference) == before


@every_distance
def test_the_paper_gives_it_a_history_and_rising_thresholds(name):
    distance = DISTANCES[name]
    assert distance.history >= 0
    assert list(distance.thresholds) == sorted(set(distance.thresholds))


@every_distance
def test_it_knows_any_number_of_classes(name):
    s, t = rows(0, 9, 5), rows(1, 9, 5)
    assert np.isfinite(between(name, s, t, classes=5))
