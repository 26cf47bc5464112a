"""MacroClassifier as River sees it, and as the rest of this package does."""

import importlib

import numpy as np
import polars
import pytest
from extras import needs_pandas
from made_ensembles import general_family, members_of, predictions_of, run
from made_streams import random_block
from river import checks, compose, evaluate, linear_model, metrics, preprocessing
from river.naive_bayes import GaussianNB

from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.core.rows import Columns, Rows
from macro_engine.discrepancy import DISTANCES, Labels
from macro_engine.estimator import MacroClassifier
from macro_engine.subroutines import resolve
from macro_engine.subroutines.nearest_mean_classifier import NearestMeanClassifier
from macro_engine.subroutines.open_logistic import OpenLogistic

ESTIMATORS = [
    NearestMeanClassifier(),
    OpenLogistic(),
    *(MacroClassifier(**params) for params in MacroClassifier._unit_test_params()),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        pytest.param(
            estimator,
            check,
            id=f"{type(estimator).__name__}-{number}-{check.__name__}",
            marks=needs_pandas if "_many_" in check.__name__ else (),
        )
        for number, estimator in enumerate(ESTIMATORS)
        for check in checks.yield_checks(estimator)
    ],
)
def test_it_passes_the_checks_of_river(estimator, check):
    check(estimator.clone())


def block_of_numbers(classes, lengths, seed=0):
    """A random block without categories, in which class 0 comes first, then class 1, ..."""
    block = random_block(seed, classes, lengths)
    labels = block.rows.labels
    labels[:classes] = range(classes)
    columns = Columns(("a", "b"))
    rows = Rows(block.rows.numbers, np.empty((len(labels), 0), np.int64), labels, columns)
    return type(block)(rows, block.starts, None, 0, 0)


def predictions(model, block):
    """What a River user gets who predicts the rows of a step, then learns them."""
    found = []
    for s in range(block.steps):
        rows = block.step(s)
        found += [model.predict_one(x) for x in rows.dicts]
        for x, label in zip(rows.dicts, rows.labels.tolist(), strict=True):
            model.learn_one(x, label)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["ftl", "ewa"])
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize(
    ("subroutine", "model", "classes"),
    [("nearest-mean", NearestMeanClassifier(), 3), ("logistic", None, 2)],
)
def test_it_predicts_what_the_engine_predicts(distance, strategy, subroutine, model, classes):
    assert_predicts_as_the_engine(distance, strategy, subroutine, model, classes, None)


def assert_predicts_as_the_engine(distance, strategy, subroutine, model, classes, history):
    block = block_of_numbers(classes, [4] * 40)
    history = history or DISTANCES[distance].history
    estimator = MacroClassifier(
        model,
        distance=distance,
        history=history,
        thresholds=DISTANCES[distance].thresholds,
        strategy=strategy,
        every=4,
        max_subroutines=None,
        scale="none",
    )
    found = predictions(estimator, block)

    columns = block.rows.columns
    members = members_of(distance, history)
    family = general_family(members, distance, subroutine, columns, classes, scaled=False)
    steps = run(Ensemble(family, columns), block)
    assert found[4:] == predictions_of(steps, strategy)[4:].tolist()
    assert found[:4] == [None] * 4  # no class is known before the first step is complete
    assert estimator.n_subroutines == steps.subroutines[:, -1].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("distance", ["labels", "features"])
def test_it_predicts_what_the_engine_predicts_with_several_histories(distance):
    assert_predicts_as_the_engine(distance, "ewa", "logistic", None, 2, (1, 5))


def test_predicting_never_gives_birth():
    block = block_of_numbers(2, [1] * 30)
    one, other = MacroClassifier(), MacroClassifier()
    for x, label in zip(block.rows.dicts, block.rows.labels.tolist(), strict=True):
        for _ in range(3):
            one.predict_one(x)
            one.predict_proba_one({"never": 1.0})
        one.learn_one(x, label)
        other.learn_one(x, label)
    assert one.n_subroutines == other.n_subroutines
    assert [one.predict_one(x) for x in block.rows.dicts] == [
        other.predict_one(x) for x in block.rows.dicts
    ]


