"""The two cursors and zoom, without a screen."""

import pytest

from macro_tui.view.page import Page
from macro_tui.view.viewport import Viewport

PAGE = Page(0, 128, 16)


def test_looking_back_lands_on_edges_and_forward_follows_again():
    view = Viewport().looked(-1, PAGE, 100)
    assert view.moment == 96
    assert view.looked(-1, PAGE, 100).moment == 88
    assert view.looked(1, PAGE, 100).moment is None


def test_the_view_never_leaves_the_run():
    assert Viewport().looked(-1000, PAGE, 100).moment == 1
    assert Viewport().at(500, 100).moment == 100


def test_zooming_out_of_the_whole_run_changes_nothing():
    assert Viewport().zoomed(-1, 72, 20_000).width is None
    closer = Viewport().zoomed(1, 72, 20_000)
    assert closer.width == 192
    assert closer.zoomed(-1, 72, 20_000).width is None


def test_zooming_in_ends_at_single_steps():
    view = Viewport()
    for _ in range(40):
        view = view.zoomed(1, 72, 20_000)
    assert view.width == 1


def test_thresholds_go_round_and_come_back_to_the_leader():
    view, seen = Viewport(), []
    for _ in range(4):
        view = view.next_member(1, 3)
        seen.append(view.member)
    assert seen == [2, None, 2, None]
    view = Viewport().next_member(2, 3)
    assert [view.member, view.next_member(0, 3).member] == [0, 1]


@pytest.mark.parametrize("change", ["next_mode", "next_window", "next_curves", "next_order"])
def test_choices_go_round(change):
    view = getattr(Viewport(), change)()
    assert view != Viewport()
    for _ in range(4):
        if view != Viewport():
            view = getattr(view, change)()
    assert view == Viewport()
