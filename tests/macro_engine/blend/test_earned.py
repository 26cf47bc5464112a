import numpy as np
import pytest

from macro_engine.blend.earned import Earned
from macro_engine.state import pack, unpack


def test_before_anything_is_learnt_a_learner_is_believed_by_a_class_to_one():
    p = Earned(4).answer(np.array([1]))
    np.testing.assert_allclose(p, [[0.2 / 3, 0.8, 0.2 / 3, 0.2 / 3]])


def test_two_rows_by_hand():
    earned = Earned(2)
    earned.learn(np.array([0, 0]), np.array([0, 1]))
    d = 0.5 ** (1 / 100)
    right = (d * (d + 1)) / (d * (d + 1) + d * d * 0.5 + 1)
    expected = (d + 2 * right) / (d + 1 + 2)
    assert earned.answer(np.array([0]))[0, 0] == pytest.approx(expected, abs=1e-15)


def test_a_learner_that_is_always_wrong_is_believed_to_be_wrong():
    earned = Earned(3)
    earned.learn(np.zeros(300, np.int64), np.full(300, 2))
    assert earned.answer(np.array([0])).argmax() == 2
    assert np.isfinite(earned.answer(np.arange(3))).all()


def test_goes_on_from_a_stored_state():
    first, later = Earned(3), Earned(3)
    said, labels = np.array([0, 1, 2, 1]), np.array([0, 2, 2, 1])
    first.learn(said, labels)
    later.restore(unpack(pack(first.state())))
    for one in (first, later):
        one.learn(said, labels)
    np.testing.assert_array_equal(first.answer(said), later.answer(said))
