from itertools import pairwise

import numpy as np
import pytest

from macro_engine.core.rows import Columns, Rows
from macro_engine.core.state import DamagedError, pack, unpack
from macro_engine.stream.compiled_scale import CompiledScale
from macro_engine.stream.label import LabelColumn
from macro_engine.stream.running_scale import RunningScale
from macro_engine.stream.scale import Scale
from macro_engine.stream.spec import StepLength, StreamSpec

BOTH = pytest.mark.parametrize("create", [RunningScale, CompiledScale])


def scale_of(*bounds, scale="running", say=lambda _text: None, create=RunningScale, **wanted):
    """A scale of so many columns, of which some have bounds."""
    names = "abcde"[: len(bounds)]
    known = {name: pair for name, pair in zip(names, bounds, strict=True) if pair is not None}
    made = StreamSpec(
        label=LabelColumn("y"),
        features=tuple(names),
        categorical=(),
        time=None,
        time_format=None,
        classes=("p", "q"),
        bounds=known,
        every=StepLength(rows=1),
        scale=scale,
        reject_late=False,
        **wanted,
    )
    return Scale(made, say, create)


def rows_of(*columns):
    numbers = np.array(columns, float).T
    slots, labels = np.zeros((len(numbers), 0), np.int64), np.zeros(len(numbers), np.int64)
    return Rows(numbers, slots, labels, Columns(tuple("abcde"[: len(columns)])))


def one_row_steps(rows):
    return np.arange(len(rows) + 1)


def closed(scale, *columns):
    """The rows of steps of one row each."""
    rows = rows_of(*columns)
    return scale.close(rows, one_row_steps(rows))


def drawn(rows=300):
    rng = np.random.default_rng(1)
    return [rng.normal(5, 3, rows), rng.random(rows) * 1.1, rng.standard_cauchy(rows)]


def test_columns_with_bounds_are_brought_to_one_and_the_others_run():
    found = closed(scale_of((0, 4), None), [1, 3, 5, -5], [1, 3, 5, 5])
    assert found.numbers[:, 0].tolist() == [0.25, 0.75, 1.0, 0.0]
    assert found.numbers[:, 1].tolist() == [0.0, 0.0, 3.0, 2 / np.sqrt(8 / 3)]


def test_a_column_whose_bounds_are_equal_is_zero():
    found = closed(scale_of((5.0, 5.0)), [5, 6, 1e308, -1e308])
    assert found.numbers[:, 0].tolist() == [0.0] * 4


def test_bounds_beyond_the_largest_float_still_give_numbers_in_between():
    found = closed(scale_of((-1.7e308, 1.7e308)), [-1.7e308, 0, 1.7e308])
    assert found.numbers[:, 0].tolist() == [0.0, 0.5, 1.0]


def test_without_scale_rows_are_left_as_they_are_and_nothing_is_computed():
    scale, rows = scale_of(None, (0, 1), scale="none", wants_raw=True), rows_of([5, -60], [7, 8])
    assert scale.close(rows, one_row_steps(rows)) is rows
    assert scale.open(rows) is rows


@BOTH
def test_tiles_see_the_running_z_without_scale_too(create):
    columns = [[1, 3, 5, 5], [0.5, 2, 0, 1]]
    scaled = closed(scale_of(None, (0, 2), create=create, wants_units=True), *columns)
    found = closed(scale_of(None, (0, 2), scale="none", create=create, wants_units=True), *columns)
    assert found.numbers.tolist() == rows_of(*columns).numbers.tolist()
    assert found.units.tolist() == scaled.units.tolist()
    assert found.units[2].tolist() == [1 / (1 + np.exp(-1.7 * 3)), 0.0]


def test_raw_numbers_and_units_come_only_where_they_are_wanted():
    plain = closed(scale_of(None), [1, 3])
    assert (plain.raw, plain.units) == (None, None)
    asked = closed(scale_of(None, wants_raw=True, wants_units=True), [1, 3])
    assert asked.raw.tolist() == [[1], [3]]
    assert asked.units.tolist() == [[0.5], [0.5]]