def test_features_and_classes_may_appear_later():
    early = [({"b": 1.0}, "p"), ({"b": 0.0}, "q"), ({"b": 1.0}, "p")] * 5
    late = [({"a": 1.0, "b": 0.5}, "r"), ({"a": 1.0}, "r"), ({"b": 1.0}, "p")] * 10
    grown = MacroClassifier(NearestMeanClassifier(), distance="features", every=2)
    padded = MacroClassifier(NearestMeanClassifier(), distance="features", every=2)
    for x, y in early + late:
        grown.learn_one(x, y)
        padded.learn_one({"a": 0.0, "b": 0.0} | x, y)
    assert grown.predict_one({"a": 1.0}) == "r"
    for x, _ in early + late:
        assert grown.predict_one(x) == padded.predict_one(x)


@pytest.mark.slow
def test_it_works_in_pipelines_and_with_other_models():
    rng = np.random.default_rng(0)
    stream = [
        ({"a": float(a), "place": "xy"[int(a > 3)]}, bool(a > 2)) for a in rng.normal(2, 3, 300)
    ]
    for model in (None, linear_model.LogisticRegression(), GaussianNB()):
        pipeline = compose.Pipeline(
            compose.SelectType(float) | preprocessing.StandardScaler(), MacroClassifier(model)
        )
        assert evaluate.progressive_val_score(stream, pipeline, metrics.Accuracy()).get() > 0.8
    assert evaluate.progressive_val_score(stream, MacroClassifier(), metrics.ROCAUC()).get() > 0.8


@pytest.mark.parametrize("classes", [2, 4])
def test_a_class_that_appears_late_has_learned_from_every_row(classes):
    rows = random_block(1, classes, [80]).rows
    rows.labels[:classes] = range(classes)
    order = np.concatenate([np.flatnonzero(rows.labels < 2), np.flatnonzero(rows.labels >= 2)])
    fixed = resolve("logistic")(tuple(map(str, range(classes))))
    open_ended = OpenLogistic()
    for i in order.tolist():
        fixed.learn(rows.cut(i, i + 1))
        open_ended.learn_one(rows.dicts[i], int(rows.labels[i]))
    expected = fixed.predict(rows).tolist()
    assert [open_ended.predict_one(x) for x in rows.dicts] == expected


