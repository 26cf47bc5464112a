import re

import pytest
from made_views import roles_of, strategy_values_view, texts

from macro_tui.view.strategy_values import StrategyValuesView, render


def lines(*arguments, width=40, height=14, **options):
    return texts(render(strategy_values_view(width, *arguments, **options), width, height))


def test_the_part_that_pulls_most_has_the_longest_bar_and_stands_out():
    rows = render(strategy_values_view(40), 40, 14)
    bars = [text.count("█") for text in texts(rows)[1:4]]
    assert bars[1] == max(bars)
    assert "strong" in roles_of(rows, "MACRO")
    assert "strong" not in roles_of(rows, "tiles")
    assert "70%" in texts(rows)[2]


@pytest.mark.parametrize(("turning", "leads"), [(0.1, "steady"), (0.9, "turning")])
def test_the_filter_that_leads_stands_out_and_is_no_percentage(turning, leads):
    rows = render(strategy_values_view(40, turning=turning), 40, 14)
    (meter,) = [row for row in rows if any("steady" in text for text, _ in row)]
    assert "%" not in "".join(text for text, _ in meter)
    assert {text.strip() for text, role in meter if role == "strong"} == {leads}
    place = "".join(text for text, _ in meter).index("●")
    assert (place < 20) == (turning < 0.5)


def test_without_filters_there_is_no_meter():
    assert not any("steady" in line for line in lines(turning=None))


def test_numbers_are_listed_by_name_and_those_without_room_are_counted():
    shown = lines(values=9, height=9)
    assert re.search(r"TOY number 0 +1$", shown[5])
    assert shown[-1].strip() == "… 6 more"


def test_names_without_room_beside_their_numbers_stand_below_the_strategy():
    numbers = ("doubt of the labels", 0.5), ("doubt of the learner", 0.25), ("entropy", 1.0)
    values = tuple(("hesitant", name, value) for name, value in numbers)
    shown = texts(render(StrategyValuesView((), values), 25, 9))
    assert [line.rstrip() for line in shown[:4]] == [
        " what hesitant shows",
        " doubt of the labels  0.5",
        " doubt of the learn… 0.25",
        " entropy                1",
    ]
    assert texts(render(StrategyValuesView((), values), 25, 3))[2].strip() == "… 2 more"


def test_shares_over_time_are_drawn_where_there_is_room():
    assert any("over time" in line for line in lines(height=13))
    assert not any("over time" in line for line in lines(height=12))
