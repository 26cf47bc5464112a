import zlib

import numpy as np
import pytest

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.stream.encode import SAMPLE, SLOTS, Encoder
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.label import LabelColumn, LabelRule
from macro_engine.stream.spec import StepLength, StreamSpec
from macro_engine.stream.table import Rejections, Table


def spec(**changes):
    values = {
        "label": LabelColumn("y"),
        "features": ("a",),
        "categorical": (),
        "time": None,
        "time_format": None,
        "classes": None,
        "bounds": {},
        "every": StepLength(rows=1),
        "scale": "running",
        "reject_late": False,
    }
    return StreamSpec(**(values | changes))


def table(first_line=2, **columns):
    n = len(next(iter(columns.values())))
    return Table(
        "data.csv",
        "line",
        {name: TextColumn([str(v) for v in values]) for name, values in columns.items()},
        np.arange(first_line, first_line + n),
    )


def encoded(encoder, *tables):
    accepted = [part for t in tables for part in encoder.take(t)] + encoder.finish()
    return [encoder.encode(part) for part in accepted]


def test_classes_come_from_the_first_rows_and_are_then_frozen():
    encoder = Encoder(spec(), rejections := Rejections())
    first = table(a=range(SAMPLE), y=["no", "yes"] * (SAMPLE // 2))
    later = table(SAMPLE + 2, a=[-50, 2 * SAMPLE, 7], y=["no", "yes", "maybe"])
    parts = encoded(encoder, first, later)
    assert encoder.classes == ("no", "yes")
    assert [part.numbers[-1, 0] for part in parts] == [SAMPLE - 1.0, 2.0 * SAMPLE]
    assert [str(r) for r in rejections.first] == [
        f"data.csv, line {SAMPLE + 4}, column 'y': 'maybe' is not one of the classes (no, yes); "
        "--classes names them all"
    ]


def test_rows_are_held_back_until_the_sample_is_complete():
    encoder = Encoder(spec(), Rejections())
    assert encoder.take(table(a=[1, 2], y=["p", "q"])) == []
    assert encoder.sampled == 2
    assert sum(map(len, encoder.finish())) == 2


def test_nothing_is_held_back_where_the_classes_are_known():
    encoder = Encoder(spec(classes=("p", "q")), Rejections())
    assert len(encoder.take(table(a=[1], y=["p"]))[0]) == 1


def test_rows_past_the_sample_decide_nothing():
    encoder = Encoder(spec(), Rejections())
    values = [0.0] * SAMPLE + [9.0]
    encoded(encoder, table(a=values, y=["p", "q"] * (SAMPLE // 2) + ["r"]))
    assert encoder.classes == ("p", "q")


def test_the_first_problem_of_a_row_is_its_reason():
    rejections = Rejections()
    encoder = Encoder(
        spec(features=("a", "b"), time="t", classes=("p", "q"), scale="none"), rejections
    )
    given = table(
        t=["2020-01-01", "soon", "2020-01-01", "2020-01-01", "2020-01-01"],
        y=["p", "p", "", "q", "q"],
        a=[1, 1, "x", "nan", 1],
        b=[1, "x", 1, "inf", "inf"],
    )
    assert [len(r) for r in encoded(encoder, given)] == [1]
    assert [str(r).removeprefix("data.csv, ") for r in rejections.first] == [
        "line 3, column 't': 'soon' is not a time (ISO 8601; see --time-format)",
        "line 4, column 'y': is missing",
        "line 5, column 'a': is missing",
        "line 6, column 'b': 'inf' is not a finite number",
    ]
    assert rejections.count == 4


def test_categories_take_slots_in_order_of_first_appearance():
    encoder = Encoder(spec(features=(), categorical=("c",), classes=("p", "q")), Rejections())
    first, second = encoded(
        encoder, table(c=["x", "y", "x"], y=["p"] * 3), table(c=["", "y"], y=["p"] * 2)
    )
    assert first.slots[:, 0].tolist() == [0, 1, 0]
    assert second.slots[:, 0].tolist() == [2, 1]
    assert first.columns.slots == (("x", "y"),)
    assert second.columns.slots == (("x", "y", ""),)


def test_values_beyond_the_last_slot_are_hashed():
    encoder = Encoder(spec(features=(), categorical=("c",), classes=("p", "q")), Rejections())
    values = [f"v{i}" for i in range(SLOTS + 5)]
    first, again = encoded(
        encoder,
        table(c=values, y=["p"] * len(values)),
        table(c=values[::-1], y=["p"] * len(values)),
    )
    hashed = [zlib.crc32(v.encode()) % SLOTS for v in values[SLOTS:]]
    assert first.slots[:, 0].tolist() == [*range(SLOTS), *hashed]
    assert again.slots[::-1, 0].tolist() == first.slots[:, 0].tolist()
    assert len(first.columns.slots[0]) == SLOTS


def test_one_class_only_is_an_error():
    encoder = Encoder(spec(), Rejections())
    with pytest.raises(MacroError, match=r"one class only .'p'. in the first 2 usable rows"):
        encoded(encoder, table(a=[1, 2], y=["p", "p"]))


def test_a_number_as_label_is_refused_with_advice():
    encoder = Encoder(spec(), Rejections())
    with pytest.raises(UsageError, match="use a rule, as in --label 'y > 3'"):
        encoded(encoder, table(a=range(SAMPLE), y=range(SAMPLE)))


def test_a_rule_needs_no_sample_for_its_classes():
    encoder = Encoder(spec(label=LabelRule("y", ">", 3.0), scale="none"), Rejections())
    (rows,) = encoded(encoder, table(a=[1, 1], y=[3, 4]))
    assert encoder.classes == ("0", "1")
    assert rows.labels.tolist() == [0, 1]


TOO_LARGE = [
    "data.csv, line 3, column 'a': '1e+150' is not below 1e+150 (bounds and --scale unit take "
    "larger ones)",
    "data.csv, line 4, column 'a': '-1e+200' is not below 1e+150 (bounds and --scale unit take "
    "larger ones)",
]
WIDE = {"a": (-1.7e308, 1.7e308)}


@pytest.mark.parametrize(
    ("scale", "bounds", "rejected"),
    [
        ("none", {}, TOO_LARGE),
        ("none", WIDE, TOO_LARGE),
        ("running", {}, TOO_LARGE),
        ("running", WIDE, []),
        ("unit", WIDE, []),
    ],
)
def test_numbers_that_are_too_large_to_be_squared_are_turned_away_without_bounds(
    scale, bounds, rejected
):
    encoder = Encoder(spec(classes=("p", "q"), scale=scale, bounds=bounds), found := Rejections())
    (rows,) = encoded(encoder, table(a=[1, 1e150, -1e200, 9e149], y=["p"] * 4))
    assert [str(rejection) for rejection in found.first] == rejected
    assert len(rows) == 4 - len(rejected)


def test_more_classes_than_can_be_told_apart_are_refused():
    encoder = Encoder(spec(), Rejections())
    with pytest.raises(UsageError, match=r"201 different labels .* at most 200"):
        encoded(encoder, table(a=range(201), y=[f"c{i}" for i in range(201)]))
