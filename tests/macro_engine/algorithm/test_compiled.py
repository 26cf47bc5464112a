"""The compiled path gives what the definition gives, to the last bit."""

import math
from time import thread_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_ensembles import (
    assert_same_steps,
    compiled,
    compiled_family,
    general,
    general_family,
    members_of,
    run,
)
from made_streams import block_of, classes_of, random_block, random_blocks, same

from macro_engine.algorithm.compiled_support import COMPILED_DISTANCES, COMPILED_SUBROUTINES
from macro_engine.algorithm.kernels.logistic import is_likelier
from macro_engine.algorithm.kernels.smallest import select_smallest, sort_in_place
from macro_engine.core.rows import LARGEST, Columns, Rows
from macro_engine.core.state import pack
from macro_engine.subroutines.logistic import likeliest

RESULTS = ("predictions", "active", "born", "distance", "close", "subroutines")
THRESHOLDS = {"frames": (0.1, 0.3, 0.5, 1.0)}  # for columns in [0, 1]


def both(block, distance, subroutine, classes, history, thresholds=None, **settings):
    """The general and the compiled family for the same settings."""
    members = members_of(distance, history, thresholds or THRESHOLDS.get(distance))
    columns = block.rows.columns
    return (
        general_family(members, distance, subroutine, columns, classes, **settings),
        compiled_family(members, distance, subroutine, columns, classes, **settings),
    )


def assert_same_results(one, other):
    for name in RESULTS:
        assert same(getattr(one, name), getattr(other, name)), name
    assert one.probabilities is None or same(one.probabilities, other.probabilities)
    assert_nearest_agree(one, other)


def assert_nearest_agree(general, compiled):
    """What the compiled family tells of the nearest is exact, or a lower bound and marked so."""
    exact, told = general.nearest_distances, compiled.nearest_distances
    bounds = (np.signbit(told) & ~np.isnan(told)).any(axis=2)
    assert same(general.nearest[~bounds], compiled.nearest[~bounds])
    assert same(exact[~bounds], told[~bounds])
    assert (np.abs(told[bounds]) <= exact[bounds])[~np.isnan(exact[bounds])].all()
    assert not bounds[:, -1].any()
    if exact.shape[1] <= 32:
        assert not bounds.any()


def assert_equal(block, distance, subroutine, history, classes=None, **options):
    classes = classes_of(block) if classes is None else classes
    general, compiled = both(block, distance, subroutine, classes, history, **options)
    assert_same_results(general.run(block, True), compiled.run(block, True))
    updates = [member.updates for member in general.everyone]
    used = compiled.subroutines.used
    assert updates == [
        line[:n].tolist() for line, n in zip(compiled.subroutines.updates, used, strict=True)
    ]


paths = pytest.mark.parametrize(
    ("distance", "subroutine"), [(d, s) for d in COMPILED_DISTANCES for s in COMPILED_SUBROUTINES]
)


@pytest.mark.slow
@paths
@given(block=random_blocks(), history=st.sampled_from([1, 2, 6, 99]))
@settings(max_examples=20, deadline=None)
def test_on_random_streams(distance, subroutine, block, history):
    assert_equal(block, distance, subroutine, history)


@pytest.mark.slow
@paths
@pytest.mark.parametrize("settings", [{"power": 0.3}, {"most": 3}, {"power": 0.5, "most": 2}])
def test_with_falling_thresholds_and_a_limit(distance, subroutine, settings):
    assert_equal(random_block(6, 3, [2] * 60), distance, subroutine, 2, **settings)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("learning_rate", [0.05, 1.0])
def test_with_a_step_that_stays_the_same(classes, learning_rate):
    block = random_block(6, classes, [3] * 40)
    assert_equal(block, "labels", "logistic", 2, learning_rate=learning_rate)
    falling, constant = (
        both(block, "labels", "logistic", classes, 2, learning_rate=rate)[1].run(block, True)
        for rate in (None, learning_rate)
    )
    assert not same(falling.probabilities, constant.probabilities)


