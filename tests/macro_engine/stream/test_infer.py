import numpy as np
import pytest

from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.infer import LABELS_ALONE, infer
from macro_engine.stream.table import Table


def inferred(known=None, **columns):
    n = len(next(iter(columns.values())))
    table = Table(
        "d.csv",
        "line",
        {k: TextColumn([str(v) for v in vs]) for k, vs in columns.items()},
        np.arange(n),
    )
    return infer(table, known or {})


def guesses(known=None, **columns):
    return inferred(known, **columns).settings


DAYS = ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]


def test_time_label_numbers_and_categories_are_told_apart():
    found = inferred(
        when=DAYS,
        temp=[1.5, 2, 3, 4],
        place=["a", "b", "a", "b"],
        note=["p", "q", "r", "s"],
        empty=["", "", "", "1"],
        y=["no", "yes", "no", "no"],
    )
    assert found.settings == {
        "time": "when",
        "label": "y",
        "features": ["temp"],
        "categorical": ["place"],
        "clock": "on",
    }
    assert found.remarks == [
        "the label is 'y', by its name; --label names another",
        "'note': left out, text with too many different values",
        "'empty': left out, mostly missing",
    ]


def test_the_last_column_is_the_label_if_none_is_called_so():
    assert guesses(a=[1, 2, 3], kind=["p", "q", "p"])["label"] == "kind"


def test_an_epoch_is_a_time_only_by_its_name():
    values = [1205492520, 1205492521, 1205492522]
    assert "time" not in guesses(a=values, label=[0, 1, 0])
    assert guesses(timestamp=values, a=values, label=[0, 1, 0])["time"] == "timestamp"


def test_the_column_of_a_label_rule_is_no_feature():
    found = guesses({"label": "delay > 15"}, a=[1, 2], delay=[3, 30])
    assert found == {"features": ["a"], "categorical": []}


def test_what_is_named_is_not_guessed_and_the_rest_is():
    columns = {"a": [1, 2], "b": [1, 2], "place": ["x", "x"], "y": [0, 1]}
    assert guesses({"features": ["a"]}, **columns) == {"label": "y", "categorical": ["place"]}
    found = guesses({"categorical": ["b"]}, **columns)
    assert found == {"label": "y", "features": ["a"]}


def test_the_likeliest_name_is_the_label_and_a_number_is_none():
    found = guesses(y=range(0, 600, 2), label=[0, 1] * 150)
    assert found == {"label": "label", "features": ["y"], "categorical": []}
    assert guesses(y=range(300), kind=[0, 1] * 150)["label"] == "kind"


def test_a_label_that_cannot_be_guessed_is_asked_for():
    (question,) = inferred(a=range(50), b=range(50)).questions
    assert "which column is the label" in question
    assert "--label 'b > 24.5'" in question


NUMBERS = [(i * 37) % 50 / 10 for i in range(50)]
LABELS = [i * i % 7 % 2 for i in range(50)]


@pytest.mark.parametrize(
    "name", ["is_fraud", "isFraud", "Survived", "machine failure", "CHURN", "loan_default", "Class"]
)
def test_a_name_that_says_it_makes_a_column_the_label_wherever_it_stands(name):
    found = inferred(**{"a": NUMBERS, name: LABELS, "region": ["n", "s"] * 25})
    assert found.settings["label"] == name
    assert found.settings["categorical"] == ["region"]
    assert found.remarks == [f"the label is '{name}', by its name; --label names another"]


def test_a_rare_event_is_the_label_though_the_first_rows_have_none():
    assert guesses(is_fraud=[0] * 50, region=["n", "s"] * 25)["label"] == "is_fraud"


def test_an_event_is_likelier_than_a_flag():
    columns = {"is_weekend": LABELS, "delayed": LABELS[::-1], "a": NUMBERS}
    assert guesses(**columns)["label"] == "delayed"


def test_two_names_for_a_label_are_both_told():
    found = inferred(target=LABELS, a=NUMBERS, label=LABELS[::-1])
    assert found.settings["label"] == "label"
    assert "'target' may be it as well" in found.remarks[0]


