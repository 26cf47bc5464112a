"""Only what changed is painted, and every style works without colour."""

import pytest
from textual.app import App
from textual.geometry import Region

from macro_tui.view.roles import NAMES
from macro_tui.widgets.lines import Lines, changes


def test_equal_rows_have_no_changes():
    rows = [[("abc", "ewa"), ("d", "ftl")]]
    assert changes(rows, [[("ab", "ewa"), ("c", "ewa"), ("d", "ftl")]]) == []


def test_the_smallest_span_of_a_row_is_found():
    old = [[("abcdef", "label")], [("same", "label")]]
    new = [[("aXcdYf", "label")], [("same", "label")]]
    assert changes(old, new) == [Region(1, 0, 4, 1)]


def test_a_change_of_role_is_a_change():
    assert changes([[("ab", "ewa")]], [[("a", "ewa"), ("b", "ftl")]]) == [Region(1, 0, 1, 1)]


def test_a_blank_looks_the_same_in_every_colour_but_not_in_reverse_video():
    assert changes([[("a ", "ewa")]], [[("a", "ewa"), (" ", "ftl")]]) == []
    assert changes([[(" ", "ewa")]], [[(" ", "cursor")]]) == [Region(0, 0, 1, 1)]


def test_rows_that_come_and_go_are_changes_of_their_length():
    assert changes([], [[("abc", "label")]]) == [Region(0, 0, 3, 1)]
    assert changes([[("abc", "label")]], [[("a", "label")]]) == [Region(1, 0, 2, 1)]


class Page(App):
    def __init__(self):
        super().__init__()
        self.lines = Lines()
        self.painted = []

    def compose(self):
        yield self.lines

    def _display(self, screen, renderable):
        self.painted.append(renderable)
        super()._display(screen, renderable)


async def shown(app, pilot, rows):
    """The updates that showing the rows has led to."""
    await pilot.pause()
    app.painted.clear()
    app.lines.show(rows)
    await pilot.pause(0.1)
    return [update for update in app.painted if update is not None]


async def test_unchanged_rows_paint_nothing():
    app = Page()
    async with app.run_test(size=(20, 4)) as pilot:
        await shown(app, pilot, [[("one", "label")], [("two", "ewa")]])
        assert await shown(app, pilot, [[("one", "label")], [("two", "ewa")]]) == []


async def test_a_changed_cell_paints_only_its_region():
    app = Page()
    async with app.run_test(size=(20, 4)) as pilot:
        await shown(app, pilot, [[("one", "label")], [("two", "ewa")]])
        (update,) = await shown(app, pilot, [[("one", "label")], [("tWo", "ewa")]])
        assert update.spans == [(1, 1, 2)]


async def test_long_rows_are_cut_at_the_edge():
    app = Page()
    async with app.run_test(size=(5, 1)) as pilot:
        await shown(app, pilot, [[("0123456789", "label")], [("beyond", "label")]])
        assert app.lines.render_line(0).text == "01234"


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark", "ansi-light"])
@pytest.mark.parametrize("no_color", [True, False])
async def test_every_role_has_a_style_with_and_without_colour(theme, no_color, monkeypatch):
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    app = Page()
    app.theme = theme
    async with app.run_test(size=(40, len(NAMES) + 1)) as pilot:
        await shown(app, pilot, [[(name, name)] for name in NAMES])
        strips = app.screen._compositor.render_strips()
        assert [strip.text.strip() for strip in strips] == [*NAMES, ""]
        styles = [segment.style for strip in strips for segment in strip]
        assert None not in styles
        colours = {style.color.name for style in styles if style.color is not None}
        assert len(colours) >= (1 if no_color else 6)


async def test_a_new_theme_restyles_the_rows():
    app = Page()
    async with app.run_test(size=(10, 1)) as pilot:
        await shown(app, pilot, [[("x", "ewa")]])
        dark = app.lines.render_line(0)._segments[0].style
        app.theme = "textual-light"
        await pilot.pause(0.1)
        assert app.lines.render_line(0)._segments[0].style != dark
