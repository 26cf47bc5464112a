"""What the distances show."""

from dataclasses import replace

import pytest
from made_views import birth_view, nearest_view, roles_of, texts

from macro_tui.view.glyphs import ASCII
from macro_tui.view.nearest import NearestView, render, words


def test_bars_are_scaled_to_three_times_the_threshold():
    for threshold in (0.1, 0.06):
        rows = texts(render(replace(nearest_view(), threshold=threshold), 53, 8))
        line = rows[0].index("┆")
        assert line == 13 + 30 // 3
        assert all(row[line] == "┆" for row in rows[1:6])
    rows = texts(render(nearest_view(), 53, 8))
    assert rows[1][13:43].count("█") == 6  # 0.061 of 0.3, in 30 cells
    far = NearestView(((1, 0.05), (2, 7.0)), 1, 0.1, 1, False, None)
    assert texts(render(far, 53, 8))[2][13:43].count("█") == 29  # and the line


def test_inside_and_outside_are_said():
    rows = texts(render(nearest_view(), 50, 8))
    assert [row.split()[-1] for row in rows[1:5]] == ["inside", "inside", "outside", "outside"]


def test_what_lies_at_the_threshold_is_on_the_side_on_which_it_was_counted():
    rounded = NearestView(((14, 0.0001), (4, 0.00500107)), 2, 0.005, 14, False, None)
    assert [row.split()[-1] for row in texts(render(rounded, 50, 8))[1:3]] == ["inside"] * 2


def test_distances_of_an_earlier_step_are_neither_inside_nor_outside():
    """Of the step itself only that of the active one is known; so is how many are inside."""
    view = NearestView(((4, 0.056), (2, 0.125)), 1, 0.2, 4, False, None, of_step=290)
    rows = texts(render(view, 53, 4))
    assert [row.split()[-1] for row in rows[1:3]] == ["inside", "earlier"]
    assert rows[3].strip() == "earlier: as of step 290"


def test_the_active_one_is_marked():
    rows = render(nearest_view(), 50, 8)
    assert texts(rows)[1].split()[:2] == ["#17", "0.061"]
    assert texts(rows)[1].rstrip().endswith("◄  inside")
    assert roles_of(rows, "◄") == {"chosen"}
    assert texts(render(nearest_view(), 50, 8, ASCII))[1].rstrip().endswith("<- inside")


def test_distances_without_a_bar_are_said_in_words():
    rows = texts(render(nearest_view(), 50, 8))
    assert rows[4].split()[:3] == ["#21", "∞", "infinite"]
    assert rows[5].split()[:4] == ["#23", "?", "not", "known"]
    assert "inf" in texts(render(nearest_view(), 50, 8, ASCII))[4]


def test_no_word_runs_into_another_where_bars_are_short():
    view = NearestView(((4, 0.056), (2, float("inf"))), 1, 0.2, 4, False, None, of_step=290)
    for width in range(28, 60):
        row = texts(render(view, width, 4))[2]
        assert row.split()[-1] == "earlier"
        assert {*row.split()} <= {"#2", "∞", "┆", "infinite", "earlier"}


def test_a_birth_is_said_in_words():
    assert words(birth_view()) == "none inside 0.10: #23 was started as a copy of #17"
    assert words(replace(birth_view(), copy_of=None)) == "none inside 0.10: #23 was started"
    rows = render(birth_view(), 50, 6)
    assert texts(rows)[3].strip() == words(birth_view())
    assert roles_of(rows, "started") == {"birth"}


def test_the_words_of_a_birth_come_before_the_bars_when_room_is_short():
    rows = texts(render(birth_view(), 20, 3))
    assert " ".join(row.strip() for row in rows) == words(birth_view())


def test_the_nearest_is_not_called_inside_where_no_more_are_born():
    forced = replace(nearest_view(), inside=0, threshold=0.05)
    assert words(forced) == "#17 is the nearest, outside 0.05"
    assert texts(render(forced, 50, 8))[1].endswith("◄  outside")


def test_before_the_first_step_it_says_so():
    rows = texts(render(NearestView((), 0, 0.1, None, False, None), 40, 4))
    assert rows[0].strip() == "no subroutine yet"


@pytest.mark.parametrize("threshold", [0.0, float("inf"), 40.0])
def test_any_threshold_can_be_drawn(threshold):
    for distance in (0.0, 1e-9, 25.0, float("inf"), float("nan")):
        rows = texts(render(NearestView(((1, distance),), 1, threshold, 1, False, None), 40, 5))
        assert "#1" in "".join(rows)


def test_at_most_five_are_shown():
    view = NearestView(tuple((n, n / 100) for n in range(1, 9)), 8, 0.1, 1, False, None)
    assert sum("0.0" in row for row in texts(render(view, 50, 20))[1:-1]) == 5
