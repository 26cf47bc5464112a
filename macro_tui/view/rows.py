"""Rows of text: a row is a list of spans, each with a role that sets its style."""

from __future__ import annotations

from macro_tui.view.cells import clipped, in_cells, width_of

Span = tuple[str, str]
Row = list[Span]
_MORE = "…"


def row_width(row: Row) -> int:
    """How many cells a row fills."""
    return sum(width_of(text) for text, _ in row)


def fitting(row: Row, width: int, least: int = 1) -> Row:
    """The row without the spans at its end for which there is no room; the first ones stay.

    >>> fitting([("#4 is active", "label"), (", born at 103", "muted")], 20)
    [('#4 is active', 'label')]
    """
    while len(row) > least and row_width(row) > width:
        row = row[:-1]
    return row


def cut(row: Row, width: int, ascii_only: bool = False) -> Row:
    """A row of at most so many cells; its last one says that more was to come.

    >>> cut([("errors ", "strong"), ("in %", "muted")], 9)
    [('errors ', 'strong'), ('i…', 'muted')]
    """
    shown: Row = []
    cells = [(in_cells(text, ascii_only), role) for text, role in row]
    is_cut = len("".join(text for text, _ in cells).rstrip()) > width
    width -= is_cut
    for text, role in cells:
        found = clipped(text, width)
        width -= len(found)
        if is_cut and len(found) < len(text):
            return [*shown, (f"{found}{in_cells(_MORE, ascii_only)}", role)] if width >= 0 else []
        if found:
            shown.append((found, role))
    return shown