def test_two_equal_candidates_are_asked_for_unless_one_stands_last():
    found = inferred(failed=LABELS, delayed=LABELS[::-1], a=NUMBERS)
    assert "It may be 'failed', 'delayed'." in found.questions[0]
    found = inferred(failed=LABELS, a=NUMBERS, delayed=LABELS[::-1])
    assert found.settings["label"] == "delayed"
    assert "'failed' may be it as well" in found.remarks[0]


def test_numbers_with_fractions_that_stand_last_are_no_label():
    assert inferred(a=NUMBERS, b=[0.5, 1.5] * 25).questions


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("PassengerId", [i * 7919 % 1000 for i in range(50)], "no value comes twice"),
        ("column1", range(1, 51), "counts the rows"),
        ("Unnamed: 0", NUMBERS, "the index that another program wrote"),
        ("__index_level_0__", NUMBERS, "the index that another program wrote"),
    ],
)
def test_ids_and_indices_are_left_out_by_name(name, values, why):
    found = inferred(**{name: values, "a": NUMBERS, "y": LABELS})
    assert found.settings["features"] == ["a"]
    assert found.roles[name].name == "left out"
    assert f"'{name}': left out, " in found.remarks[1]
    assert why in found.remarks[1]


def test_an_id_of_few_values_is_a_category():
    found = guesses(station_id=[3, 17] * 25, a=NUMBERS, y=LABELS)
    assert found["categorical"] == ["station_id"]


def test_a_constant_column_is_pointed_at_and_stays_because_it_may_wake():
    found = inferred(asleep=[0] * 50, a=NUMBERS, y=LABELS)
    assert found.settings["features"] == ["asleep", "a"]
    assert found.remarks[1].startswith("'asleep': constant in the first rows")


@pytest.mark.parametrize(
    "leak",
    [
        [7.5 if y else -1 for y in LABELS],
        [["ok", "fine"][i % 2] if y else "bad" for i, y in enumerate(LABELS)],
        ["" if y else 1 for y in LABELS],
    ],
)
def test_a_column_that_tells_the_label_by_itself_is_left_out_by_name(leak):
    found = inferred(a=NUMBERS, leak=leak, y=LABELS)
    assert found.settings["features"] == ["a"]
    assert found.settings["categorical"] == []
    assert any("'leak': left out, it tells the label by itself" in r for r in found.remarks)
    assert any("--features or --categorical takes it back" in r for r in found.remarks)


def test_a_leak_of_several_classes_has_a_range_for_each():
    labels = [i * i % 7 % 3 for i in range(90)]
    found = inferred(
        a=range(0, 180, 2), leak=[3 * c + 0.01 * i for i, c in enumerate(labels)], y=labels
    )
    assert any("'leak': it tells the label by itself" in r for r in found.remarks)
    assert not any("'a'" in r for r in found.remarks)


def test_a_number_that_tells_the_label_by_a_limit_stays_and_is_pointed_at():
    found = inferred(a=NUMBERS, x=[i + 100 * y for i, y in enumerate(LABELS)], y=LABELS)
    assert found.settings["features"] == ["a", "x"]
    assert any("'x': it tells the label by itself" in r for r in found.remarks)


def test_a_leak_that_is_named_or_the_only_column_stays_and_is_pointed_at():
    leak = [10 + i % 7 if y else i % 9 for i, y in enumerate(LABELS)]
    for found in (
        inferred({"features": ["leak"]}, a=NUMBERS, leak=leak, y=LABELS),
        inferred(leak=leak, y=LABELS),
    ):
        assert found.roles["leak"].name == "feature"
        assert any("'leak': it tells the label by itself" in r for r in found.remarks)


def test_a_trend_is_no_leak_where_the_label_changes_once():
    found = guesses(trend=[2 * i for i in range(50)], a=NUMBERS, y=[0] * 25 + [1] * 25)
    assert found["features"] == ["trend", "a"]


def test_how_times_are_written_is_guessed_where_all_columns_are_named():
    known = {"time": "t", "label": "y", "features": ["a"], "categorical": []}
    assert guesses(known, t=["31/01/2024"] * 2, a=[1, 2], y=[0, 1]) == {"time_format": "%d/%m/%Y"}


