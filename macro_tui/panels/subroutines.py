"""The panel of subroutines."""

from __future__ import annotations

from macro_tui.panels.list_panel import ListPanel
from macro_tui.view.expanded import subroutine_in_words
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene
from macro_tui.view.subroutines import about, table_rows


class SubroutinesPanel(ListPanel):
    """The table."""

    key = "subroutines"
    heading = "subroutines"

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene))
        self.list.draw(table_rows(scene, *self.room, self.glyphs))

    def more_rows(self, scene: Scene) -> list[Row]:
        return subroutine_in_words(scene)
