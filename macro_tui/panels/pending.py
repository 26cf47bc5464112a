"""The panel of rows that wait for their labels."""

from __future__ import annotations

from macro_tui.panels.list_panel import ListPanel
from macro_tui.view.pending import about, pending_rows
from macro_tui.view.scene import Scene


class PendingPanel(ListPanel):
    """A list, the likeliest of the rare class first."""

    key = "pending"
    heading = "rows without a label"

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene.snapshot))
        rows = pending_rows(scene.snapshot, scene.view.pending, *self.room, self.glyphs)
        self.list.draw(rows)