@pytest.mark.parametrize("scale", ["running", "none"])
def test_a_missing_number_stays_missing_where_numbers_are_raw(scale):
    found = closed(scale_of(None, scale=scale, missing="mean", wants_raw=True), [0, np.nan, np.inf])
    assert found.numbers[1:].tolist() == [[0], [0]]
    assert np.isnan(found.raw).ravel().tolist() == [False, True, True]


@BOTH
def test_an_open_step_is_seen_as_it_will_be_closed_and_changes_nothing(create):
    scale, rows = scale_of(None, (0, 1), None, create=create, wants_units=True), rows_of(*drawn())
    scale.close(rows.cut(0, 200), np.array([0, 50, 200]))
    before = pack(scale.state())
    opened = scale.open(rows.cut(200, 300))
    assert pack(scale.state()) == before
    in_the_end = scale.close(rows.cut(200, 300), np.array([0, 100]))
    np.testing.assert_array_equal(opened.numbers, in_the_end.numbers)
    np.testing.assert_array_equal(opened.units, in_the_end.units)


def test_compiled_and_plain_are_equal_to_the_bit_however_cut_and_restored():
    rows, steps = rows_of(*drawn()), [0, 1, 40, 41, 200, 300]
    said = {RunningScale: [], CompiledScale: []}

    def new(create):
        bounds = (None, (0.0, 1.0), None)
        return scale_of(*bounds, say=said[create].append, create=create, wants_units=True)

    plain, compiled = new(RunningScale), new(CompiledScale)
    expected = plain.close(rows, np.array(steps))
    for start, stop in pairwise(steps):
        state = unpack(pack(compiled.state()))
        compiled = new(CompiledScale)
        compiled.restore(state)
        found = compiled.close(rows.cut(start, stop), np.array([0, stop - start]))
        np.testing.assert_array_equal(found.numbers, expected.numbers[start:stop])
        np.testing.assert_array_equal(found.units, expected.units[start:stop])
    assert pack(compiled.state()) == pack(plain.state())
    assert sorted(said[CompiledScale]) == sorted(said[RunningScale]) != []
    assert compiled.what_was_cut_off() == plain.what_was_cut_off() != []


@BOTH
def test_more_than_one_in_a_hundred_cut_off_is_said_once_with_the_column(create):
    said = []
    scale = scale_of(None, None, (0, 1), say=said.append, create=create)
    calm = np.tile([1.0, 2.0, 3.0, 2.0], 300)
    wild = calm.copy()
    wild[200::50] = 1e6
    high = np.zeros(1200)
    high[::60] = 2.0
    for _ in range(2):
        closed(scale, calm, wild, high)
    assert said == [
        "more than 1 % of the values of 'c' are cut off at their bounds",
        "more than 1 % of the values of 'b' are cut off at 4 deviations from the mean",
    ]


def test_the_first_few_values_decide_nothing():
    said = []
    closed(scale_of(None, (0, 1), say=said.append), [1, 1.1, 9, 99, 999], [2, 2, 2, 2, 2])
    assert said == []


def test_what_was_cut_off_is_counted():
    scale = scale_of((0.0, 1.0), None)
    closed(scale, [-1, 0, 1, 2], [1, 2, 3, 1e6])
    assert scale.what_was_cut_off() == ["2 values of 'a' outside 0 to 1 were cut off"]


def test_a_damaged_state_is_refused():
    scale = scale_of(None, (0, 1))
    closed(scale, [1, 2], [0, 1])
    state = scale.state()
    with pytest.raises(DamagedError):
        scale_of(None).restore(state)
    for broken in (np.array([-1.0, 0.0]), np.array([np.nan, 0.0])):
        state["running"]["variances"] = broken
        with pytest.raises(DamagedError):
            scale_of(None, (0, 1)).restore(state)


@pytest.mark.parametrize("scale", ["running", "unit", "none"])
def test_a_missing_number_becomes_zero(scale):
    bounds = ((0, 10), (0, 10)) if scale == "unit" else (None, None)
    made, rows = scale_of(*bounds, scale=scale, missing="mean"), rows_of([5, np.nan], [7, 8])
    assert made.open(rows).numbers[1, 0] == 0.0
    assert made.close(rows, one_row_steps(rows)).numbers[1, 0] == 0.0
