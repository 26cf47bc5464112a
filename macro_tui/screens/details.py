"""The screen of one subroutine, or of one row that waits for its label."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from macro_tui.view.glyphs import Glyphs
from macro_tui.view.rows import Row
from macro_tui.widgets.paragraph import Paragraph


class DetailsScreen(ModalScreen[None]):
    """Over the main screen, until it is closed."""

    CSS_PATH = "details.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,enter", "dismiss", "close")]

    def __init__(self, rows: list[Row], glyphs: Glyphs) -> None:
        super().__init__()
        self.rows = rows
        self.text = Paragraph(glyphs)

    def compose(self) -> ComposeResult:
        self.text.styles.height = len(self.rows)
        scroll = VerticalScroll(self.text)
        scroll.border_title = "up and down scroll, Esc closes"
        yield scroll

    def on_mount(self) -> None:
        self.text.draw(self.rows)
        self.query_one(VerticalScroll).focus()
