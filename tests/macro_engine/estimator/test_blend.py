"""The estimator with a blend: both paths to the last bit, as the engine, and whatever comes."""

import math
import pickle
import random
from copy import deepcopy

import numpy as np
import polars
import pytest
from made_ensembles import general_family, probabilities_of, run
from made_estimators import assert_same, random_rows
from made_strategy import toy  # noqa: F401 (a fixture)
from made_streams import random_block
from river import base, linear_model
from river.naive_bayes import GaussianNB

from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.core.members import grid
from macro_engine.core.rows import Block, Columns, Rows
from macro_engine.estimator import MacroClassifier
from macro_engine.estimator.compiled_path import CompiledPath
from macro_engine.estimator.general_path import GeneralPath
from macro_engine.strategies.blend import BlendStrategy
from macro_engine.stream.running_scale import RunningScale


def both_paths(**settings):
    settings = MacroClassifier(**settings)._settings()
    return GeneralPath(settings), CompiledPath(settings)


def with_texts(rows, seed):
    """The rows with texts, from the first row on and later, some of them missing at times."""
    rng = random.Random(seed)
    for i, (x, y) in enumerate(rows):
        texts = {"place": rng.choice("abcd"), "kind": rng.choice("uv"), None: rng.choice("pq")}
        known = ["place", "kind"] if i < 20 else list(texts)
        yield x | {name: texts[name] for name in known if i == 0 or rng.random() < 0.8}, y


GROWING = {"classes": 4, "grows": True, "columns": 12, "sparse": 3}
CASES = {
    "the defaults": ({}, {}),
    "three classes": ({}, {"classes": 3}),
    "all that grows": ({}, GROWING),
    "steps of rows": ({"every": 5}, {}),
    "all that grows, steps of rows": ({"every": 4}, GROWING),
    "numbers as they are": ({"scale": "none", "every": 2}, GROWING),
    "one class after the other": ({}, {"classes": 9, "grows": True}),
    "no infinity in the grid": ({"thresholds": (0.05, 0.3)}, {}),
    "infinity alone": ({"thresholds": (math.inf,)}, GROWING),
    "one history": ({"history": 1, "max_subroutines": 2, "eps_power": 0.2}, {"classes": 3}),
    "iid": ({"distance": "iid"}, {}),
    "markov": ({"distance": "markov", "every": 2}, {"columns": 1, "classes": 3, "grows": True}),
    "frames": ({"distance": "frames", "thresholds": (1.0, 2.0)}, GROWING),
    "features": ({"distance": "features", "thresholds": (0.5, 2.0), "every": 5}, GROWING),
    "ftl by running numbers": ({"strategy": "ftl"}, GROWING),
    "ewa by running numbers": ({"strategy": "ewa", "every": 3}, GROWING),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_both_paths_say_the_same(case):
    settings, stream = CASES[case]
    general, compiled = both_paths(**settings)
    rng = random.Random(0)
    for x, label in random_rows(1, rows=90, **stream):
        assert_same(general, compiled, x | ({"never": 1.0} if rng.random() < 0.2 else {}))
        general.learn_one(x, label)
        compiled.learn_one(x, label)
    assert_same(general, compiled, {})


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"every": 3}, {"scale": "none"}])
def test_texts_of_the_first_row_are_categories_of_the_tiles(settings):
    general, compiled = both_paths(**settings)
    for x, label in with_texts(random_rows(2, rows=80, columns=2, classes=3), 0):
        assert_same(general, compiled, x | {"place": "never seen"})
        general.learn_one(x, label)
        compiled.learn_one(x, label)
    assert compiled._layout.categories == ("kind", "place")
    assert general._layout.codes == compiled._layout.codes
    assert len(compiled._layout.codes[1]) == 5  # a text that is missing has a code too


def test_a_text_with_very_many_values():
    model = MacroClassifier()
    for i in range(1300):
        model.learn_one({"id": f"number {i}"}, i % 3 == 0)
    assert sum(model.predict_proba_one({"id": "another"}).values()) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("strategy", ["blend", "toy"])
