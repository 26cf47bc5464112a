"""What the timeline shows."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from made_views import roles_of, texts, timeline_view

from macro_tui.view.glyphs import ASCII
from macro_tui.view.timeline import TimelineView, render, timeline_columns

COLUMNS = timeline_columns(40)


def one(active, births=(), head=COLUMNS - 1, view=COLUMNS - 1, labels=()):
    """A run at a single threshold."""
    row = np.zeros((1, COLUMNS), int)
    row[0, : len(active)] = active
    born = np.zeros_like(row)
    born[0, list(births)] = 1
    return TimelineView(("0.10",), 0, row, born, head, view, labels)


def test_a_stretch_of_one_subroutine_carries_its_number():
    rows = render(one([4] * 6 + [17] * 5), 40, 3)
    assert texts(rows)[0].rstrip() == "▶0.10  #4████#17▓▓"
    assert texts(render(one([4] * 6 + [17] * 5), 40, 3, ASCII))[0].rstrip() == ">0.10  #4====#17--"


def test_a_stretch_too_short_for_its_number_is_only_filled():
    assert texts(render(one([4, 4, 17, 17, 17]), 40, 3))[0].split()[1] == "██▓▓▓"


def test_neighbours_differ_in_colour_and_glyph():
    rows = render(one([1, 2, 3, 4, 5, 6]), 40, 3)
    spans = rows[0][-6:]
    assert len({role for _, role in spans}) == 6
    assert all(a[0][0] != b[0][0] for a, b in pairwise(spans))


def test_births_stand_before_the_number():
    rows = render(one([4] * 8, births=[0]), 40, 3)
    assert texts(rows)[0].split()[1] == "▴#4█████"
    assert roles_of(rows, "▴") == {"birth"}


def test_nothing_is_drawn_before_the_first_subroutine():
    assert texts(render(one([0, 0, 4]), 40, 3))[0][7:10] == "  █"


def test_every_threshold_has_a_row_when_there_is_room():
    rows = texts(render(timeline_view(80), 80, 8))
    assert [row[1:5] for row in rows[:6]] == ["0.01", "0.02", "0.05", "0.10", "0.20", "0.40"]
    assert [row[0] for row in rows[:6]].index("▶") == 3


def test_with_less_room_the_threshold_in_view_and_the_births_of_all_remain():
    rows = texts(render(timeline_view(80), 80, 4))
    assert rows[0].startswith("▶0.10")
    assert rows[1].startswith("births █")
    assert rows[3].split()[0] == "0k"


def test_a_single_row_shows_births_on_the_ruler():
    (row,) = texts(render(timeline_view(80), 80, 1))
    assert "▴" in row
    assert "●" in row


def test_the_ruler_shows_head_and_view():
    ruler = texts(render(one([4] * 20, head=20, view=10), 40, 3))[1][7:]
    assert ruler == "─" * 10 + "◆" + "─" * 9 + "●" + "┄" * (COLUMNS - 21)
    ruler = texts(render(one([4] * 20, head=20, view=10), 40, 3, ASCII))[1][7:]
    assert ruler == "----------V---------O" + "." * (COLUMNS - 21)


def test_a_view_that_follows_the_head_has_no_cursor():
    rows = texts(render(one([4] * 20, head=20, view=20), 40, 3))
    assert "◆" not in rows[1]
    assert "│" not in rows[0]


def test_a_view_in_the_past_is_a_line_through_the_rows():
    assert texts(render(one([4] * 20, head=20, view=10), 40, 3))[0][7 + 10] == "│"


def test_a_run_without_members_is_blank():
    view = replace(one([]), members=(), active=np.zeros((0, 5), int), births=np.zeros((0, 5), int))
    assert set("".join(texts(render(view, 40, 5)))) == {" "}
