import numpy as np
import pytest
from made_streams import COLUMNS, block_of

from macro_engine.core.errors import UsageError
from macro_engine.discrepancy import Features, Frames, Markov


def rows(numbers, labels=None, slots=None):
    labels = [0] * len(numbers) if labels is None else labels
    return block_of(labels, [len(labels)], numbers, slots).rows


def between(distance, s, t):
    return distance.between(distance.describe(s), distance.describe(t))


def test_frames_compares_rows_from_the_newest_on():
    s = rows([[9, 9], [0, 0], [3, 4]])
    t = rows([[0, 0], [0, 0]])
    assert between(Frames(5, 2), s, t) == (5.0 + 0.0) / 2


def test_frames_looks_at_no_more_rows_than_its_history_has():
    s = rows([[100, 0], [0, 0]])
    t = rows([[0, 0], [0, 0]])
    assert between(Frames(1, 2), s, t) == 0.0
    assert between(Frames(2, 2), s, t) == 50.0
    assert between(Frames(None, 2), s, t) == 50.0


def test_frames_is_not_divided_by_the_number_of_columns():
    assert between(Frames(1, 2), rows([[3, 4]]), rows([[0, 0]])) == 5.0


def test_frames_needs_numbers():
    with pytest.raises(UsageError, match="'frames' needs at least one numeric column"):
        Frames(5, 0)


def test_markov_compares_the_last_row_with_its_category_and_label():
    def last(number, slot, label):
        return rows([[0, 0], [number, 0]], [0, label], np.array([[0], [slot]]))

    same, markov = last(1, 2, 1), Markov()
    assert between(markov, same, rows([[1, 0]], [1], np.array([[2]]))) == 0.0
    for other in (last(2, 2, 1), last(1, 1, 1), last(1, 2, 0)):
        assert between(markov, same, other) == 1.0


@pytest.mark.parametrize(
    ("empty_class", "expected"), [("far", (0.5 + 1 + 0) / 3), ("zero", 0.5 / 3), ("skip", 0.5 / 2)]
)
def test_a_class_that_one_side_lacks(empty_class, expected):
    # class 0 is at distance 0.5, class 1 is only in s, class 2 in neither
    s = rows([[0.3, 0.4], [0, 0]], [0, 1])
    t = rows([[0, 0]], [0])
    distance = Features(3, len(COLUMNS.numbers), False, empty_class)
    assert between(distance, s, t) == pytest.approx(expected)


def test_where_no_class_is_left_the_distance_is_infinite():
    distance = Features(2, 2, True, "skip")
    assert between(distance, rows([[0, 0]], [0]), rows([[0, 0]], [1])) == np.inf


def test_markov_takes_a_missing_number_for_no_number_but_a_missing_one():
    markov, missing = Markov(), rows([[1, np.nan]])
    again = markov.restored(markov.state(markov.describe(missing)))
    assert markov.between(markov.describe(missing), again) == 0.0
    assert between(markov, missing, rows([[1, 0]])) == 1.0
