import numpy as np
import pytest
from made_blends import patterned

from macro_engine.core.state import DamagedError, pack, unpack
from macro_engine.stream.compiled_scale import CompiledScale
from macro_engine.stream.running_scale import RunningScale

BOTH = pytest.mark.parametrize("scale", [RunningScale, CompiledScale])


def column(*values):
    return np.array(values, float)[:, None]


def one_row_steps(numbers):
    return np.arange(len(numbers) + 1)


def messy(rows=200):
    """Missing values, outliers, a constant, numbers far from 0, and a column with bounds."""
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(rows, 5)) * [1, 1e-3, 0, 1, 0] + [0, 1e6, 7, 0, 0]
    numbers[rng.random((rows, 5)) < 0.1] = np.nan
    numbers[::37, 0] = 1e6
    numbers[5:9, 3] = [np.inf, -np.inf, 1e300, 4]
    numbers[:, 4] = rng.random(rows)
    return numbers, np.unique(np.append(np.sort(rng.integers(0, rows, 60)), [0, rows]))


@pytest.mark.slow
@BOTH
def test_figures_are_those_of_the_reference(scale):
    raw, _, _, starts = patterned(2)
    z = scale([False] * 3).run(raw, starts)
    expected = [
        [0.0, 0.0, 0.0],
        [0.166518867988, 1.21088383482, 1.410357970347],
        [-1.045878092452, 0.425871162065, 1.435417327018],
    ]
    np.testing.assert_allclose(z[[1, 60, 89]], expected, 0, 1e-11)


@BOTH
def test_by_hand(scale):
    numbers = column(1, 3, 5, 5)
    z = scale([False]).run(numbers, one_row_steps(numbers))
    assert z.tolist() == [[0.0], [0.0], [3.0], [2 / np.sqrt(8 / 3)]]  # 1 +- 0, 2 +- 1, 3 +- 1.63


@BOTH
def test_a_step_is_scaled_by_the_steps_before_it_alone(scale):
    numbers = column(1, 3, 100, 100)
    assert scale([False]).run(numbers, np.array([0, 2, 4])).tolist() == [[0], [0], [4], [4]]


@BOTH
def test_an_outlier_enters_the_statistics_at_eight_deviations(scale):
    one = scale([False])
    one.run(column(1, 3, 1e9), np.array([0, 2, 3]))
    assert one.means[0] == 2 + 8 / 3


def test_compiled_and_plain_are_equal_to_the_bit():
    numbers, starts = messy()
    bounded = [False, False, False, False, True]
    plain, compiled = RunningScale(bounded), CompiledScale(bounded)
    z = plain.run(numbers, starts)
    assert np.isfinite(z).all()
    np.testing.assert_array_equal(compiled.run(numbers, starts), z)
    np.testing.assert_array_equal(compiled.units(z), plain.units(z))
    for name, kept in plain.state().items():
        np.testing.assert_array_equal(compiled.state()[name], kept)


@BOTH
def test_goes_on_from_a_stored_state_and_an_open_step_changes_nothing(scale):
    numbers, starts = messy()
    bounded = [False] * 5
    whole, first, later = scale(bounded), scale(bounded), RunningScale(bounded)
    expected = whole.run(numbers, starts)
    half = len(starts) // 2
    at = int(starts[half])
    first.run(numbers[:at], starts[: half + 1])
    first.scale(numbers[at:])
    later.restore(unpack(pack(first.state())))
    np.testing.assert_array_equal(later.run(numbers[at:], starts[half:] - at), expected[at:])


@BOTH
def test_what_is_missing_is_0_and_is_not_counted(scale):
    one = scale([False])
    numbers = column(1, np.nan, np.inf, -1e200, 3)
    z = one.run(numbers, one_row_steps(numbers))
    assert not z.any()
    assert one.counts.tolist() == [2]
    assert one.means.tolist() == [2.0]


@BOTH
def test_a_column_with_bounds_is_left_as_it_is(scale):
    one = scale([True])
    z = one.run(column(0.25, 1.0, np.nan), np.array([0, 1, 3]))
    assert z.tolist() == one.units(z).tolist() == [[0.25], [1.0], [0.0]]
    assert one.counts.tolist() == [0]


@BOTH
def test_values_that_are_cut_off_are_counted(scale):
    one = scale([False])
    one.run(column(1, 3, 6, 6.1, -100), np.array([0, 2, 5]))
    assert (one.values.tolist(), one.clipped.tolist()) == ([5], [2])


def test_a_damaged_state_is_refused():
    state = RunningScale([False]).state()
    with pytest.raises(DamagedError):
        RunningScale([False, False]).restore(state)
    with pytest.raises(DamagedError):
        RunningScale([False]).restore(state | {"counts": np.array([5001])})