@pytest.mark.parametrize("every", [1, 3])
def test_it_says_what_the_engine_says(every, strategy):
    """The engine knows both classes and all columns from the start."""
    block = random_block(3, 2, [every] * 60)
    columns, labels = Columns(("a", "b")), block.rows.labels
    labels[:2] = (0, 1)
    scale = RunningScale([False, False])
    z = scale.run(block.rows.numbers, block.starts)
    none = np.empty((len(labels), 0), np.int64)
    rows = Rows(z, none, labels, columns, None, scale.units(z))
    histories, thresholds = (6, 36), (0.01, 0.05, 0.1, 0.3, math.inf)
    members = grid(histories, thresholds)
    family = general_family(members, "labels", "logistic", columns, 2, most=64)
    ensemble = Ensemble(family, columns, [strategy])
    steps = run(ensemble, Block(rows, block.starts, None, 0, 0))

    model, found = MacroClassifier(None, "labels", histories, thresholds, strategy, every), []
    raw = Rows(block.rows.numbers, none, labels, columns)
    for s in range(block.steps):
        step = raw.cut(int(block.starts[s]), int(block.starts[s + 1]))
        found += [list(model.predict_proba_one(x).values()) for x in step.dicts]
        for x, label in zip(step.dicts, step.labels.tolist(), strict=True):
            model.learn_one(x, label)
    said = np.array(found[3:], np.float32)
    np.testing.assert_array_equal(said, probabilities_of(steps, strategy)[3:])


@pytest.mark.usefixtures("toy")
def test_a_strategy_of_a_plugin_takes_in_classes_and_columns_that_appear():
    model = MacroClassifier(strategy="toy", every=2)
    for x, label in random_rows(3, rows=60, **GROWING):
        said = model.predict_proba_one(x)
        assert not said or sum(said.values()) == pytest.approx(1.0)
        model.learn_one(x, label)
    said = model.predict_proba_one(x)
    assert len(said) == 4
    assert model.predict_one(x) == max(said, key=said.get)
    assert model.weights == []


def test_a_strategy_that_must_know_all_beforehand_is_refused(toy):  # noqa: F811
    toy.grows = False
    with pytest.raises(ValueError, match="'toy' needs all classes and columns in advance"):
        MacroClassifier(strategy="toy")
    toy.grows, toy.wants_units = True, True
    with pytest.raises(ValueError, match="'toy' needs all classes and columns in advance"):
        MacroClassifier(strategy="toy")


class LastLabel(base.Classifier):
    """A model that has no probabilities."""

    def __init__(self):
        self.last = None

    @property
    def _multiclass(self):
        return True

    def learn_one(self, _x, y):
        self.last = y

    def predict_one(self, _x, **_kwargs):
        return self.last


@pytest.mark.slow
@pytest.mark.parametrize("model", [GaussianNB(), linear_model.LogisticRegression(), LastLabel()])
def test_models_of_the_users_are_blended_by_the_definition_and_its_twin(model):
    settings = MacroClassifier(thresholds=(0.1, math.inf), every=2)._settings()
    plain = GeneralPath(settings, model)
    compiled = GeneralPath(settings, model, compiled=True)
    two = {"classes": 2, "grows": True, "columns": 4, "sparse": 2}
    many = GROWING | {"columns": 4}
    for x, label in random_rows(4, rows=50, **(many if model._multiclass else two)):
        assert_same(plain, compiled, x)
        said = compiled.predict_proba_one(x)
        assert not said or sum(said.values()) == pytest.approx(1.0)
        plain.learn_one(x, label)
        compiled.learn_one(x, label)


def rows_with(labels, x):
    for i, label in enumerate(labels):
        yield x(i), label


RNG = random.Random(5)
ODD = {
    "no columns": rows_with([RNG.randrange(2) for _ in range(200)], lambda _: {}),
    "one column": rows_with([RNG.randrange(2) for _ in range(200)], lambda i: {"a": float(i)}),
    "texts only": rows_with(
        [RNG.randrange(3) for _ in range(200)], lambda i: {"a": "xyz"[i % 3], "b": None}
    ),
    "forty classes": rows_with([RNG.randrange(40) for _ in range(100)], lambda i: {"a": i % 7}),
    "a class seen late": rows_with([0, 1] * 150 + [2] * 20, lambda i: {"a": i % 5}),
    "labels that never change": rows_with(["yes"] * 300, lambda i: {"a": i % 5}),
    "columns missing after the first row": rows_with(
        [RNG.randrange(2) for _ in range(200)], lambda i: {} if i else {"a": 1.0, "b": 2.0}
    ),
    "constant columns": rows_with([RNG.randrange(2) for _ in range(200)], lambda _: {"a": 7.0}),
    "huge numbers": rows_with(
        [RNG.randrange(2) for _ in range(200)], lambda i: {"a": (-1) ** i * 9e149, "b": i % 2}
    ),
}


@pytest.mark.parametrize("stream", ODD)
@pytest.mark.parametrize("settings", [{}, {"scale": "none", "every": 3}])
def test_probabilities_are_probabilities_whatever_comes(stream, settings):
    model, known = MacroClassifier(**settings), set()
    rows = ODD[stream] = list(ODD[stream])
    for x, label in rows:
        said = model.predict_proba_one(x)
        assert set(said) == known
        if said:
            assert all(0.0 <= p <= 1.0 for p in said.values())
            assert sum(said.values()) == pytest.approx(1.0)
            assert model.predict_one(x) == max(said, key=said.__getitem__)
        model.learn_one(x, label)
        known.add(label)
    if stream == "a class seen late":
        assert model.predict_one(rows[-1][0]) == 2


