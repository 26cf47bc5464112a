import numpy as np
import pytest
from made_streams import block_of, random_block

from macro_engine.subroutines.erm import GRADIENT_NORM, PENALTY, Erm, risk, with_intercept


def learned(rows, classes=2):
    subroutine = Erm(classes)
    subroutine.learn(rows)
    subroutine.predict(rows)
    return subroutine


def gradient_norms(subroutine, rows, classes):
    x = with_intercept(rows)
    positives = [1] if classes == 2 else range(classes)
    for m, positive in enumerate(positives):
        signs = np.where(rows.labels == positive, 1.0, -1.0)
        yield np.linalg.norm(risk(x, signs, subroutine.weights[m])[1])


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("n", [3, 50, 400])
def test_it_reaches_the_stated_gradient_norm(classes, n):
    rows = random_block(n, classes, [n]).rows
    for norm in gradient_norms(learned(rows, classes), rows, classes):
        assert norm <= GRADIENT_NORM


def test_the_gradient_is_that_of_the_risk():
    rows = random_block(0, 2, [20]).rows
    x, signs = with_intercept(rows), np.where(rows.labels == 1, 1.0, -1.0)
    at = np.random.default_rng(0).normal(size=x.shape[1])
    for i, step in enumerate(np.eye(x.shape[1]) * 1e-6):
        slope = (risk(x, signs, at + step)[0] - risk(x, signs, at - step)[0]) / 2e-6
        assert risk(x, signs, at)[1][i] == pytest.approx(slope, abs=1e-8)


def test_it_equals_the_solution_of_scikit_learn(scikit_learn):
    rows = random_block(7, 2, [200]).rows
    reference = scikit_learn.linear_model.LogisticRegression(
        C=1 / (PENALTY * 200),
        fit_intercept=False,
        solver="newton-cholesky",
        tol=1e-12,
        max_iter=999,
    ).fit(with_intercept(rows), rows.labels)
    assert learned(rows).weights[0] == pytest.approx(reference.coef_[0], abs=1e-6)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only(label):
    rows = block_of([label] * 10, [10], np.random.default_rng(0).random((10, 2))).rows
    subroutine = learned(rows)
    assert subroutine.predict(rows).tolist() == [label] * 10
    assert max(gradient_norms(subroutine, rows, 2)) <= GRADIENT_NORM


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_separable_data(scale):
    numbers = scale * np.array([[i, 0] for i in range(-20, 20)])
    rows = block_of([int(i >= 0) for i in range(-20, 20)], [40], numbers).rows
    subroutine = learned(rows)
    assert subroutine.predict(rows).tolist() == rows.labels.tolist()
    assert max(gradient_norms(subroutine, rows, 2)) <= GRADIENT_NORM


def test_a_newborn_has_the_weights_of_its_parent_and_no_rows():
    parent = Erm(2)
    parent.learn(random_block(0, 2, [30]).rows)
    child = parent.copy()
    assert (child.weights == parent.weights).all()
    more = random_block(1, 2, [30]).rows
    child.learn(more)
    child.predict(more)
    assert child.weights == pytest.approx(learned(more).weights, abs=1e-5)


def test_numbers_so_large_that_the_norm_is_out_of_reach_come_to_an_end():
    rng = np.random.default_rng(0)
    rows = block_of(rng.integers(0, 2, 200), [200], rng.uniform(0, 1e17, (200, 2))).rows
    assert set(learned(rows).predict(rows).tolist()) <= {0, 1}