@pytest.mark.parametrize(
    "arguments",
    [
        {"strategy": "fttl"},
        {"scale": "runing"},
        {"distance": "label"},
        {"empty_class": "faar"},
        {"thresholds": (-1.0,)},
        {"max_subroutines": 0},
        {"max_subroutines": "none"},
        {"thresholds": "quantiles"},
        {"history": "few"},
        {"history": (1, 0.5)},
        {"distance": "frames", "history": (1, 2)},
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments):
    with pytest.raises(
        ValueError,
        match=r"is unknown|cannot be negative|write (a whole number|None|numbers)|takes one history",
    ):
        MacroClassifier(**arguments)


def test_a_history_of_all_steps():
    block = block_of_numbers(2, [1] * 40)
    model = MacroClassifier(history="all")
    for x, label in zip(block.rows.dicts, block.rows.labels.tolist(), strict=True):
        model.learn_one(x, label)
    model.learn_one({"later": 1.0}, 1)
    assert model.predict_one({"a": 0.5}) in (0, 1)


@pytest.mark.parametrize("labels", [("no", "yes"), (2, 7), (None, "late"), (0, 1), (False, True)])
def test_a_model_for_two_classes_takes_two_labels_of_any_kind(labels):
    block = block_of_numbers(2, [1] * 15)
    plain = MacroClassifier(linear_model.LogisticRegression())
    named = MacroClassifier(linear_model.LogisticRegression())
    assert named.predict_one({"a": 0.5}) is False
    for x, label in zip(block.rows.dicts, block.rows.labels.tolist(), strict=True):
        plain.learn_one(x, bool(label))
        named.learn_one(x, labels[label])
        assert named.predict_one(x) == labels[plain.predict_one(x)]
        said = named.predict_proba_one(x)
        if len(said) == 2:
            assert list(said.values()) == list(plain.predict_proba_one(x).values())


def test_before_the_second_label_a_model_for_two_classes_knows_one():
    model = MacroClassifier(linear_model.LogisticRegression())
    model.learn_one({"a": 1.0}, "no")
    assert model.predict_one({"a": -5.0}) == "no"
    assert model.predict_proba_one({"a": -5.0}) == {"no": 1.0}


def test_a_model_for_two_classes_refuses_a_third():
    for labels in ([True, 2], ["no", "yes", "maybe"]):
        model = MacroClassifier(linear_model.LogisticRegression())
        for label in labels[:-1]:
            model.learn_one({"a": 1.0}, label)
        with pytest.raises(ValueError, match=f"two classes, and {labels[-1]!r} is a third"):
            model.learn_one({"a": 1.0}, labels[-1])
        assert model.predict_one({"a": 1.0}) in labels


def test_a_model_of_the_users_is_chosen_once_a_step(monkeypatch):
    compared = []
    between = Labels.between
    monkeypatch.setattr(Labels, "between", lambda *given: compared.append(given) or between(*given))
    model = MacroClassifier(GaussianNB(), every=2)
    for label in (0, 1, 1, 0, 1, 1):
        model.learn_one({"a": float(label)}, label)
    compared.clear()
    model.predict_one({"a": 0.5})
    assert len(compared) > 0
    chosen = len(compared)
    for _ in range(5):
        model.predict_one({"a": 0.5})
        model.predict_proba_one({"a": 0.5})
    assert len(compared) == chosen


FRAMES = [
    polars.DataFrame,
    pytest.param(
        lambda rows: importlib.import_module("pandas").DataFrame(rows), marks=needs_pandas
    ),
]


@pytest.mark.parametrize("model", [None, GaussianNB()])
@pytest.mark.parametrize("frame_of", FRAMES)
def test_many_rows_are_as_one_after_the_other(frame_of, model):
    rows = block_of_numbers(3, [1] * 20).rows
    names = ["pqr"[label] for label in rows.labels]
    one, many = MacroClassifier(model, every=3), MacroClassifier(model, every=3)
    frame = frame_of(rows.dicts)
    for x, label in zip(rows.dicts, names, strict=True):
        one.learn_one(x, label)
    many.learn_many(frame, type(frame["a"])(names))
    assert list(many.predict_many(frame)) == [one.predict_one(x) for x in rows.dicts]
    said = many.predict_proba_many(frame)
    assert list(said.columns) == list(dict.fromkeys(names))
    expected = [one.predict_proba_one(x) for x in rows.dicts]
    for label in said.columns:
        assert list(said[label]) == [row[label] for row in expected]


def test_what_is_null_in_a_frame_is_left_out():
    frame = polars.DataFrame({"a": [1.0, None], "b": [None, 2.0]})
    one, many = MacroClassifier(), MacroClassifier()
    many.learn_many(frame, polars.Series(["p", "q"]))
    one.learn_one({"a": 1.0}, "p")
    one.learn_one({"b": 2.0}, "q")
    assert many.predict_proba_one({"a": 1.0, "b": 1.0}) == one.predict_proba_one(
        {"a": 1.0, "b": 1.0}
    )
    with pytest.raises(ValueError, match="the feature 'a' is nan"):
        many.learn_many(polars.DataFrame({"a": [float("nan")]}), polars.Series(["p"]))


@pytest.mark.parametrize("model", [None, NearestMeanClassifier()])
def test_births_active_and_weights_can_be_looked_at(model):
    estimator = MacroClassifier(model, history=1, thresholds=(0.1, 3.0), strategy="ewa")
    assert (estimator.births, estimator.active) == ([[], []], [1, 1])
    for label in (0, 1, 1, 0):
        estimator.learn_one({"a": float(label)}, label)
    # before the first step there is no history; then come those that end with 0 and with 1
    assert estimator.births == [[0, 1, 2], [0, 1]]
    assert estimator.n_subroutines == [3, 2]
    assert estimator.active == [2, 2]
    assert sum(estimator.weights) == pytest.approx(1.0)
    estimator.learn_one({"a": 1.0}, 1)
    assert estimator.active == [3, 2]


def test_text_is_a_category_and_a_number_that_is_none_is_refused():
    model = MacroClassifier()
    for value, label in [("NaN", True), ("x", False), ("8001", True)] * 5:
        model.learn_one({"c": value, "a": 1.0}, label)
    assert model.predict_one({"c": "NaN", "a": 1.0}) is True
    assert model.predict_one({"c": "x", "a": 1.0}) is False
    with pytest.raises(ValueError, match="the feature 'a' is nan"):
        model.learn_one({"a": float("nan")}, True)
    with pytest.raises(ValueError, match=r"the feature 'a' is 1e\+150"):
        model.learn_one({"a": 1e150}, True)
