"""A paragraph of spans, one row for each line."""

from __future__ import annotations

from collections.abc import Sequence

from macro_tui.view.rows import Row, cut
from macro_tui.widgets.drawing import Drawing


class Paragraph(Drawing[Sequence[Row]]):
    """Rows as they are, with the characters that the terminal has."""

    drawn: object = None  # from what, and in which size

    def draw(self, view: Sequence[Row]) -> None:
        """Takes rows; the same ones again cost nothing."""
        wanted = view, self.content_size
        if wanted != self.drawn:
            super().draw(view)
            self.drawn = wanted

    def picture(self, view: Sequence[Row], width: int, height: int) -> list[Row]:
        return [cut(row, width, self.glyphs.ascii) for row in view[:height]]
