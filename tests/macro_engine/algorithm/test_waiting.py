"""Blocks of steps that wait for labels, against the definition that takes step by step."""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_ensembles import (
    assert_same_steps,
    compiled,
    general,
    general_family,
    members_of,
    shape_of,
)
from made_late import played
from made_streams import classes_of, random_block, random_blocks, same

from macro_engine.algorithm import waiting_parts
from macro_engine.algorithm.compiled_family import CompiledFamily, CompiledSettings
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.algorithm.waiting_steps import WaitingSteps
from macro_engine.core.late_labels import Completions
from macro_engine.core.rows import Block, Rows
from macro_engine.core.state import DamagedError, pack, unpack
from macro_engine.core.steps import Steps
from macro_engine.core.totals import Totals

ALL = ("ftl", "ewa", "blend")


def with_units(block):
    return replace(block, rows=replace(block.rows, units=np.clip(block.rows.numbers, 0, 1)))


def completions_of(before, first, stop, block, labels, done):
    """What a block with some of the steps is told: how many are complete before each opens."""
    known = np.array([*before[first:stop], before[stop - 1]])
    last = int(known[-1])
    rows = slice(int(block.starts[done]), int(block.starts[last]))
    return Completions(done, known, block.starts[done : last + 1] - rows.start, labels[rows])


def in_blocks(waiting, block, before, labels, cuts):
    """What each block gives, which end at the given steps: steps that are complete, or None.

    With what strategies showed of the steps that opened.
    """
    done, totals = 0, Totals.nothing(waiting.ensemble.names)

    def taken(part):
        nonlocal totals
        steps = waiting.run(part, totals)
        totals = totals if steps is None else steps.after
        opened = waiting.fresh
        return steps, {} if opened is None else {n: a.shown for n, a in opened.answers.items()}

    edges = sorted({0, *(cut for cut in cuts if cut < block.steps), block.steps})
    for first, stop in itertools.pairwise(edges):
        given_labels = replace(block.rows, labels=np.zeros(len(block.rows), np.int64))
        part = replace(block, rows=given_labels).cut(first, stop)
        told = completions_of(before, first, stop, block, labels, done)
        yield taken(replace(part, completions=told))
        done = int(told.before[-1])
    nothing = Rows.join([], block.rows.columns)
    none = Completions(done, np.array([done]), np.zeros(1, np.int64), labels[:0])
    empty = Block(nothing, np.zeros(1, np.int64), None, len(block.rows), block.steps)
    assert taken(replace(empty, completions=none)) == (None, {})
    last = Completions(
        done, np.array([block.steps]), block.starts[done:] - block.starts[done],
        labels[block.starts[done] :],
    )  # fmt: skip
    yield taken(replace(empty, completions=last))


def joined(results):
    results = list(results)
    steps = Steps.join([steps for steps, _ in results if steps is not None])
    return steps, [shown for _, shown in results if shown]


def together(shown):
    """What strategies showed, by strategy and name, of all steps."""
    return {
        (strategy, name): np.concatenate([one[strategy][name] for one in shown])
        for strategy, things in shown[0].items()
        for name in things
    }


def check(results, expected):
    found, shown = joined(results)
    assert_same_steps(found, expected.steps, lists=False)
    shown, expected_shown = together(shown), together(expected.shown)
    assert shown.keys() == expected_shown.keys()
    for name, values in expected_shown.items():
        assert same(shown[name], values), name


def random_schedule(rng, steps, longest):
    """How many steps are complete before each opens."""
    delays = rng.integers(0, longest + 1, steps)
    return np.maximum.accumulate(np.maximum(np.arange(steps) - delays, 0)).tolist()


def without_some(rng, labels, share):
    labels = labels.copy()
    labels[rng.random(len(labels)) < share] = -1
    return labels


