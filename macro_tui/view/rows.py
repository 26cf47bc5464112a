"""Rows of text: a row is a list of spans, each with the role that decides its look."""

from __future__ import annotations

from macro_tui.view.glyphs import one_cell_each

Span = tuple[str, str]
Row = list[Span]


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
