"""A panel with one list of rows of text."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view.glyphs import Glyphs
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.paragraph import Paragraph


class ListPanel(Panel):
    """A title, and a list below it."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.list = Paragraph(glyphs)

    def pictures(self) -> Iterator[Lines]:
        yield self.list

    @property
    def room(self) -> tuple[int, int]:
        """Width and height of the list."""
        return self.list.content_size.width, self.list.content_size.height
