"""The table of subroutines."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view.expanded import subroutine_in_words
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene
from macro_tui.view.subroutines import about, table_rows
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.paragraph import Paragraph


class SubroutinesPanel(Panel):
    """The table."""

    key = "subroutines"
    heading = "subroutines"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.table = Paragraph(glyphs)

    def pictures(self) -> Iterator[Lines]:
        yield self.table

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene))
        self.table.draw(table_rows(scene, *self.table.content_size, self.glyphs))

    def more_rows(self, scene: Scene) -> list[Row]:
        return subroutine_in_words(scene)
