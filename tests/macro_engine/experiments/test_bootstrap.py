"""Intervals around differences of error rates."""

import numpy as np

from macro_engine.experiments.bootstrap import by_days, by_persons


def test_a_difference_without_noise_has_no_width():
    found = by_days([10] * 30, [2] * 30, [1] * 30)
    assert (found.value, found.low, found.high) == (0.1, 0.1, 0.1)


def test_one_day_or_one_person_alone_has_no_interval():
    for found in (by_days([10], [2], [1]), by_persons([0.2], [0.1])):
        assert (found.value, found.low, found.high) == (0.1, None, None)


def test_the_value_is_the_difference_of_the_error_rates_over_all_rows():
    rows, one, other = [10, 1000], [5, 10], [0, 20]
    assert by_days(rows, one, other).value == (15 - 20) / 1010


def test_days_that_resemble_their_neighbours_make_it_wider():
    random = np.random.default_rng(0)
    weeks = np.repeat(random.integers(0, 20, 26), 7)  # the same all week
    shuffled = random.permutation(weeks)
    widths = [
        found.high - found.low
        for found in (by_days([100] * 182, days.tolist(), [10] * 182) for days in (weeks, shuffled))
    ]
    assert widths[0] > 1.8 * widths[1]


def test_it_covers_the_truth_about_as_often_as_it_says():
    random = np.random.default_rng(0)
    hits = 0
    for _ in range(100):
        one, other = random.binomial(100, [[0.2], [0.2]], (2, 120)).tolist()
        found = by_days([100] * 120, one, other)
        hits += found.low <= 0 <= found.high
    assert 85 <= hits <= 100


def test_the_same_data_gives_the_same_interval():
    one, other = [0.1, 0.3, 0.2], [0.3, 0.4, 0.1]
    assert by_persons(one, other) == by_persons(one, other)
    assert round(by_persons(one, other).value, 12) == round(-0.2 / 3, 12)


def test_few_days_are_drawn_one_by_one():
    found = by_days([10] * 5, [0, 5, 0, 5, 0], [2] * 5)
    assert found.low < found.value < found.high