COMPILED = [
    ("labels", "logistic", (1, 3), ALL),
    ("labels", "nearest-mean", (2, None), ("ftl", "ewa")),
    ("features", "logistic", (1, 2), ("ftl", "ewa")),
]
INTERPRETED = ("features", "nearest-mean", 1, ("ftl", "ewa"))
SLOWLY_INTERPRETED = ("frames", "nearest-mean", 3, ALL)


def interpreted(members, distance, subroutine, columns, classes, **kinds):
    """Over the kernels, without a compiler."""
    shape = shape_of(columns, classes, members)
    settings = CompiledSettings(members, distance, shape, subroutine)
    return Ensemble(CompiledFamily(settings, columns, plain=True, late=True), columns, **kinds)


@pytest.mark.parametrize(
    ("make", "setting"),
    [
        *((compiled, setting) for setting in COMPILED),
        (interpreted, INTERPRETED),
        pytest.param(interpreted, SLOWLY_INTERPRETED, marks=pytest.mark.slow),
    ],
)
@given(
    block=random_blocks(),
    seed=st.integers(0, 2**32 - 1),
    longest=st.sampled_from([0, 3, 40]),
    lost=st.sampled_from([0.0, 0.3]),
)
@settings(max_examples=5, deadline=None)
def test_blocks_give_what_the_definition_gives(make, setting, block, seed, longest, lost):
    distance, subroutine, history, strategies = setting
    rng, block = np.random.default_rng(seed), with_units(block)
    before = random_schedule(rng, block.steps, longest)
    labels = without_some(rng, block.rows.labels, lost)
    cuts = rng.integers(0, block.steps + 1, 3).tolist()
    columns, classes = block.rows.columns, classes_of(block)
    members = members_of(distance, history, (0.05, 0.3))
    arguments = (members, distance, subroutine, columns, classes)
    kinds = {"strategies": strategies, "with_probabilities": True}
    expected = played(general(*arguments, **kinds), block, before, labels)
    assert same(expected.steps.known, labels >= 0)
    assert same(expected.steps.labels, np.maximum(labels, 0))
    for one in (make, general):
        waiting = WaitingSteps(one(*arguments, **kinds))
        check(in_blocks(waiting, block, before, labels, cuts), expected)


def sticky_run(steps=300, longest=60):
    rng = np.random.default_rng(3)
    block = with_units(random_block(5, 3, [1] * steps))
    before = random_schedule(rng, block.steps, longest)
    labels = without_some(rng, block.rows.labels, 0.1)
    columns, members = block.rows.columns, members_of("labels", (2, 5), (0.05, 0.3, np.inf))
    return block, before, labels, (members, "labels", "logistic", columns, 3)


def test_loops_may_be_compiled_while_steps_wait():
    block, before, labels, arguments = sticky_run(80, 20)
    expected = played(
        general(*arguments, strategies=ALL, with_probabilities=True), block, before, labels
    )
    ensemble = interpreted(*arguments, strategies=ALL, with_probabilities=True)
    results = in_blocks(WaitingSteps(ensemble), block, before, labels, [30, 55])
    found = [next(results)]
    ensemble.compile()
    check([*found, *results], expected)


@pytest.mark.parametrize("path", ["general", "compiled"])
def test_steps_that_wait_are_stored_and_found_again(path):
    block, before, labels, arguments = sticky_run(80, 20)
    make = {"general": general, "compiled": compiled}[path]

    def started():
        return make(*arguments, strategies=ALL, with_probabilities=True)

    whole, _ = joined(in_blocks(WaitingSteps(started()), block, before, labels, [25, 26, 55]))
    waiting = WaitingSteps(started())
    stored, found = {}, []
    for n, result in enumerate(in_blocks(waiting, block, before, labels, [25, 26, 55])):
        found.append(result)
        for name, part in waiting.commit(n == 2).items():
            stored.pop(name, None)
            if part is not None:
                stored[name] = pack(part())
        if n == 1:
            break
    parts = {name: unpack(part) for name, part in stored.items()}
    again = started()
    again.restore(unpack(pack(waiting.ensemble.state())), arguments[3])
    resumed = WaitingSteps(again)
    resumed.restore(parts, arguments[3], waiting.completed)
    assert resumed.closed == 26
    told = completions_of(before, 26, 55, block, labels, waiting.completed)
    steps = [steps for steps, _ in found if steps is not None]
    steps.append(resumed.run(replace(block.cut(26, 55), completions=told), steps[-1].after))
    done = int(told.before[-1])
    told = completions_of(before, 55, 80, block, labels, done)
    steps.append(resumed.run(replace(block.cut(55, 80), completions=told), steps[-1].after))
    count = steps[-1].stop
    assert_same_steps(Steps.join(steps), whole.cut(0, count), lists=False)
    assert count > 40