@pytest.mark.parametrize("empty_class", ["far", "zero", "skip"])
@pytest.mark.parametrize("scaled", [True, False])
def test_with_classes_that_histories_lack(empty_class, scaled):
    block = random_block(8, 4, [1, 2, 3] * 20)
    assert_equal(block, "features", "nearest-mean", 1, empty_class=empty_class, scaled=scaled)


@pytest.mark.slow
@paths
@pytest.mark.parametrize("seed", [10, 11])  # at 1e300 both differ for logistic
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # of what is only shown
def test_up_to_the_largest_numbers_that_a_stream_may_have(distance, subroutine, seed):
    made = random_block(seed, 2 + seed % 3, [2] * 60)
    numbers = 0.99 * LARGEST * (2 * made.rows.numbers - 1)
    block = block_of(made.rows.labels, [2] * 60, numbers, made.rows.slots)
    assert_equal(block, distance, subroutine, 2, scaled=False)


@pytest.mark.slow
@given(block=random_blocks())
@settings(max_examples=15, deadline=None)
def test_with_a_history_of_all_steps(block):
    assert_equal(block, "labels", "logistic", None)


def test_with_more_rows_than_are_kept_sorted():
    assert_equal(random_block(0, 2, [120, 3, 90, 200, 1, 70]), "features", "nearest-mean", 2)


@pytest.mark.slow
def test_with_hundreds_of_subroutines():
    block = random_block(0, 2, [1] * 400)
    general, compiled = both(block, "frames", "nearest-mean", 2, 3)
    assert_same_results(general.run(block), compiled.run(block))
    assert compiled.reference_count > 100


def test_with_weights_far_from_zero():
    """Both branches of River's gradient, and probabilities that round to 0 and 1."""
    rng = np.random.default_rng(0)
    block = random_block(0, 3, [5] * 30)
    numbers = rng.normal(0, 300, block.rows.numbers.shape)
    rows = Rows(numbers, block.rows.slots, block.rows.labels, block.rows.columns)
    assert_equal(type(block)(rows, block.starts, None, 0, 0), "labels", "logistic", 2)


@pytest.mark.slow
@paths
def test_on_real_flights(atlanta, distance, subroutine):
    assert_equal(atlanta.cut(0, 400), distance, subroutine, 3)


@paths
def test_blocks_of_any_size_give_the_same(distance, subroutine):
    block = random_block(3, 5, [1, 4, 2, 6, 1, 1, 3, 5, 2, 2, 4, 1] * 4)
    whole, parts = (both(block, distance, subroutine, 5, 4)[1] for _ in range(2))
    results = [parts.run(block.cut(a, b)) for a, b in [(0, 1), (1, 20), (20, 21), (21, 48)]]
    expected = whole.run(block)
    for name in RESULTS:
        joined = np.concatenate([getattr(result, name) for result in results], axis=1)
        assert same(getattr(expected, name), joined)


@pytest.mark.parametrize("subroutine", COMPILED_SUBROUTINES)
def test_values_of_categories_may_appear_later(subroutine):
    block = random_block(5, 2, [4] * 20)
    few = Columns(("a", "b"), ("place",), (("x",),))
    all_x = Rows(block.rows.numbers, np.zeros_like(block.rows.slots), block.rows.labels, few)
    early = type(block)(all_x, block.starts, None, 0, 0)
    general, compiled = both(early, "labels", subroutine, 2, 2)
    assert_same_results(general.run(early), compiled.run(early))
    assert_same_results(general.run(block), compiled.run(block))


def test_a_category_alone_is_enough():
    columns = Columns((), ("place",), (("x", "y"),))
    slots = np.array([[0], [1], [1], [0]] * 5)
    block = block_of([0, 1, 1, 0] * 5, [2] * 10, slots=slots, columns=columns)
    assert_equal(block, "labels", "logistic", 1)


