"""Interpreted kernels give what the compiled ones give, wherever one takes over from the other."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_ensembles import assert_same_steps, members_of, run, shape_of
from made_streams import classes_of, random_block, random_blocks, same

from macro_engine.algorithm.compiled_family import CompiledFamily, CompiledSettings
from macro_engine.algorithm.compiled_support import COMPILED_DISTANCES, COMPILED_SUBROUTINES
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.core.state import pack, unpack

THRESHOLDS = (0.02, 0.1, 0.3)


def make(block, distance, subroutine, plain, **options):
    histories = (2, 3) if distance != "frames" else 3
    members = members_of(distance, histories, THRESHOLDS)
    columns, classes = block.rows.columns, classes_of(block)
    shape = shape_of(columns, classes, members, **options)
    family = CompiledFamily(
        CompiledSettings(members, distance, shape, subroutine, 0.1, 5), columns, plain
    )
    return Ensemble(family, columns, with_probabilities=True, compiled=not plain)


def parts_of(block, cuts):
    marks = [0, *sorted({min(cut, block.steps) for cut in cuts}), block.steps]
    return [block.cut(a, b) for a, b in pairwise(marks) if b > a]


def state_of(ensemble):
    return {name: pack(part) for name, part in ensemble.state().items()}


EVERY_KERNEL = pytest.mark.parametrize(
    ("distance", "subroutine"), [(d, s) for d in COMPILED_DISTANCES for s in COMPILED_SUBROUTINES]
)


@EVERY_KERNEL
@settings(max_examples=15, deadline=None)
@given(
    block=random_blocks(),
    cuts=st.lists(st.integers(1, 24), max_size=3),
    switch=st.integers(0, 3),
    empty_class=st.sampled_from(["far", "zero", "skip"]),
)
def test_a_run_goes_over_to_compiled_kernels_between_any_blocks(
    distance, subroutine, block, cuts, switch, empty_class
):
    whole = make(block, distance, subroutine, False, empty_class=empty_class)
    switched = make(block, distance, subroutine, True, empty_class=empty_class)
    for number, part in enumerate(parts_of(block, cuts)):
        if number == switch:
            switched.family.compile()
            switched.compiled = True
        assert_same_steps(run(whole, part), run(switched, part))
    assert state_of(whole) == state_of(switched)


@EVERY_KERNEL
@settings(max_examples=8, deadline=None)
@given(block=random_blocks(), cut=st.integers(1, 24), plain_first=st.booleans())
def test_the_state_of_one_is_the_state_of_the_other(distance, subroutine, block, cut, plain_first):
    whole = make(block, distance, subroutine, False)
    resumed = make(block, distance, subroutine, plain_first)
    for number, part in enumerate(parts_of(block, [cut])):
        if number == 1:
            state = {name: unpack(pack(kept)) for name, kept in resumed.state().items()}
            resumed = make(block, distance, subroutine, not plain_first)
            resumed.restore(state, block.rows.columns)
        assert_same_steps(run(whole, part), run(resumed, part))
    assert state_of(whole) == state_of(resumed)


@EVERY_KERNEL
def test_a_look_ahead_says_the_same(distance, subroutine):
    block = random_block(4, 3, [3, 1, 4] * 8)
    said = []
    for plain in (True, False):
        ensemble = make(block, distance, subroutine, plain)
        run(ensemble, block.cut(0, 10))
        ahead = ensemble.look_ahead().predict(block.step(10))
        said.append((ahead.predictions, ahead.probabilities))
    assert same(said[0][0], said[1][0])
    assert same(said[0][1], said[1][1])


def test_many_rows_of_a_class_are_sorted_as_by_the_compiled_kernel():
    block = random_block(9, 2, [80, 70, 90, 60, 85])
    plain, compiled = (make(block, "features", "logistic", p) for p in (True, False))
    assert_same_steps(run(compiled, block), run(plain, block))
