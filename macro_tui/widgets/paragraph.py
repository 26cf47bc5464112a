"""Text in spans, a row a line."""

from __future__ import annotations

from collections.abc import Sequence

from macro_tui.view.canvas import Row
from macro_tui.view.glyphs import one_cell_each
from macro_tui.widgets.drawing import Drawing


class Paragraph(Drawing[Sequence[Row]]):
    """Rows as they are, with the characters that the terminal has."""

    def picture(self, view: Sequence[Row], width: int, height: int) -> list[Row]:
        return [cut(row, width, self.glyphs.ascii) for row in view[:height]]


def fitting(row: Row, width: int, least: int = 1) -> Row:
    """The row without the spans at its end for which there is no room; the first ones stay.

    >>> fitting([("#4 is active", "label"), (", born at 103", "muted")], 20)
    [('#4 is active', 'label')]
    """
    while len(row) > least and sum(len(text) for text, _ in row) > width:
        row = row[:-1]
    return row


def cut(row: Row, width: int, ascii_only: bool = False) -> Row:
    """A row of at most so many cells.

    >>> cut([("errors ", "strong"), ("in %", "muted")], 9)
    [('errors ', 'strong'), ('in', 'muted')]
    """
    shown: Row = []
    for text, role in row:
        text = one_cell_each(text, ascii_only)[: max(width, 0)]
        width -= len(text)
        if text:
            shown.append((text, role))
    return shown
