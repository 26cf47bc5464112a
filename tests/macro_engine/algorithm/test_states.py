"""A family goes on from its state as if nothing had happened."""

import made_ensembles
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_ensembles import assert_same_steps, members_of, run
from made_streams import random_block, same

from macro_engine.algorithm.compiled_support import COMPILED_DISTANCES, COMPILED_SUBROUTINES
from macro_engine.core.state import DamagedError, pack, unpack
from macro_engine.discrepancy import DISTANCES
from macro_engine.subroutines import STORABLE
from macro_engine.subroutines.output import OUTPUTS

CLASSES = 3
THRESHOLDS = (0.02, 0.1, 0.3)
LENGTHS = [1, 4, 2, 6, 1, 1, 3, 5, 2, 2, 4, 1] * 3


def general(distance, subroutine, output, history, columns):
    members = members_of(distance, history, THRESHOLDS)
    return made_ensembles.general(
        members, distance, subroutine, columns, CLASSES, output, with_probabilities=True
    )


def compiled(distance, subroutine, history, columns, classes=CLASSES):
    members = members_of(distance, history, THRESHOLDS)
    return made_ensembles.compiled(
        members, distance, subroutine, columns, classes, with_probabilities=True
    )


def assert_goes_on(make, block, *cuts):
    columns = block.rows.columns
    whole = make(columns)
    expected = run(whole, block)
    for cut in cuts:
        assert_goes_on_from(cut, make, block, whole, expected)


def assert_goes_on_from(cut, make, block, whole, expected):
    columns = block.rows.columns
    first, second = make(columns), make(columns)
    run(first, block.cut(0, cut))
    second.restore({n: unpack(pack(s)) for n, s in first.state().items()}, columns)
    found = run(second, block.cut(cut, block.steps))
    assert_same_steps(expected.cut(cut, block.steps), found, lists=False)
    last, other = whole.state(), second.state()
    assert {n: pack(s) for n, s in last.items()} == {n: pack(s) for n, s in other.items()}


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("subroutine", STORABLE)
def test_every_learner_that_can_be_stored(subroutine, output):
    block = random_block(3, 3, LENGTHS[:16])
    assert_goes_on(lambda columns: general("labels", subroutine, output, 2, columns), block, 1, 10)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("subroutine", STORABLE)
def test_a_state_does_not_change_while_the_run_goes_on(subroutine, output):
    block = random_block(7, 3, LENGTHS[:24])
    assert_unchanged(general("labels", subroutine, output, 2, block.rows.columns), block)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("subroutine", COMPILED_SUBROUTINES)
def test_a_state_of_the_compiled_family_does_not_change_either(subroutine, classes):
    block = random_block(7, classes, LENGTHS[:24])
    ensemble = compiled("features", subroutine, 2, block.rows.columns, classes)
    assert_unchanged(ensemble, block)


def assert_unchanged(ensemble, block):
    """What was handed over to be written stays what it was."""
    run(ensemble, block.cut(0, 12))
    for step in range(12, 24):  # arrays are replaced by larger ones now and then, not at each
        state = ensemble.state()
        before = {name: pack(part) for name, part in state.items()}
        run(ensemble, block.cut(step, step + 1))
        assert {name: pack(part) for name, part in state.items()} == before


@pytest.mark.parametrize("history", [3, None])
@pytest.mark.parametrize("distance", DISTANCES)
def test_every_distance(distance, history):
    block = random_block(4, 3, LENGTHS, coarse=True)
    assert_goes_on(
        lambda columns: general(distance, "nearest-mean", "last", history, columns), block, 20
    )


@pytest.mark.parametrize("distance", ["labels", "features"])
def test_several_histories(distance):
    block = random_block(8, 3, LENGTHS)
    for history in ((2, 5), (2, None)):
        assert_goes_on(
            lambda columns, h=history: general(distance, "nearest-mean", "last", h, columns),
            block,
            20,
        )
    for history in ((2, 5), (2, None) if distance == "labels" else (1, 2, 3)):
        assert_goes_on(
            lambda columns, h=history: compiled(distance, "logistic", h, columns), block, 20
        )


# the other way round than in test_compiled.py: each worker then compiles what the other has not
@pytest.mark.parametrize("subroutine", COMPILED_SUBROUTINES[::-1])
@pytest.mark.parametrize("distance", COMPILED_DISTANCES[::-1])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), cut=st.integers(1, len(LENGTHS) - 1))
def test_the_compiled_family(distance, subroutine, seed, cut):
    block = random_block(seed, 3, LENGTHS)
    assert_goes_on(lambda columns: compiled(distance, subroutine, 2, columns), block, cut)


@pytest.mark.slow
def test_columns_that_appear_later_find_their_place():
    block = random_block(5, 3, LENGTHS)
    early = block.cut(0, 10)
    columns = type(block.rows.columns)(("a", "b"), ("place",), (("x",),))
    rows = type(early.rows)(
        early.rows.numbers, np.zeros_like(early.rows.slots), early.rows.labels, columns
    )
    early = type(early)(rows, early.starts, None, 0, 0)
    for make in (
        lambda columns: compiled("labels", "logistic", 2, columns),
        lambda columns: general("labels", "erm", "average", 2, columns),
    ):
        one, before = make(columns), make(columns)
        run(one, early)
        run(before, early)
        other = make(columns)
        other.restore({n: unpack(pack(s)) for n, s in before.state().items()}, columns)
        rest = block.cut(10, block.steps)
        assert same(run(one, rest).predictions, run(other, rest).predictions)


def arrays_of(state, path=()):
    for name, value in state.items():
        if isinstance(value, dict):
            yield from arrays_of(value, (*path, name))
        elif isinstance(value, list):
            parts = {i: part for i, part in enumerate(value) if isinstance(part, dict)}
            yield from arrays_of(parts, (*path, name))
        elif isinstance(value, np.ndarray):
            yield (*path, name), value


@pytest.mark.slow
@pytest.mark.parametrize("distance", COMPILED_DISTANCES)
def test_a_state_that_would_lead_the_loops_astray_is_refused(distance):
    """Whatever is done to it: refused, or run without reading what is not there."""
    block = random_block(6, 3, LENGTHS)
    columns = block.rows.columns
    ensemble = compiled(distance, "logistic", 2, columns)
    run(ensemble, block)
    refused = 0
    for path, array in arrays_of(ensemble.state()):
        for change in (
            lambda a: a + 1000,
            lambda a: a - 1000,
            lambda a: a[..., :-1],
            lambda a: a.T,
        ):
            state = {n: unpack(pack(s)) for n, s in ensemble.state().items()}
            place = state
            for name in path[:-1]:
                place = place[name]
            place[path[-1]] = change(array.astype(array.dtype))
            other = compiled(distance, "logistic", 2, columns)
            try:
                other.restore(state, columns)
            except DamagedError:
                refused += 1
            else:
                assert np.isfinite(run(other, block).probabilities).all()
    assert refused > 20
