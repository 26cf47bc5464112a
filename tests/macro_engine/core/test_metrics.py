"""Metrics are those of scikit-learn and River, whatever the cut into steps and windows."""

import math

import numpy as np
import pytest
from river import metrics as river_metrics

from macro_engine.core.members import Member
from macro_engine.core.metrics import METRICS, measured, rarest
from macro_engine.core.names import Names
from macro_engine.core.tally import LEAST, Tally, count_pairs, numbers, tallied

SERIES = ("marginal", "ftl")


def made(classes, rows=400, seed=1):
    """Labels, predictions and probabilities; some probabilities are 0."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(classes, rows, p=np.arange(1, classes + 1) / sum(range(classes + 1)))
    probabilities = rng.dirichlet(np.full(classes, 0.5), (2, rows)).astype(np.float32)
    probabilities[0, :7] = np.eye(classes, dtype=np.float32)[(labels[:7] + 1) % classes]
    return labels.astype(np.uint8), probabilities.argmax(axis=2).astype(np.uint8), probabilities


def names_of(classes):
    return Names(SERIES, (Member(1, 0.1),), classes)


def tally_of(labels, predictions, probabilities, classes, start=0, stop=None):
    names = names_of(classes)
    ends = np.array([start, len(labels) if stop is None else stop])
    sums = tallied(names, labels, predictions, probabilities, ends, np.zeros(numbers(names)))
    return Tally(names, sums[:, 1]) - Tally(names, sums[:, 0])


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("window", [(0, 400), (130, 194)])
def test_they_are_those_of_scikit_learn(scikit_learn, classes, window):
    sklearn_metrics = scikit_learn.metrics
    labels, predictions, probabilities = made(classes)
    told = measured(tally_of(labels, predictions, probabilities, classes, *window), 1)
    labels, span = labels[slice(*window)], slice(*window)
    for i, series in enumerate(SERIES):
        said, p = predictions[i, span], probabilities[i, span].astype(float)
        of_one = {"labels": [1], "average": "macro"}
        expected = {
            "error": 1 - sklearn_metrics.accuracy_score(labels, said),
            "logloss": -np.log(np.maximum(p[np.arange(len(labels)), labels], LEAST)).mean(),
            "balanced": sklearn_metrics.balanced_accuracy_score(labels, said),
            "precision": sklearn_metrics.precision_score(labels, said, **of_one),
            "recall": sklearn_metrics.recall_score(labels, said, **of_one),
            "f1": sklearn_metrics.f1_score(labels, said, **of_one),
        }
        assert list(told[series]) == list(METRICS)
        assert told[series] == pytest.approx(expected, rel=1e-12)


def test_they_are_those_of_river():
    labels, predictions, probabilities = made(2)
    told = measured(tally_of(labels, predictions, probabilities, 2), 1)["ftl"]
    for name, metric in {
        "balanced": river_metrics.BalancedAccuracy(),
        "precision": river_metrics.Precision(),
        "recall": river_metrics.Recall(),
        "f1": river_metrics.F1(),
    }.items():
        for label, said in zip(labels, predictions[1], strict=True):
            metric.update(bool(label), bool(said))
        assert told[name] == pytest.approx(metric.get())


def test_log_loss_clips_at_a_millionth():
    p = np.array([[[1.0, 0.0]], [[0.0, 1.0]]], np.float32)
    told = measured(tally_of(np.array([1]), np.array([[0], [1]]), p, 2), 1)
    assert told["marginal"]["logloss"] == pytest.approx(-math.log(1e-6))
    assert told["ftl"]["logloss"] == 0.0


def test_what_is_undefined_is_none():
    labels, said = np.zeros(3, np.uint8), np.zeros((2, 3), np.uint8)
    told = measured(tally_of(labels, said, None, 2), 1)["ftl"]
    assert told == {
        "error": 0.0, "logloss": None, "balanced": 1.0, "precision": None, "recall": None,
        "f1": None,
    }  # fmt: skip
    assert set(measured(tally_of(labels, said, None, 2, 3), 1)["ftl"].values()) == {None}


def test_f1_is_0_where_the_class_is_missed():
    labels, said = np.ones(3, np.uint8), np.zeros((2, 3), np.uint8)
    told = measured(tally_of(labels, said, None, 2), 1)["ftl"]
    assert told["precision"] is None
    assert told["recall"] == told["f1"] == 0.0


def test_sums_do_not_depend_on_the_cut_into_blocks():
    labels, predictions, probabilities = made(3, 1000)
    names, nothing = names_of(3), np.zeros(numbers(names_of(3)))
    at_once = tallied(names, labels, predictions, probabilities, np.array([1000]), nothing)[:, 0]
    sums = nothing
    for a, b in ((0, 1), (1, 333), (333, 999), (999, 1000)):
        part = labels[a:b], predictions[:, a:b], probabilities[:, a:b]
        sums = tallied(names, *part, np.array([b - a]), sums)[:, 0]
    assert np.array_equal(sums, at_once)  # to the last bit


@pytest.mark.parametrize("classes", [2, 3])
def test_sums_at_one_end_are_those_among_several_ends(classes):
    labels, predictions, probabilities = made(classes, 1000)
    names, before = names_of(classes), np.arange(numbers(names_of(classes)), dtype=float)
    made_of = names, labels, predictions, probabilities
    alone = tallied(*made_of, np.array([900]), before)[:, 0]
    assert np.array_equal(alone, tallied(*made_of, np.array([0, 333, 900]), before)[:, 2])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_pairs_of_classes_are_counted(scikit_learn, classes, dtype):
    labels, predictions, _ = made(classes)
    matrix = scikit_learn.metrics.confusion_matrix
    expected = matrix(labels, predictions[0], labels=range(classes))
    counted = count_pairs(labels.astype(dtype), predictions[0].astype(np.uint8), classes)
    assert np.array_equal(counted, expected)
    assert not count_pairs(labels[:0], predictions[0, :0], classes).any()


def test_the_rarest_class_has_rows():
    assert rarest(np.array([4.0, 0.0, 2.0, 7.0])) == 2
