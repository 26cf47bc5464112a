"""Checks that every subroutine passes; a named one is in the list by being in NAMED."""

import numpy as np
import pytest
from extras import needs_vw
from made_streams import random_block

from macro_engine.subroutines import NAMED, resolve
from macro_engine.subroutines.output import converted
from macro_engine.subroutines.river_model import RiverModel

MODELS = [
    *NAMED,
    "river:linear_model.LogisticRegression(l2=0.01)",
    "river:naive_bayes.GaussianNB",
    "river:tree.HoeffdingTreeClassifier(grace_period=10)",
    "river:compose.Pipeline(preprocessing.StandardScaler(), linear_model.Perceptron())",
    "python:own_model:majority",
]


def marked(names):
    """The names, with the mark of the one that needs an extra."""
    return [pytest.param(name, marks=needs_vw) if name == "vw" else name for name in names]


every_subroutine = pytest.mark.parametrize("name", marked(MODELS))
CLASSES = ("no", "yes")


@pytest.fixture(autouse=True)
def _own_model(tmp_path, monkeypatch):
    """A model of the user's own, in the working folder."""
    (tmp_path / "own_model.py").write_text(
        "from collections import Counter\n"
        "class Majority:\n"
        "    def __init__(self): self.seen = Counter()\n"
        "    def learn_one(self, x, y): self.seen[y] += 1\n"
        "    def predict_one(self, x):\n"
        "        return max(self.seen, key=self.seen.get) if self.seen else None\n"
        "def majority(): return Majority()\n"
    )
    monkeypatch.chdir(tmp_path)


def create(name):
    return resolve(name, seed=7)(CLASSES)


def rows(seed=0, n=40):
    return random_block(seed, 2, [n]).rows


@every_subroutine
def test_it_gives_each_row_the_index_of_a_class(name):
    subroutine = create(name)
    subroutine.learn(rows())
    predictions = subroutine.predict(rows(1))
    assert predictions.dtype == np.int64
    assert predictions.shape == (40,)
    assert set(predictions.tolist()) <= {0, 1}


@every_subroutine
def test_it_predicts_the_first_class_before_it_has_learned(name):
    assert create(name).predict(rows()).tolist() == [0] * 40


@every_subroutine
def test_predicting_changes_nothing(name):
    one, other = create(name), create(name)
    for seed in range(5):
        one.predict(rows(seed + 50))
        one.learn(rows(seed))
        other.learn(rows(seed))
    assert one.predict(rows(9)).tolist() == other.predict(rows(9)).tolist()


@every_subroutine
def test_learning_in_one_go_or_row_by_row_is_the_same(name):
    whole, single = create(name), create(name)
    whole.learn(rows())
    for i in range(40):
        single.learn(rows().cut(i, i + 1))
    assert whole.predict(rows(1)).tolist() == single.predict(rows(1)).tolist()


@every_subroutine
def test_it_leaves_the_rows_as_they_are(name):
    given = rows()
    numbers, slots, labels = given.numbers.copy(), given.slots.copy(), given.labels.copy()
    subroutine = create(name)
    subroutine.learn(given)
    subroutine.predict(given)
    assert (given.numbers == numbers).all()
    assert (given.slots == slots).all()
    assert (given.labels == labels).all()


@every_subroutine
def test_a_copy_knows_what_its_parent_knew(name):
    parent = create(name)
    parent.learn(rows())
    child = parent.copy()
    assert child.predict(rows(1)).tolist() == parent.predict(rows(1)).tolist()


# excused: its newborn has the weights of its parent, but by definition none of its rows
@pytest.mark.parametrize("name", marked(name for name in MODELS if name != "erm"))
def test_a_copy_that_learns_the_same_stays_the_same(name):
    parent = create(name)
    parent.learn(rows())
    child = parent.copy()
    parent.learn(rows(2))
    child.learn(rows(2))
    assert child.predict(rows(1)).tolist() == parent.predict(rows(1)).tolist()


@every_subroutine
def test_a_copy_shares_nothing_with_its_parent(name):
    parent = create(name)
    parent.learn(rows())
    before = parent.predict(rows(1)).tolist()
    child = parent.copy()
    for seed in range(2, 12):
        opposite = rows(seed)
        opposite.labels[:] = 1 - opposite.labels
        child.learn(opposite)
    assert parent.predict(rows(1)).tolist() == before


@pytest.mark.parametrize("name", marked(name for name in MODELS if not name.startswith("python:")))
def test_it_learns_what_is_easy_to_learn(name):
    subroutine = create(name)
    for seed in range(20):
        easy = rows(seed)
        easy.labels[:] = easy.numbers[:, 0] > 0.5
        subroutine.learn(easy)
    easy = rows(99)
    wrong = subroutine.predict(easy) != (easy.numbers[:, 0] > 0.5)
    assert wrong.mean() <= 0.2


@every_subroutine
@pytest.mark.parametrize("output", ["last", "score"])
def test_probabilities_are_a_distribution_over_the_classes_or_none(name, output):
    subroutine = converted(lambda classes: resolve(name, seed=7)(classes), output, 0.05)(CLASSES)
    for seed in range(3):
        found = subroutine.probabilities(rows(9))
        if found is None:
            assert not subroutine.always_has_probabilities
        else:
            assert found.shape == (40, 2)
            assert (found >= 0).all()
            assert np.allclose(found.sum(axis=1), 1.0)
        subroutine.learn(rows(seed))


@pytest.mark.parametrize("name", ["nearest-mean", "python:own_model:majority"])
def test_a_learner_that_only_names_classes_has_no_probabilities(name):
    assert create(name).probabilities(rows()) is None


@pytest.mark.parametrize(
    "name",
    [
        "logistic",
        "erm",
        pytest.param("vw", marks=needs_vw),
        "river:linear_model.LogisticRegression()",
    ],
)
@pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
def test_the_likeliest_class_is_the_prediction(name, classes):
    if name.startswith("river:") and len(classes) > 2:
        name = "river:multiclass.OneVsRestClassifier(linear_model.LogisticRegression())"
    subroutine = resolve(name)(classes)
    block = random_block(3, len(classes), [60])
    subroutine.learn(block.rows)
    likeliest = subroutine.probabilities(block.rows).argmax(axis=1)
    assert likeliest.tolist() == subroutine.predict(block.rows).tolist()


def test_a_river_model_that_only_names_classes_has_none():
    class Names:
        def predict_proba_one(self, _x):
            raise NotImplementedError

    assert RiverModel.over(Names(), CLASSES).probabilities(rows()) is None


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, [0.5, 0.5]),
        ({True: 0.25}, [0.0, 1.0]),
        ({True: 3.0, False: 1.0}, [0.25, 0.75]),
        ({True: float("nan"), False: 1.0}, [0.5, 0.5]),
        ({True: 0.3, False: 0.7, "strange": 9.0}, [0.7, 0.3]),
    ],
)
def test_what_a_river_model_says_is_made_a_distribution(told, expected):
    class Says:
        def predict_proba_one(self, _x):
            return told

    assert RiverModel.over(Says(), CLASSES).probabilities(rows(n=1)).tolist() == [expected]
