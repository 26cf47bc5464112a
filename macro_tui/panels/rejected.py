"""The panel of rejected rows."""

from __future__ import annotations

from macro_tui.panels.list_panel import ListPanel
from macro_tui.view.rejected import about, rejected_rows
from macro_tui.view.scene import Scene


class RejectedPanel(ListPanel):
    """Reasons, examples and cures."""

    key = "rejected"
    heading = "rejected rows"

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene))
        self.list.draw(rejected_rows(scene, self.room[1], self.glyphs))
