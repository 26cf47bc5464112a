import math

import numpy as np
import pytest
from made_streams import COLUMNS, block_of, random_block

from macro_engine.core.errors import UsageError
from macro_engine.discrepancy import Features


def rows(numbers, labels):
    return block_of(labels, [len(labels)], numbers).rows


def between(s, t, classes=2, normalised=True):
    distance = Features(classes, len(COLUMNS.numbers), normalised)
    return distance.between(distance.describe(s), distance.describe(t))


def test_a_case_worked_by_hand():
    # class 0: distances 0.3 and 0.4 to (0, 0), and k = 2; class 1: 0.5, k = 1
    s = rows([[0.3, 0.0], [0.0, 0.4], [1.0, 1.0]], [0, 0, 1])
    t = rows([[0.0, 0.0], [0.7, 0.6]], [0, 1])
    expected = ((0.3 + 0.4) / 2 + 0.5) / 2
    assert between(s, t, normalised=False) == pytest.approx(expected)
    assert between(s, t) == pytest.approx(expected / math.sqrt(2))


def test_only_the_smallest_pairs_count():
    # four pairs, of which the two of distance 0 are the max(2, 2) smallest
    s = rows([[0.0, 0.0], [1.0, 1.0]], [0, 0])
    assert between(s, s) == 0.0


def test_a_class_that_one_side_lacks_counts_one():
    s = rows([[0.0, 0.0], [0.0, 0.0]], [0, 1])
    t = rows([[0.0, 0.0]], [0])
    assert between(s, t) == 0.5


def test_a_class_that_both_sides_lack_counts_nothing():
    s = rows([[0.0, 0.0]], [0])
    t = rows([[1.0, 1.0]], [0])
    assert between(s, t, classes=4) == pytest.approx(1 / 4)


def test_it_stays_between_zero_and_one_for_scaled_columns():
    for seed in range(50):
        s, t = (random_block(seed + i, 3, [5]).rows for i in (0, 500))
        assert 0.0 <= between(s, t, classes=3) <= 1.0


def test_the_sum_runs_in_column_order_and_from_the_smallest_root_up():
    rng = np.random.default_rng(0)
    s, t = rng.random((6, 2)), rng.random((9, 2))
    roots = sorted(
        math.sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])) / math.sqrt(2)
        for a in s
        for b in t
    )
    total = 0.0
    for root in roots[:9]:
        total += root
    assert between(rows(s, [0] * 6), rows(t, [0] * 9), classes=1) == total / 9


def test_it_needs_a_numeric_column():
    with pytest.raises(UsageError, match="needs at least one numeric column"):
        Features(2, 0)
