"""The lines of a wall as a widget."""

from __future__ import annotations

from collections.abc import Sequence

from macro_engine.run.view import RunLine
from macro_tui.view.rows import Row, cut
from macro_tui.view.wall import wall_rows
from macro_tui.widgets.drawing import Drawing


class WallLines(Drawing[tuple[Sequence[RunLine], int, str]]):
    """Runs, which of them is picked, and what is said where there are none."""

    def picture(
        self, view: tuple[Sequence[RunLine], int, str], width: int, height: int
    ) -> list[Row]:
        lines, picked, none = view
        rows = (
            wall_rows(lines, picked, width, height, self.glyphs) if lines else [[(none, "muted")]]
        )
        return [cut(row, width, self.glyphs.ascii) for row in rows]
