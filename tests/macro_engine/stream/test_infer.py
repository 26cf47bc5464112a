import numpy as np
import pytest

from macro_engine.core.errors import UsageError
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.infer import infer
from macro_engine.stream.table import Table


def guesses(known=None, **columns):
    n = len(next(iter(columns.values())))
    table = Table(
        "d.csv",
        "line",
        {k: TextColumn([str(v) for v in vs]) for k, vs in columns.items()},
        np.arange(n),
    )
    return infer(table, known or {})


DAYS = ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]


def test_time_label_numbers_and_categories_are_told_apart():
    found, remarks = guesses(
        when=DAYS,
        temp=[1.5, 2, 3, 4],
        place=["a", "b", "a", "b"],
        note=["p", "q", "r", "s"],
        empty=["", "", "", "1"],
        y=["no", "yes", "no", "no"],
    )
    assert found == {"time": "when", "label": "y", "features": ["temp"], "categorical": ["place"]}
    assert remarks == [
        "'note' is left out: text with too many different values",
        "'empty' is left out: mostly missing",
    ]


def test_the_last_column_is_the_label_if_none_is_called_so():
    assert guesses(a=[1, 2, 3], kind=["p", "q", "p"])[0]["label"] == "kind"


def test_an_epoch_is_a_time_only_by_its_name():
    values = [1205492520, 1205492521, 1205492522]
    assert "time" not in guesses(a=values, label=[0, 1, 0])[0]
    assert guesses(timestamp=values, a=values, label=[0, 1, 0])[0]["time"] == "timestamp"


def test_the_column_of_a_label_rule_is_no_feature():
    found = guesses({"label": "delay > 15"}, a=[1, 2], delay=[3, 30])[0]
    assert found == {"features": ["a"], "categorical": []}


def test_what_is_named_is_not_guessed_and_the_rest_is():
    columns = {"a": [1, 2], "b": [1, 2], "place": ["x", "x"], "y": [0, 1]}
    assert guesses({"features": ["a"]}, **columns)[0] == {"label": "y", "categorical": ["place"]}
    found = guesses({"categorical": ["b"]}, **columns)[0]
    assert found == {"label": "y", "features": ["a"]}


def test_the_likeliest_name_is_the_label_and_a_number_is_none():
    found = guesses(y=range(300), label=[0, 1] * 150)[0]
    assert found == {"label": "label", "features": ["y"], "categorical": []}
    assert guesses(y=range(300), kind=[0, 1] * 150)[0]["label"] == "kind"


def test_a_label_that_cannot_be_guessed_is_asked_for():
    with pytest.raises(UsageError, match="which column is the label"):
        guesses(a=range(50), b=range(50))
