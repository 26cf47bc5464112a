import pytest

from macro_engine.core.errors import UsageError
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.label import LabelColumn, LabelRule, class_order, parse_label


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("delay > 15", LabelRule("delay", ">", 15.0)),
        ("delay>=15.5", LabelRule("delay", ">=", 15.5)),
        ("arrival delay < -3e2", LabelRule("arrival delay", "<", -300.0)),
        ("status == 'late'", LabelRule("status", "==", "late")),
        ('status != "on time"', LabelRule("status", "!=", "on time")),
    ],
)
def test_rules(text, rule):
    assert parse_label(text, ["delay"]) == rule


def test_a_column_whose_name_looks_like_a_rule_is_a_column():
    assert parse_label("delay > 15", ["delay > 15"]) == LabelColumn("delay > 15")


@pytest.mark.parametrize(
    "text", ["delay >", "> 15", "delay = 15", "delay > late", "delay > 'late'", "delay > inf"]
)
def test_what_is_no_rule_is_refused(text):
    with pytest.raises(UsageError, match="does not parse"):
        parse_label(text, ["delay"])


def test_a_rule_gives_the_classes_0_and_1():
    labels, problems = parse_label("delay > 15", []).read(TextColumn(["15", "16", "x"]), None)
    assert labels[:2] == ["0", "1"]
    assert list(problems) == [2]


def test_numbers_come_before_text_and_by_value():
    names = ["b", "10", "9", "a", "-1", "1e1"]
    assert sorted(names, key=class_order) == ["-1", "9", "10", "1e1", "a", "b"]


def test_what_reads_as_nan_sorts_as_text():
    assert sorted(["NAN", "a", "5", "Nan"], key=class_order) == ["5", "NAN", "Nan", "a"]
