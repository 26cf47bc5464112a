"""The rows that were turned away."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.rejected import about, rejected_rows
from macro_tui.view.scene import Scene
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.paragraph import Paragraph


class RejectedPanel(Panel):
    """Reasons, examples and cures."""

    key = "rejected"
    heading = "rejected rows"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.list = Paragraph(glyphs)

    def pictures(self) -> Iterator[Lines]:
        yield self.list

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene))
        self.list.draw(rejected_rows(scene, self.list.content_size.height, self.glyphs))
