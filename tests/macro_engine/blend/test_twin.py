"""The compiled twin gives the same bits as the definition."""

import numpy as np
import pytest
from made_blends import SHAPES, made, same

from macro_engine.blend.answers import Answers, KeptAnswers
from macro_engine.blend.blend import Blend
from macro_engine.blend.compiled import CompiledBlend
from macro_engine.core.errors import MacroError
from macro_engine.core.state import DamagedError, pack, unpack

BOTH = pytest.mark.parametrize("blend", [Blend, CompiledBlend])
EVERY_SHAPE = pytest.mark.parametrize("options", SHAPES.values(), ids=SHAPES)


@pytest.mark.slow
@EVERY_SHAPE
def test_answers_and_state_are_equal_to_the_bit(options):
    stream = made(**options)
    plain, compiled = Blend(stream.shape), CompiledBlend(stream.shape)
    block = stream.cut(0, len(stream.starts) - 1)
    expected, found = plain.run(*block), compiled.run(*block)
    assert np.isfinite(expected.probabilities).all()
    np.testing.assert_array_equal(found.probabilities, expected.probabilities)
    np.testing.assert_array_equal(found.weights, expected.weights)
    np.testing.assert_array_equal(found.pulls, expected.pulls)
    assert same(compiled.state(), plain.state())


@EVERY_SHAPE
def test_step_by_step_is_equal_to_a_block_at_once(options):
    stream = made(**options)
    at_once, stepwise = CompiledBlend(stream.shape), CompiledBlend(stream.shape)
    steps = len(stream.starts) - 1
    expected = at_once.run(*stream.cut(0, steps)).probabilities
    for s in range(steps):
        evidence, labels, _ = stream.cut(s, s + 1)
        answers = stepwise.answer(evidence)
        np.testing.assert_array_equal(
            answers.probabilities, expected[stream.starts[s] : stream.starts[s + 1]]
        )
        stepwise.close(answers)
        stepwise.learn(answers, labels)
    assert same(stepwise.state(), at_once.state())


@BOTH
def test_rows_of_an_open_step_are_answered_alone_or_together_and_change_nothing(blend):
    stream = made(step=10)
    one = blend(stream.shape)
    one.run(*stream.cut(0, 3))
    before = one.state()
    evidence, _, _ = stream.cut(3, 4)
    together = one.answer(evidence).probabilities
    for i in range(10):
        alone = one.answer(evidence.cut(i, i + 1)).probabilities
        np.testing.assert_array_equal(alone[0], together[i])
    assert same(one.state(), before)


@BOTH
@pytest.mark.parametrize("classes", [2, 5])
def test_goes_on_from_a_stored_state_of_either_kind(blend, classes):
    stream = made(classes=classes, rows=40)
    whole = CompiledBlend(stream.shape)
    first = blend(stream.shape)
    first.run(*stream.cut(0, 6))
    kept = unpack(pack(first.state()))
    expected = whole.run(*stream.cut(0, 10)).probabilities[24:]
    for other in (Blend, CompiledBlend):
        later = other(stream.shape)
        later.restore(kept)
        np.testing.assert_array_equal(later.run(*stream.cut(6, 10)).probabilities, expected)


@BOTH
def test_labels_that_come_late_are_learnt_with_what_was_said_when_the_step_opened(blend):
    stream = made(rows=60, step=10)
    plain, late = Blend(stream.shape), blend(stream.shape)
    for one in (plain, late):
        waiting = []
        for s in range(6):
            evidence, labels, _ = stream.cut(s, s + 1)
            answers = one.answer(evidence)
            one.close(answers)
            waiting.append((answers, labels))
            if s >= 2:
                one.learn(*waiting.pop(0))
    assert same(late.state(), plain.state())


@BOTH
def test_rows_without_a_label_are_not_learnt(blend):
    stream = made(rows=20, step=5)
    evidence, labels, _ = stream.cut(2, 3)
    few, all_ = blend(stream.shape), blend(stream.shape)
    for one in (few, all_):
        one.run(*stream.cut(0, 2))
    unlabelled = few.answer(evidence)
    few.close(unlabelled)
    before = few.state()
    few.learn(unlabelled, np.full(5, -1))
    assert same(few.state(), before)
    some = np.where(np.arange(5) < 3, labels, -1)
    few.learn(unlabelled, some)
    assert not same(few.state(), before)
    assert few.state()["rows"] == 15


@BOTH
def test_a_step_without_rows_changes_nothing(blend):
    stream = made(rows=20, step=5)
    one = blend(stream.shape)
    one.run(*stream.cut(0, 2))
    before = one.state()
    one.run(stream.evidence.cut(10, 10), stream.labels[10:10], np.array([0, 0]))
    assert same(one.state(), before)


@BOTH
def test_a_state_of_other_columns_is_refused(blend):
    stream, other = made(), made(numbers=4)
    one = blend(stream.shape)
    one.run(*stream.cut(0, 3))
    with pytest.raises(MacroError, match="other columns"):
        blend(other.shape).restore(one.state())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", -1),
        ("shares", np.zeros(3)),
        ("linear_codes", np.zeros((1, 2000, 1))),
        ("tiles", []),
        ("restarts", np.array([-1, 0])),
    ],
)
def test_a_damaged_state_is_refused(name, value):
    stream = made()
    one = CompiledBlend(stream.shape)
    one.run(*stream.cut(0, 3))
    with pytest.raises(DamagedError):
        CompiledBlend(stream.shape).restore(one.state() | {name: value})


def test_cells_beyond_the_table_are_refused():
    stream = made()
    one = CompiledBlend(stream.shape)
    one.run(*stream.cut(0, 3))
    state = one.state()
    state["tiles"][0]["index"][-1] = 1 << 15
    with pytest.raises(DamagedError):
        CompiledBlend(stream.shape).restore(state)


def test_codes_first_seen_in_mid_run_start_with_a_weight_of_0():
    stream = made(categories=1, rows=40)
    codes = np.where(np.arange(40)[:, None] < 20, 0, stream.evidence.codes + 200)
    evidence = stream._replace(
        evidence=type(stream.evidence)(**vars(stream.evidence) | {"codes": codes})
    )
    plain, compiled = Blend(stream.shape), CompiledBlend(stream.shape)
    block = evidence.cut(0, 10)
    np.testing.assert_array_equal(
        compiled.run(*block).probabilities, plain.run(*block).probabilities
    )
    assert same(compiled.state(), plain.state())


@BOTH
def test_answers_that_await_their_labels_can_be_stored(blend):
    stream = made(rows=20, step=5)
    first = blend(stream.shape)
    first.run(*stream.cut(0, 2))
    evidence, labels, _ = stream.cut(2, 3)
    answers = first.answer(evidence)
    first.close(answers)
    later = CompiledBlend(stream.shape)
    later.restore(unpack(pack(first.state())))
    stored = unpack(pack(answers.to_keep().state()))
    kept = Answers.again(evidence, KeptAnswers.restored(stored, stream.shape, len(answers)))
    first.learn(answers, labels)
    later.learn(kept, labels)
    assert same(later.state(), first.state())
