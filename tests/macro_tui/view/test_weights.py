"""What the weights show."""

from dataclasses import replace

import pytest
from made_views import roles_of, texts, weights_view

from macro_tui.view.glyphs import ASCII
from macro_tui.view.weights import render, window


def test_each_threshold_has_its_bar_share_error_and_subroutines():
    row = texts(render(weights_view(50), 50, 8))[4]
    assert row.split() == ["0.049", "████████", "38%", "●", "33.0%", "125"]


def test_the_leader_and_the_threshold_in_view_are_marked():
    rows = render(weights_view(50, leader=1, viewed=4), 50, 8)
    marked = texts(rows)
    assert [row[0] == "▶" for row in marked].index(True) == 5
    assert ["●" in row for row in marked].index(True) == 2
    assert roles_of(rows, "●") == {"ftl"}
    marked = texts(render(weights_view(50, leader=1, viewed=4), 50, 8, ASCII))
    assert marked[5][0] == ">"
    assert "*" in marked[2]


def test_the_narrow_form_keeps_threshold_bar_share_and_leader():
    row = texts(render(weights_view(24), 24, 8))[4]
    assert row.split() == ["0.049", "███", "38%", "●"]


def test_the_error_stands_beside_short_bars_where_members_have_long_names():
    view = weights_view(30)
    named = tuple(replace(member, name=f"36:{member.name}") for member in view.members)
    assert texts(render(replace(view, members=named), 30, 8))[4].split()[-1] == "33.0%"


@pytest.mark.parametrize(
    ("width", "headings"),
    [(30, "threshold weight leads error"), (60, "threshold fixed_share weight leads error subs")],
)
def test_where_the_name_of_a_strategy_has_no_room_the_heading_says_what_stands_below(
    width, headings
):
    view = replace(weights_view(width), leading="fixed_share", weighing="fixed_share")
    assert " ".join(texts(render(view, width, 8))[0].split()) == headings


def test_before_there_is_a_leader_none_is_marked():
    assert not any("●" in row for row in texts(render(weights_view(50, leader=None), 50, 8)))


def test_an_error_that_is_not_known_is_a_dash():
    view = weights_view(50, count=1, leader=0, viewed=0)
    view = replace(view, members=(replace(view.members[0], error=None),))
    assert texts(render(view, 50, 3))[1].split()[-2:] == ["-", "500"]


def test_more_thresholds_than_rows_are_a_window_that_says_so():
    rows = texts(render(weights_view(40, 20, leader=9, viewed=10), 40, 7))
    assert rows[1].strip() == "… 8 above"
    assert rows[6].strip() == "… 8 below"
    assert any(row.startswith("▶") for row in rows)
    assert any("●" in row for row in rows)


def test_a_leader_outside_the_window_is_named():
    rows = texts(render(weights_view(40, 10, leader=9, viewed=1), 40, 6))
    assert rows[-1].strip() == "… 6 below, FTL 1.186"


@pytest.mark.parametrize("needed", range(12))
@pytest.mark.parametrize("wished", range(12))
def test_the_window_holds_what_is_needed_and_what_is_wished_if_it_can(needed, wished):
    shown = window(12, 5, needed, wished)
    assert len(shown) == 5
    assert needed in shown
    assert wished in shown or abs(needed - wished) >= 4


def test_weights_over_time_appear_when_there_is_room():
    low, high = (texts(render(weights_view(50), 50, height)) for height in (11, 15))
    assert not any("over time" in row for row in low)
    assert any("over time" in row for row in high)
    assert high[12].split() == ["0.049", "▒" * 43]
    assert "▒" not in "".join(texts(render(weights_view(50), 50, 15, ASCII)))


@pytest.mark.parametrize(("height", "shown"), [(11, 0), (12, 3), (14, 5), (15, 6), (20, 6)])
def test_as_many_members_as_fit_have_their_weights_over_time(height, shown):
    view = weights_view(50)
    rows = texts(render(view, 50, height))
    headings = [y for y, row in enumerate(rows) if "EWA weights over time" in row]
    assert bool(headings) == bool(shown)
    below = [row.split()[0] for y in headings for row in rows[y + 1 :] if row.strip()]
    assert len(below) == shown
    assert not shown or view.members[view.viewed].name in below
