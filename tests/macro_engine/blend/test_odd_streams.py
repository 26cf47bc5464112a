"""Whatever comes, probabilities are probabilities."""

from dataclasses import replace

import numpy as np
import pytest
from made_blends import made, same

from macro_engine.blend.blend import Blend
from macro_engine.blend.compiled import CompiledBlend
from macro_engine.blend.growth import with_class, with_columns
from macro_engine.blend.memory import Memory
from macro_engine.blend.pull import by_group
from macro_engine.blend.shape import GROUPS, Evidence


def run(stream):
    blend = CompiledBlend(stream.shape)
    outcome = blend.run(stream.evidence, stream.labels, stream.starts)
    q = outcome.probabilities
    assert np.isfinite(q).all()
    assert (q > 0).all()
    np.testing.assert_allclose(q.sum(axis=1), 1, atol=1e-9)
    assert np.isfinite(outcome.pulls).all()
    return blend, outcome


@pytest.mark.parametrize("classes", [2, 3])
def test_labels_that_never_change_are_soon_certain(classes):
    stream = made(classes=classes, rows=3000, step=1)
    _, outcome = run(stream._replace(labels=np.zeros(3000, np.int64)))
    assert outcome.probabilities[-1, 0] > 0.999


def test_a_class_that_comes_late_is_learnt():
    stream = made(classes=3, rows=2000, step=1)
    labels = np.where(np.arange(2000) < 1900, stream.labels % 2, 2)
    _, outcome = run(stream._replace(labels=labels))
    assert (outcome.classes[1950:] == 2).all()


def test_one_step_of_a_hundred_thousand_rows():
    blend, _ = run(made(rows=100_000, step=100_000))
    assert blend.state()["rows"] == 100_000


def test_numbers_that_are_all_missing():
    stream = made(rows=500)
    zeros = np.zeros_like(stream.evidence.numbers)
    given = Evidence(zeros, zeros + 0.5, *list(vars(stream.evidence).values())[2:])
    run(stream._replace(evidence=given))


@pytest.mark.parametrize("blend", [Blend, CompiledBlend])
def test_numbers_as_they_are_may_be_huge(blend):
    stream = made(rows=40)
    raw = stream.evidence.numbers * 1e305
    given = Evidence(raw, *list(vars(stream.evidence).values())[1:])
    outcome = blend(stream.shape).run(given, stream.labels, stream.starts)
    assert np.isfinite(outcome.probabilities).all()


@pytest.mark.parametrize("blend", [Blend, CompiledBlend])
def test_a_filter_whose_variance_is_negative_starts_anew(blend):
    stream = made(rows=20, step=5)
    one = blend(stream.shape)
    state = one.state()
    state["covariances"] = -state["covariances"]
    one.restore(state)
    outcome = one.run(*stream.cut(0, 4))
    assert np.isfinite(outcome.probabilities).all()
    assert one.state()["restarts"].tolist() == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
def test_a_new_class_changes_no_odds_between_the_others(classes):
    stream = made(classes=classes, rows=80)
    blend = CompiledBlend(stream.shape)
    blend.run(stream.evidence, stream.labels, stream.starts)
    grown = with_class(Memory.restored(blend.state(), stream.shape))
    plain, compiled = Blend(grown.shape), CompiledBlend(grown.shape)
    for one in (plain, compiled):
        one.restore(grown.state())
    before = blend.answer(stream.evidence).experts[:, 5:]
    wider = made(classes=classes + 1, rows=80).evidence
    columns = list(vars(stream.evidence).values())[:3]
    given = Evidence(*columns, wider.marginal, wider.unchanged, wider.members)
    after = compiled.answer(given).experts[:, 5:]
    tiles = after[..., :classes] / after[..., :classes].sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(tiles, before, atol=1e-12)
    labels = np.where(np.arange(80) % 7 == 0, classes, stream.labels)
    for one in (plain, compiled):
        one.run(given, labels, stream.starts)
    assert same(compiled.state(), plain.state())


def test_a_new_column_feeds_the_linear_expert_alone():
    stream = made(rows=40)
    blend = CompiledBlend(stream.shape)
    blend.run(stream.evidence, stream.labels, stream.starts)
    grown = with_columns(Memory.restored(blend.state(), stream.shape), 1)
    later = CompiledBlend(grown.shape)
    later.restore(grown.state())
    column = np.ones((40, 1))
    parts = list(vars(stream.evidence).values())
    given = Evidence(np.hstack([parts[0], column]), *parts[1:])
    np.testing.assert_array_equal(
        later.answer(given).probabilities, blend.answer(stream.evidence).probabilities
    )
    later.run(given, stream.labels, stream.starts)
    assert later.state()["linear_numbers"][0, -1] != 0


def test_the_expert_that_knows_pulls_most():
    stream = made(rows=600, step=1, members=0)
    knowing = np.where(np.eye(2)[stream.labels] == 1, 0.95, 0.05)
    given = replace(stream.evidence, marginal=knowing)
    _, outcome = run(stream._replace(evidence=given))
    pulls = by_group(outcome.pulls[-1:], stream.shape)[0]
    assert GROUPS[pulls.argmax()] == "linear"
    assert pulls.sum() == pytest.approx(outcome.pulls[-1].sum())
