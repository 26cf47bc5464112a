import numpy as np
from made_streams import random_block
from river.linear_model import LogisticRegression
from river.optim import SGD

from macro_engine.subroutines.logistic import Logistic, logistic_regression


def test_with_more_classes_there_is_a_model_for_each_and_the_largest_probability_wins():
    rows = random_block(0, 4, [60]).rows
    subroutine = Logistic(4)
    subroutine.learn(rows)
    models = [logistic_regression() for _ in range(4)]
    for x, label in zip(rows.dicts, rows.labels, strict=True):
        for c, model in enumerate(models):
            model.learn_one(x, bool(label == c))
    expected = [
        int(np.argmax([model.predict_proba_one(x)[True] for model in models])) for x in rows.dicts
    ]
    assert subroutine.predict(rows).tolist() == expected


def test_a_step_that_stays_the_same_is_that_of_river():
    rows = random_block(0, 2, [60]).rows
    subroutine = Logistic(2, 0.05)
    subroutine.learn(rows)
    model = LogisticRegression(SGD(0.05), intercept_lr=0.05)
    for x, label in zip(rows.dicts, rows.labels, strict=True):
        model.learn_one(x, bool(label))
    expected = [model.predict_proba_one(x)[True] for x in rows.dicts]
    assert subroutine.probabilities(rows)[:, 1].tolist() == expected


def test_a_copy_keeps_the_step_count_of_its_parent():
    subroutine = Logistic(2)
    subroutine.learn(random_block(0, 2, [25]).rows)
    assert subroutine.copy().models[0].optimizer.n_iterations == 25
