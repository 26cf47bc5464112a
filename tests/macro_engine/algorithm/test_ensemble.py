"""Nothing of a step's labels is used before the step closes, by anyone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_ensembles import general, members_of, run
from made_strategy import newest  # noqa: F401 (a fixture)
from made_streams import classes_of, random_block, random_blocks, same

from macro_engine.core.rows import Block, Rows
from macro_engine.discrepancy import DISTANCES


def outcome(block, distance, history, classes, subroutine):
    members = members_of(distance, history)
    columns = block.rows.columns
    return run(
        general(members, distance, subroutine, columns, classes, with_probabilities=True), block
    )


def with_shuffled_labels(block, step, seed):
    labels = block.rows.labels.copy()
    np.random.default_rng(seed).shuffle(labels[block.starts[step] : block.starts[step + 1]])
    rows = Rows(block.rows.numbers, block.rows.slots, labels, block.rows.columns)
    return Block(rows, block.starts, block.times, 0, 0)


def assert_nothing_decided_at(step, block, distance, history, classes, subroutine, seed=0):
    one = outcome(block, distance, history, classes, subroutine)
    shuffled = with_shuffled_labels(block, step, seed)
    other = outcome(shuffled, distance, history, classes, subroutine)
    stop = block.starts[step + 1]
    assert same(one.predictions[:, :stop], other.predictions[:, :stop])
    assert same(one.probabilities[:, :stop], other.probabilities[:, :stop])
    for name in ("active", "born", "distance", "close", "subroutines"):
        assert same(getattr(one, name)[:, : step + 1], getattr(other, name)[:, : step + 1])
    assert same(one.leaders[: step + 1], other.leaders[: step + 1])


@pytest.mark.parametrize("distance", DISTANCES)
@given(block=random_blocks(), history=st.sampled_from([1, 3, None]), where=st.floats(0, 0.999))
@settings(max_examples=10, deadline=None)
def test_on_random_streams(distance, block, history, where):
    step = int(where * block.steps)
    classes = classes_of(block)
    assert_nothing_decided_at(step, block, distance, history, classes, "nearest-mean")


def test_a_look_ahead_tells_the_member_that_the_step_will_have(newest):  # noqa: F811
    block = random_block(2, 3, [2] * 40)
    members = members_of("labels", 2)
    made = general(
        members, "labels", "nearest-mean", block.rows.columns, 3,
        strategies=["ftl", newest.name], prediction=newest.name,
    )  # fmt: skip
    told = []
    for s in range(block.steps):
        said = made.look_ahead().predict(block.cut(s, s + 1).rows)
        result = run(made, block.cut(s, s + 1))
        leader = int(result.leaders[0])
        assert (said.member, said.active) == (leader, result.active[leader, 0])
        told.append(leader)
    assert len({*told}) > 2


@pytest.mark.parametrize("distance", ["labels", "features"])
def test_on_real_flights(atlanta, distance):
    block = atlanta.cut(400, 460)
    for step in (17, 59):
        assert len(set(block.step(step).labels.tolist())) > 1
        assert_nothing_decided_at(step, block, distance, 6, 2, "logistic")
