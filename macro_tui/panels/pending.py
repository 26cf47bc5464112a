"""The rows that wait for their labels."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.pending import about, pending_rows
from macro_tui.view.scene import Scene
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.paragraph import Paragraph


class PendingPanel(Panel):
    """A list, the likeliest of the rare class first."""

    key = "pending"
    heading = "rows without a label"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.table = Paragraph(glyphs)

    def pictures(self) -> Iterator[Lines]:
        yield self.table

    @property
    def room(self) -> tuple[int, int]:
        """Width and height of the list, with what stands above it."""
        return self.table.content_size.width, self.table.content_size.height

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene.snapshot))
        rows = pending_rows(scene.snapshot, scene.view.pending, *self.room, self.glyphs)
        self.table.draw(rows)
