"""Where probabilities come from: learners that have them, and tables for those that do not."""

import itertools

import numpy as np
import pytest
from extras import needs_vw
from made_ensembles import (
    general,
    members_of,
    predictions_of,
    probabilities_of,
    run,
    shown_by,
)
from made_strategy import toy  # noqa: F401 (a fixture)
from made_streams import random_block, same

from macro_engine.algorithm.earned_probabilities import EarnedProbabilities
from macro_engine.algorithm.no_change import NoChange
from macro_engine.algorithm.persistence import Persistence

CLASSES = 3


def run_of(block, subroutine, history=2, thresholds=(0.05, 0.3), **options):
    members = members_of("labels", history, thresholds)
    ensemble = general(
        members, "labels", subroutine, block.rows.columns, CLASSES, **{"with_probabilities": True}
        | options
    )  # fmt: skip
    return run(ensemble, block)


@pytest.mark.slow
@pytest.mark.parametrize(
    "subroutine",
    ["logistic", "nearest-mean", "erm", pytest.param("vw", marks=needs_vw), "river:naive_bayes.GaussianNB",
     "river:tree.HoeffdingTreeClassifier(grace_period=5)"],
)  # fmt: skip
@pytest.mark.parametrize("output", ["last", "score"])
def test_every_learner_gets_some(subroutine, output):
    block = random_block(0, CLASSES, [3] * 15)
    steps = run_of(block, subroutine, output=output)
    assert steps.probabilities.shape == (4, 45, CLASSES)
    assert steps.probabilities.dtype == np.float32
    assert (steps.probabilities >= 0).all()
    assert np.allclose(steps.probabilities.sum(axis=2), 1.0, atol=1e-6)


def test_they_change_no_prediction():
    block = random_block(1, CLASSES, [3] * 25)
    for subroutine in ("logistic", "nearest-mean"):
        with_them = run_of(block, subroutine)
        without = run_of(block, subroutine, with_probabilities=False)
        assert without.probabilities is None
        assert same(with_them.predictions, without.predictions)


def test_the_likeliest_class_of_a_logistic_learner_is_its_prediction():
    block = random_block(2, CLASSES, [4] * 25)
    steps = run_of(block, "logistic")
    for series in ("marginal", "ftl"):
        likeliest = probabilities_of(steps, series).argmax(axis=1)
        assert same(likeliest, predictions_of(steps, series))


def test_earned_ones_follow_their_definition():
    """N, hit and miss fade by .5^(1/100) a row; what a step teaches counts from the next one on."""
    rng = np.random.default_rng(0)
    starts = np.array([0, 3, 4, 9, 200])
    said, labels = rng.integers(0, CLASSES, 200), rng.integers(0, CLASSES, 200)
    found = np.full((1, 200, CLASSES), np.nan)
    EarnedProbabilities(1, CLASSES).run(said[None], labels, starts, found)
    table, hit, miss = np.zeros((CLASSES, CLASSES)), 1.0, 1 / CLASSES
    for a, b in itertools.pairwise(starts):
        for i in range(a, b):
            h = said[i]
            pool = np.full(CLASSES, (1 - hit / (hit + miss)) / (CLASSES - 1))
            pool[h] = hit / (hit + miss)
            expected = (table[h] + 2 * pool) / (table[h].sum() + 2)
            assert np.allclose(found[0, i], expected, rtol=1e-12)
        for i in range(a, b):
            table[said[i]] *= 0.5**0.01
            table[said[i], labels[i]] += 1
            hit, miss = max(hit * 0.5**0.01, 1e-3), max(miss * 0.5**0.01, 1e-3)
            hit, miss = (hit + 1, miss) if said[i] == labels[i] else (hit, miss + 1)


def test_those_of_a_learner_are_left_as_they_are():
    given = np.array([[[0.2, 0.5, 0.3], [np.nan] * 3]])
    EarnedProbabilities(1, CLASSES).fill(np.array([[1, 2]]), given)
    assert given[0, 0].tolist() == [0.2, 0.5, 0.3]
    assert given[0, 1].argmax() == 2


def test_those_of_no_change_follow_their_definition():
    labels = np.random.default_rng(1).integers(0, CLASSES, 60)
    starts = np.array([0, 2, 3, 20, 21, 60])
    baseline = NoChange(Persistence(CLASSES))
    predictions, found = baseline.run(labels, starts)
    counts, pairs = np.full(CLASSES, 1 / CLASSES), np.zeros((CLASSES, CLASSES))
    stay, go, last = 1.0, 1 / CLASSES, None
    for a, b in itertools.pairwise(starts):
        expected = np.full(CLASSES, 1 / CLASSES)
        if last is not None:
            s = stay / (stay + go)
            pool = (1 - s) * counts / (counts.sum() - counts[last])
            pool[last] = s
            expected = (pairs[last] + 2 * pool) / (pairs[last].sum() + 2)
        assert np.allclose(found[a:b], expected, rtol=1e-12)
        assert (predictions[a:b] == (last or 0)).all()
        for y in labels[a:b]:
            counts[y] += 1
            if last is not None:
                pairs[last, y] += 1
                stay, go = (stay + 1, go) if y == last else (stay, go + 1)
        last = int(labels[b - 1])


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "lengths"), [(2, [1] * 50), (5, [1, 4, 2] * 20)])
def test_the_compiled_tables_give_what_the_plain_ones_give(classes, lengths):
    block = random_block(3, classes, lengths)
    labels, starts = block.rows.labels, block.starts
    said = np.random.default_rng(0).integers(0, classes, (3, len(labels)))
    plain, compiled = (EarnedProbabilities(3, classes) for _ in range(2))
    one, other = (np.full((3, len(labels), classes), np.nan) for _ in range(2))
    plain.run(said, labels, starts, one)
    compiled.run_compiled(said, labels, starts, other)
    assert same(one, other)
    assert same(plain.counts, compiled.counts)
    assert same(plain.hit_miss, compiled.hit_miss)
    here, there = (NoChange(Persistence(classes)) for _ in range(2))
    for a, b in zip(here.run(labels, starts), there.run_compiled(labels, starts), strict=True):
        assert same(a, b)
    assert here.last == there.last


@pytest.mark.usefixtures("toy")
def test_a_strategy_of_ones_own_is_a_series_like_any_other():
    block = random_block(4, CLASSES, [2] * 30)
    steps = run_of(block, "logistic", strategies=("toy", "ftl"), with_probabilities=False)
    assert steps.names.series == ("marginal", "no_change", "ftl", "toy")
    assert steps.names.member_names == ("0.05", "0.30")
    said = predictions_of(steps, "toy")
    assert same(probabilities_of(steps, "toy").argmax(axis=1), said)
    assert steps.wrong_of("toy").sum() == (said != block.rows.labels).sum()
    assert shown_by(steps, "toy", "surprise").shape == (30, 1)
    assert {shown.strategy for shown in steps.names.shown} == {"toy"}


@pytest.mark.usefixtures("toy")
def test_a_strategy_of_ones_own_goes_on_from_its_state():
    block = random_block(5, CLASSES, [2] * 30)
    members = members_of("labels", 2)

    def make():
        return general(members, "labels", "logistic", block.rows.columns, CLASSES,
                       strategies=["toy"])  # fmt: skip

    expected = run(make(), block)
    first, second = make(), make()
    run(first, block.cut(0, 13))
    second.restore(first.state(), block.rows.columns)
    found = run(second, block.cut(13, 30))
    assert same(expected.shown[:, 13:], found.shown)
    assert same(expected.predictions[:, 26:], found.predictions)
