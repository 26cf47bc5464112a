"""Text in spans, a row a line."""

from __future__ import annotations

from collections.abc import Sequence

from macro_tui.view.rows import Row, cut
from macro_tui.widgets.drawing import Drawing


class Paragraph(Drawing[Sequence[Row]]):
    """Rows as they are, with the characters that the terminal has."""

    def picture(self, view: Sequence[Row], width: int, height: int) -> list[Row]:
        return [cut(row, width, self.glyphs.ascii) for row in view[:height]]
