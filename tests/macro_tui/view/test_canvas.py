"""What is drawn is clipped, cleaned and cut into runs."""

import numpy as np

from macro_tui.view.canvas import Canvas
from macro_tui.view.glyphs import ASCII


def test_text_outside_is_lost():
    canvas = Canvas(4, 1)
    canvas.put(-2, 0, "abc", "label")
    canvas.put(3, 0, "xyz", "label")
    canvas.put(0, 1, "below", "label")
    assert canvas.rows() == [[("c  x", "label")]]


def test_runs_of_one_role_are_one_span():
    canvas = Canvas(6, 1)
    canvas.put(0, 0, "ab", "ewa")
    canvas.put(2, 0, "c", "ftl")
    assert canvas.rows() == [[("ab", "ewa"), ("c   ", "ftl")]]


def test_a_blank_does_not_carry_reverse_video_on():
    canvas = Canvas(4, 1)
    canvas.put(0, 0, "!", "alarm")
    assert canvas.rows() == [[("!", "alarm"), ("   ", "label")]]


def test_control_characters_never_get_through():
    canvas = Canvas(8, 1)
    canvas.put(0, 0, "a\x1b[2J\n", "label")
    assert canvas.rows()[0][0][0] == "a?[2J?  "


def test_an_ascii_sheet_takes_nothing_else():
    canvas = Canvas(4, 1, ASCII)
    canvas.put(0, 0, "▲é", "label")
    assert canvas.rows()[0][0][0] == "??  "


def test_a_picture_is_seen_through_where_nobody_owns_it():
    canvas = Canvas(2, 1)
    canvas.put(0, 0, "ab", "label")
    codes = np.array([[ord("x"), ord("y"), ord("z")]], np.uint32)
    canvas.put_cells(0, 0, codes, np.array([[-1, 0, 0]]), ["ewa"])
    assert canvas.rows() == [[("a", "label"), ("y", "ewa")]]


def test_a_sheet_without_cells_has_empty_rows():
    assert Canvas(0, 2).rows() == [[], []]
    assert Canvas(3, 0).rows() == []
    assert Canvas(-1, -1).rows() == []
