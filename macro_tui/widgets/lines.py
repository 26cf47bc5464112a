"""Rows of coloured text that repaint only changed cells."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.dom import DOMNode
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from macro_tui.view.cells import TAIL, in_cells
from macro_tui.view.roles import FILLED
from macro_tui.view.rows import Row, Span
from macro_tui.widgets.styles import component, stylesheet

_NOTHING: Row = []


class Lines(Widget):
    """Holds rows of (text, role) and shows them as they are, cut at its edges."""

    DEFAULT_CSS = stylesheet("Lines")

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.rows: list[Row] = []
        self._looks: dict[str, Style] = {}

    def show(self, rows: Sequence[Row]) -> None:
        """Takes new rows and repaints what differs from the old ones."""
        old = self.rows
        new = [
            old[y]
            if y < len(old) and old[y] == row
            else [(in_cells(text), role) for text, role in row]
            for y, row in enumerate(rows)
        ]
        changed = changes(self.rows, new)
        self.rows = new
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        row = self.rows[y] if y < len(self.rows) else _NOTHING
        segments = [Segment(text.replace(TAIL, ""), self._look(role)) for text, role in row if text]
        strip = Strip(segments, sum(len(text) for text, _ in row))
        return strip.adjust_cell_length(self.content_size.width, self._look("label"))

    def notify_style_update(self) -> None:
        self._looks.clear()
        super().notify_style_update()

    def _look(self, role: str) -> Style:
        """The style of a role, found when it is first shown.

        As Textual does for all `COMPONENT_CLASSES` of a widget whenever its style is applied: with
        two dozen roles in each of many pictures that was most of the time that a screen opens in.
        """
        if role not in self._looks:
            node = DOMNode(classes=component(role))
            node._attach(self)
            self.app.stylesheet.apply(node, animate=False)
            self._looks[role] = node.rich_style
        return self._looks[role]


def changes(old: Sequence[Row], new: Sequence[Row]) -> list[Region]:
    """For each row that looks different, the smallest span that holds all differences."""
    found = []
    for y in range(max(len(old), len(new))):
        before = old[y] if y < len(old) else _NOTHING
        after = new[y] if y < len(new) else _NOTHING
        if before != after:
            first, end = _difference(_cells(before), _cells(after))
            if first < end:
                found.append(Region(first, y, end - first, 1))
    return found


def _cells(row: Row) -> list[Span]:
    """Character and role of each cell; a blank looks the same in all roles that fill nothing."""
    return [(c, role if c != " " or role in FILLED else "") for text, role in row for c in text]


def _difference(before: list[Span], after: list[Span]) -> tuple[int, int]:
    """From the first to behind the last cell that differs; what is not there is blank."""
    length = max(len(before), len(after))
    before, after = _padded(before, length), _padded(after, length)
    first = next((i for i in range(length) if before[i] != after[i]), length)
    end = next((i + 1 for i in range(length - 1, first - 1, -1) if before[i] != after[i]), first)
    if first < length and TAIL in (before[first][0], after[first][0]):
        first -= 1  # not half of a wide character
    if end < length and TAIL in (before[end][0], after[end][0]):
        end += 1
    return first, end


def _padded(cells: list[Span], length: int) -> list[Span]:
    return cells + [(" ", "")] * (length - len(cells))