def test_a_count_of_rows_stays_where_nothing_else_is_there_to_learn_from():
    found = inferred(n=range(50), y=LABELS)
    assert found.settings["features"] == ["n"]
    assert "'n': it stays, because nothing else is there to learn from" in found.remarks


def test_numbers_whose_name_only_sounds_like_an_id_are_features():
    found = guesses(uv_index=[i * 7 % 11 for i in range(50)], id_score=NUMBERS, y=LABELS)
    assert found["features"] == ["uv_index", "id_score"]


def test_a_row_of_digits_is_a_time_by_its_values():
    stamps = [20240131130000, 20240131130500, 20240201000000]
    found = guesses(stamp=stamps, a=[1, 2, 3], label=[0, 1, 0])
    assert (found["time"], found["time_format"]) == ("stamp", "%Y%m%d%H%M%S")
    assert "time" not in guesses(amount=[20249931130000] * 3, a=[1, 2, 3], label=[0, 1, 0])


def test_a_label_by_name_with_too_many_values_is_told_when_it_is_asked_for():
    names = [f"k{i}" for i in range(300)]
    (question,) = inferred(a=range(300), label=names, b=np.arange(300) / 7).questions
    assert "'label': too many different values for classes" in question
    (question,) = inferred(target=np.arange(300) / 7, b=np.arange(300) / 3).questions
    assert "as in --label 'target > 21.36'" in question


def test_a_first_line_that_may_be_a_row_is_pointed_at():
    said = inferred(red=["blue", "red", "red"], yes=["no", "yes", "no"]).remarks
    assert any("if the first line is a row, put a header line above it" in line for line in said)
    said = inferred(red=["blue", "red", "red"], label=["no", "yes", "no"]).remarks
    assert not any("first line" in line for line in said)


def test_a_time_of_day_beside_the_day_is_pointed_at():
    clock, labels = ["09:00", "10:30", "11:00", "12:00"], [0, 1, 0, 1]
    said = inferred(date=DAYS, hour=clock, label=labels).remarks
    assert any("'date' holds days and 'hour' the time of day" in line for line in said)
    for times in ([f"{day}T09:00" for day in DAYS], [1205492520 + i for i in range(4)]):
        said = inferred(date=times, lasted=clock, label=labels).remarks
        assert not any("holds days" in line for line in said)


def test_a_label_that_stands_for_nothing_is_pointed_at_with_the_cure():
    columns = {"a": [1, 2, 3, 4], "label": ["p", "?", "q", "p"]}
    remark = "'label': '?' is taken for a class; --classes p,q rejects such rows"
    assert remark in inferred(**columns).remarks
    assert remark not in inferred({"classes": ["p", "q"]}, **columns).remarks


def test_a_single_column_is_said_when_the_label_is_asked_for():
    rows = [f"{i} {i}" for i in range(30)]
    (question,) = inferred(**{"Report of May": rows}).questions
    assert "There is one column only: does the file begin with its header line" in question


def test_a_column_that_is_missing_with_the_label_is_pointed_at():
    cancelled = {7, 40, 90}
    numbers = [(i * 37) % 101 for i in range(120)]
    found = inferred(
        {"label": "delay > 15"},
        distance=[(i * 53) % 97 for i in range(120)],
        taxi=["NA" if i in cancelled else (i * 29) % 31 for i in range(120)],
        gate=["" if i in {7, 40, 91} else (i * 31) % 37 for i in range(120)],
        delay=["NA" if i in cancelled else n for i, n in enumerate(numbers)],
    )
    assert found.settings["features"] == ["distance", "taxi", "gate"]
    assert found.remarks == [
        "'taxi': missing where the label is, and only there: is it known before the label?"
    ]


def test_a_file_of_labels_alone_is_read_and_said_to_be_one():
    found = inferred(y=["p", "q"] * 20, empty=[""] * 40)
    assert (found.settings["features"], found.settings["categorical"]) == ([], [])
    assert found.remarks[-1] == LABELS_ALONE
