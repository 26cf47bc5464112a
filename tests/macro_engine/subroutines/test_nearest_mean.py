import numpy as np
from made_streams import block_of, random_block

from macro_engine.core.rows import Columns, Rows
from macro_engine.subroutines.nearest_mean import NearestMean


def test_a_case_worked_by_hand():
    rows = block_of([0, 0, 1], [3], [[0.0, 0.0], [0.2, 0.0], [1.0, 1.0]]).rows
    subroutine = NearestMean(2)
    subroutine.learn(rows)
    assert subroutine.means[0].tolist() == [0.1, 0.0, 1.0, 0.0, 0.0]
    nearer_to_one = block_of([0, 0], [2], [[0.5, 0.4], [0.6, 0.6]]).rows
    assert subroutine.predict(nearer_to_one).tolist() == [0, 1]


def test_a_class_never_seen_is_never_predicted():
    subroutine = NearestMean(3)
    subroutine.learn(block_of([2], [1], [[9.0, 9.0]]).rows)
    assert subroutine.predict(random_block(0, 3, [5]).rows).tolist() == [2] * 5


def test_the_first_class_wins_ties():
    subroutine = NearestMean(2)
    subroutine.learn(block_of([1, 0], [2], [[0.0, 0.0], [1.0, 0.0]]).rows)
    assert subroutine.predict(block_of([0], [1], [[0.5, 0.0]]).rows).tolist() == [0]


def test_values_of_a_category_that_appear_later_change_nothing_learned_before():
    def rows(known, slots, labels):
        columns = Columns(("a",), ("p", "q"), (tuple("xyz"[:known]), ("u", "v")))
        return Rows(np.zeros((len(labels), 1)), np.array(slots), np.array(labels), columns)

    grown, complete = NearestMean(2), NearestMean(2)
    grown.learn(rows(2, [[0, 0], [1, 1], [1, 0]], [0, 1, 1]))
    complete.learn(rows(3, [[0, 0], [1, 1], [1, 0]], [0, 1, 1]))
    later = rows(3, [[2, 1], [2, 0]], [0, 1])
    grown.learn(later)
    complete.learn(later)
    assert (grown.means == complete.means).all()