def stored_parts(waiting, results, commits):
    """What is stored in the end, and how often each part was, given after which blocks."""
    stored, written = {}, []
    for n, _ in enumerate(results):
        if n in commits:
            for name, part in waiting.commit(False).items():
                stored.pop(name, None)
                if part is not None:
                    stored[name] = pack(part())
                    written.append(name)
            kept = sum(steps.steps for steps in waiting.steps)
            assert len(stored) <= kept / waiting_parts.ROWS + 2
        if n == 25:
            break
    for name, part in waiting.commit(True).items():
        stored.pop(name, None)
        if part is not None:
            stored[name] = pack(part())
    return stored, written


def test_what_is_stored_in_the_end_does_not_depend_on_commits(monkeypatch):
    monkeypatch.setattr(waiting_parts, "ROWS", 4)
    block, before, labels, arguments = sticky_run()
    found = []
    for commits in (range(30), [3, 4, 19], []):
        waiting = WaitingSteps(compiled(*arguments, strategies=ALL, with_probabilities=True))
        results = in_blocks(waiting, block, before, labels, range(0, 300, 10))
        found.append(stored_parts(waiting, results, commits))
    assert found[0][0] == found[1][0] == found[2][0]
    assert len(found[0][0]) > 2
    assert max(Counter(found[0][1]).values()) <= 2  # the rows of a part came in two blocks at most


def test_a_part_that_is_missing_is_named():
    block, before, labels, arguments = sticky_run()
    waiting = WaitingSteps(compiled(*arguments, strategies=ALL, with_probabilities=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waiting_parts, "ROWS", 4)
        results = in_blocks(waiting, block, before, labels, range(0, 300, 50))
        next(results), next(results)
        parts = {name: part() for name, part in waiting.commit(True).items()}
    assert len(parts) > 2
    for name in parts:
        again = compiled(*arguments, strategies=ALL, with_probabilities=True)
        again.restore(unpack(pack(waiting.ensemble.state())), arguments[3])
        rest = {n: unpack(pack(part)) for n, part in parts.items() if n != name}
        with pytest.raises(DamagedError, match="steps that wait for labels are incomplete"):
            WaitingSteps(again).restore(rest, arguments[3], waiting.completed)


def test_a_label_that_never_comes_is_no_error():
    block = with_units(random_block(1, 2, [2] * 30))
    labels = np.full(60, -1)
    arguments = (members_of("labels", 2, (0.1,)), "labels", "logistic", block.rows.columns, 2)
    before = [max(s - 2, 0) for s in range(30)]
    ensemble = compiled(*arguments, strategies=("ftl", "ewa"))
    steps, _ = joined(in_blocks(WaitingSteps(ensemble), block, before, labels, [7]))
    assert not steps.wrong.any()


def test_memory_is_given_back_when_steps_are_complete():
    block = with_units(random_block(1, 2, [1] * 600))
    family = general_family(
        members_of("labels", 2, (0.1,)), "labels", "logistic", block.rows.columns, 2
    )
    waiting = WaitingSteps(Ensemble(family, block.rows.columns))
    before = [max(s - 20, 0) for s in range(600)]
    for _ in in_blocks(waiting, block, before, block.rows.labels, range(0, 600, 10)):
        assert sum(part.steps for part in waiting.steps) <= 20 + 256
        assert len(waiting.steps) < 10
    assert not waiting.steps
