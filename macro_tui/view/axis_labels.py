"""Labels and births along a horizontal axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from macro_tui.view.canvas import Canvas

Labels = tuple[tuple[int, str], ...]


def put_x_labels(canvas: Canvas, left: int, columns: int, row: int, labels: Labels) -> None:
    """Labels from their columns on, moved inwards at the edge, left out where they would meet."""
    free = left
    for column, text in sorted(labels):
        start = min(left + column, left + columns - len(text))
        if 0 <= column < columns and start >= free:
            canvas.put(start, row, text, "muted")
            free = start + len(text) + 1


def put_births(canvas: Canvas, left: int, row: int, births: NDArray[np.int64]) -> None:
    """A mark in each column in which a subroutine was born, a larger one for several."""
    for column in np.flatnonzero(births).tolist():
        mark = canvas.glyphs.one_birth if births[column] == 1 else canvas.glyphs.births
        canvas.put(left + column, row, mark, "birth")