@pytest.mark.parametrize("z", [0.0, -1e-300, 1e-300, 1e-17, 1e-16, 3e-16, 1e-12, 1e-9, 2e-9, -1e-9])
def test_near_one_half_the_probability_decides(z):
    p = 1 / (1 + math.exp(-z))
    assert is_likelier(z) == likeliest([[p]])[0]


@pytest.mark.parametrize("thresholds", [[0.1, 0.3], [0.1, 0.3, math.inf], [math.inf]])
@pytest.mark.parametrize("distance", ["labels", "features"])
@given(block=random_blocks(), history=st.sampled_from([(1, 4), (2, 3, 7), (3,)]))
@settings(max_examples=10, deadline=None)
def test_with_several_histories_and_infinity(distance, thresholds, block, history):
    assert_equal(block, distance, "logistic", history, thresholds=thresholds)


@given(block=random_blocks())
@settings(max_examples=10, deadline=None)
def test_with_a_history_of_all_steps_beside_others(block):
    assert_equal(block, "labels", "nearest-mean", (2, 5, None), power=0.1)


@pytest.mark.slow
def test_several_histories_in_hundreds_of_steps(atlanta):
    for distance, history in (("labels", (6, 36)), ("features", (1, 3))):
        assert_equal(atlanta.cut(0, 300), distance, "logistic", history, most=20)


def assert_same_runs(one, other, block):
    assert_same_steps(run(one, block), run(other, block))
    for mine, theirs in zip(one.strategies, other.strategies, strict=True):
        assert pack(mine.state()) == pack(theirs.state())


@pytest.mark.slow
@pytest.mark.parametrize("subroutine", COMPILED_SUBROUTINES)
def test_the_whole_ensemble_on_real_flights(atlanta, subroutine):
    block = atlanta.cut(0, 500)
    members = members_of("labels", 6)
    columns = block.rows.columns
    one, other = (
        make(members, "labels", subroutine, columns, 2, with_probabilities=True)
        for make in (general, compiled)
    )
    assert_same_runs(one, other, block)


@pytest.mark.slow
@pytest.mark.parametrize("subroutine", COMPILED_SUBROUTINES)
@given(block=random_blocks(), history=st.sampled_from([2, (1, 4)]))
@settings(max_examples=10, deadline=None)
def test_the_whole_ensemble_on_random_streams(subroutine, block, history):
    members = members_of("labels", history)
    columns, classes = block.rows.columns, classes_of(block)
    one, other = (
        make(members, "labels", subroutine, columns, classes, with_probabilities=True)
        for make in (general, compiled)
    )
    cut = block.steps // 2
    for first, stop in ((0, cut), (cut, block.steps)):
        if first < stop:
            assert_same_runs(one, other, block.cut(first, stop))
    rows = block.step(0)
    said = [ensemble.look_ahead().predict(rows) for ensemble in (one, other)]
    assert same(said[0].predictions, said[1].predictions)
    assert same(said[0].probabilities, said[1].probabilities)


@given(
    values=st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.5]), min_size=1, max_size=80),
    share=st.floats(0, 1),
)
@settings(deadline=None)  # it may be compiled first
def test_the_smallest_values_are_selected_and_sorted(values, share):
    k = max(1, int(share * len(values)))
    array = np.array(values)
    select_smallest(array, k)
    sort_in_place(array[:k])
    assert array[:k].tolist() == sorted(values)[:k]
    assert sorted(array.tolist()) == sorted(values)


def test_a_history_of_frames_may_be_longer_than_any_stream():
    block = random_block(2, 2, [3] * 30)
    assert_equal(block, "frames", "nearest-mean", 999_999_999)


def test_large_steps_are_no_slower_than_on_the_general_path():
    block = random_block(0, 2, [700] * 4)
    rounds = []
    for _ in range(3):
        families = both(block, "features", "nearest-mean", 2, 1)
        rounds.append([cpu_seconds_of(family, block) for family in families])
    # in the first round kernels may be compiled
    general, compiled = np.min(rounds[1:], axis=0)
    assert compiled < general


def cpu_seconds_of(family, block):
    started = thread_time()
    family.run(block)
    return thread_time() - started
