import pytest

from macro_engine.core.errors import UsageError
from macro_engine.stream.times import iso, time_reader


def times(texts, time_format=None):
    reader = time_reader(texts, time_format)
    values, problems = reader.read(texts)
    return [iso(int(v)) if i not in problems else None for i, v in enumerate(values)], reader


@pytest.mark.parametrize(
    ("text", "expected", "described"),
    [
        ("2008-03-14 11:02", "2008-03-14T11:02:00", "ISO 8601"),
        ("2008-03-14T11:02:03.25", "2008-03-14T11:02:03.250000", "ISO 8601"),
        ("2008-03-14", "2008-03-14T00:00:00", "ISO 8601"),
        ("2008-03-14T11:02+02:00", "2008-03-14T09:02:00", "ISO 8601"),
        ("2008-03-14T11:02Z", "2008-03-14T11:02:00", "ISO 8601"),
        ("1205492520", "2008-03-14T11:02:00", "epoch in s"),
        ("1205492520.5", "2008-03-14T11:02:00.500000", "epoch in s"),
        ("1205492520500", "2008-03-14T11:02:00.500000", "epoch in ms"),
        ("1205492520500000", "2008-03-14T11:02:00.500000", "epoch in us"),
        ("1205492520500000123", "2008-03-14T11:02:00.500000", "epoch in ns"),
    ],
)
def test_times_are_recognised(text, expected, described):
    found, reader = times([text])
    assert found == [expected]
    assert reader.described == described


def test_a_format_of_the_user():
    assert times(["14.03.2008 11:02"], "%d.%m.%Y %H:%M")[0] == ["2008-03-14T11:02:00"]


def test_what_is_no_time_is_a_problem():
    found, reader = times(["2008-03-14", "now", "", "tomorrow"])
    assert found == ["2008-03-14T00:00:00", None, None, None]
    problems = reader.read(["now", ""])[1]
    assert str(problems[0]) == "'now' is not a time (ISO 8601; see --time-format)"
    assert str(problems[1]) == "is missing"


def test_a_format_that_cannot_be_used_is_refused():
    with pytest.raises(UsageError, match="--time-format"):
        time_reader([], "%Q")


def test_a_format_may_have_an_offset():
    assert times(["14.03.2008 11:02 +0200"], "%d.%m.%Y %H:%M %z")[0] == ["2008-03-14T09:02:00"]


def test_a_format_that_names_a_part_twice_is_refused():
    with pytest.raises(UsageError, match="--time-format"):
        time_reader([], "%Y %Y")


def test_infinity_says_nothing_about_the_unit():
    assert time_reader(["inf", "NAN", "1205492520"]).described == "epoch in s"