def test_one_step_of_very_many_rows():
    model = MacroClassifier(every=5_000)
    for i in range(20_001):  # the scale is known from the second step on
        model.learn_one({"a": float(i % 10)}, i % 10 > 4)
    assert model.predict_one({"a": 9.0}) is True
    assert model.predict_one({"a": 0.0}) is False


@pytest.mark.parametrize("labels", [("no", "yes"), (None, "late"), (2, 7), ((1, 2), frozenset())])
def test_labels_of_any_kind(labels):
    model = MacroClassifier()
    for x, label in random_rows(6, rows=150):
        model.learn_one(x, labels[label == "c1"])
    assert list(model.predict_proba_one({"f0": 1.0})) == sorted(
        labels, key=lambda label: label != next(iter(model._path.classes))
    )


def test_a_class_too_many_is_refused_and_changes_nothing(monkeypatch):
    assert BlendStrategy.most_classes == 100
    monkeypatch.setattr(BlendStrategy, "most_classes", 9)
    model = MacroClassifier()
    for label in range(9):
        model.learn_one({"a": float(label)}, label)
    before = model.predict_proba_one({"a": 1.0})
    with pytest.raises(ValueError, match=r"at most 9 classes, and 'more' is one more"):
        model.learn_one({"a": 1.0}, "more")
    assert model.predict_proba_one({"a": 1.0}) == before
    model.learn_one({"a": 1.0}, 5)


@pytest.mark.parametrize("copy", [deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
@pytest.mark.parametrize("settings", [{}, {"every": 4}])
def test_a_copy_goes_on_like_the_original_and_shares_nothing(copy, settings):
    rows = list(with_texts(random_rows(4, rows=90, **GROWING), 1))
    whole, first = MacroClassifier(**settings), MacroClassifier(**settings)
    for x, label in rows[:50]:
        whole.learn_one(x, label)
        first.learn_one(x, label)
    second, untouched = copy(first), first.predict_proba_one(rows[0][0])
    for x, label in rows[50:]:
        assert second.predict_proba_one(x) == whole.predict_proba_one(x)
        whole.learn_one(x, label)
        second.learn_one(x, label)
    assert first.predict_proba_one(rows[0][0]) == untouched


def test_predicting_changes_nothing():
    asked, silent = MacroClassifier(every=2), MacroClassifier(every=2)
    for x, label in with_texts(random_rows(7, rows=60, **GROWING), 2):
        for row in (x, {"never": 1.0}, {"place": "never"}, {}):
            asked.predict_proba_one(row)
            asked.predict_one(row)
        asked.learn_one(x, label)
        silent.learn_one(x, label)
    assert asked.predict_proba_one({"f0": 1.0}) == silent.predict_proba_one({"f0": 1.0})


@pytest.mark.parametrize("asked", [lambda x: x, lambda x: x | {"f0": 9.0}, lambda x: dict(x)])
def test_learning_is_the_same_whatever_was_answered_before(asked):
    """The answer to a row is kept for learning it: only to this row, and only until then."""
    answered, silent = MacroClassifier(), MacroClassifier()
    for x, label in random_rows(10, rows=80, columns=3, classes=3):
        answered.predict_proba_one(x)
        answered.predict_one(asked(x))
        for _ in range(2):
            answered.learn_one(x, label)
            silent.learn_one(x, label)
    assert answered.predict_proba_one({"f0": 1.0}) == silent.predict_proba_one({"f0": 1.0})


def test_many_rows_are_as_one_after_the_other():
    rows = list(random_rows(8, rows=60, classes=3, columns=3))
    frame = polars.DataFrame([x for x, _ in rows])
    one, many = MacroClassifier(every=2), MacroClassifier(every=2)
    many.learn_many(frame, polars.Series([label for _, label in rows]))
    for x, label in rows:
        one.learn_one(x, label)
    said = many.predict_proba_many(frame)
    for label in said.columns:
        assert said[label].to_list() == [one.predict_proba_one(x)[label] for x, _ in rows]


def test_a_refused_row_changes_nothing():
    spoilt, clean = MacroClassifier(), MacroClassifier()
    for x, label in with_texts(random_rows(9, rows=30), 3):
        spoilt.learn_one(x, label)
        clean.learn_one(x, label)
        for bad in ({"f0": math.nan}, {"new": math.inf}, {"f0": 10**400, "place": "new"}):
            with pytest.raises(ValueError, match="would spoil the model; leave it out"):
                spoilt.learn_one(bad, "new class")
    assert spoilt.predict_proba_one({"f0": 1.0}) == clean.predict_proba_one({"f0": 1.0})
