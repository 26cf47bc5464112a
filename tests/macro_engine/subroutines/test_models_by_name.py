import pytest
from made_streams import random_block

from macro_engine.core.errors import UsageError
from macro_engine.subroutines import resolve
from macro_engine.subroutines.river_text import build


def test_river_models_may_be_nested():
    model = build(
        "ensemble.BaggingClassifier(linear_model.LogisticRegression(optim.SGD(0.5)), n_models=3)",
        seed=None,
    )
    assert len(model) == 3
    assert model.model.optimizer.lr.learning_rate == 0.5


def test_a_seed_goes_to_models_that_take_one_and_name_none():
    assert build("forest.ARFClassifier(n_models=2)", seed=7).seed == 7
    assert build("forest.ARFClassifier(n_models=2, seed=1)", seed=7).seed == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("linear_model.LogisticRegresion()", "did you mean 'LogisticRegression'"),
        ("linear_models.LogisticRegression()", "has no module 'linear_models'"),
        ("LogisticRegression()", "is not MODULE.CLASS"),
        ("linear_model.LogisticRegression(", "does not parse"),
        ("linear_model.LogisticRegression(l2=open('x'))", "is not MODULE.CLASS"),
        ("linear_model.LogisticRegression(l2=1+1j*x)", "neither a literal nor a River class"),
        ("linear_model.LogisticRegression(*[1])", "stars are not allowed"),
        ("linear_model.LogisticRegression(speed=3)", "unexpected keyword"),
        ("linear_model.__builtins__['eval']('1')", "is not MODULE.CLASS"),
        ("datasets.Phishing()", "has no model 'Phishing'"),
        ("utils.math.softmax()", "has no m"),
        ("linear_model.LinearRegression()", "is not a classifier"),
        ("(" * 500 + ")" * 500, "does not parse"),
    ],
)
def test_text_that_is_no_river_classifier_is_refused(text, says):
    with pytest.raises(UsageError, match=".*".join(says.split("'")[0:1])) as error:
        resolve(f"river:{text}")
    assert says in str(error.value)


def test_a_binary_model_is_refused_for_more_classes():
    create = resolve("river:linear_model.LogisticRegression()")
    with pytest.raises(UsageError, match="two classes and the stream has 3"):
        create(("a", "b", "c"))


def test_an_unknown_name_is_refused_with_the_nearest_one():
    with pytest.raises(UsageError, match="did you mean 'logistic'"):
        resolve("logisitc")


def test_a_missing_module_of_the_user_is_said():
    with pytest.raises(UsageError, match="cannot import python:no_such_module:f"):
        resolve("python:no_such_module:f")


def test_a_function_that_returns_no_model_is_refused(tmp_path, monkeypatch):
    (tmp_path / "not_a_model.py").write_text("def f(): return 3\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="returned a int without predict_one"):
        resolve("python:not_a_model:f")(("0", "1"))


def test_answers_of_none_are_counted_and_become_the_first_class():
    subroutine = resolve("river:naive_bayes.GaussianNB()")(("0", "1"))
    assert subroutine.predict(random_block(0, 2, [5]).rows).tolist() == [0] * 5
    assert subroutine.unanswered == 5
    assert subroutine.copy().unanswered == 0
