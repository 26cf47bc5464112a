"""The screen of the stream's settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from macro_tui.view.glyphs import Glyphs
from macro_tui.view.rows import Row
from macro_tui.widgets.paragraph import Paragraph


class StreamScreen(ModalScreen[None]):
    """Over the main screen, until it is closed."""

    CSS_PATH = "stream.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,d", "dismiss", "close")]

    def __init__(self, glyphs: Glyphs, rows: Sequence[Row]) -> None:
        super().__init__()
        self.rows = list(rows)
        self.text = Paragraph(glyphs)

    def compose(self) -> ComposeResult:
        self.text.styles.height = len(self.rows)
        scroll = VerticalScroll(self.text)
        scroll.border_title = "stream: up and down scroll, Esc closes"
        yield scroll

    def on_mount(self) -> None:
        self.text.draw(self.rows)
        self.query_one(VerticalScroll).focus()
