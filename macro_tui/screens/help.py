"""The help screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from macro_tui.view.glyphs import Glyphs
from macro_tui.view.help import help_rows
from macro_tui.view.keys import Key
from macro_tui.widgets.paragraph import Paragraph


class HelpScreen(ModalScreen[None]):
    """Over the main screen, until any of its keys is pressed."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,question_mark", "dismiss", "close")]

    def __init__(self, glyphs: Glyphs, keys: Sequence[Key], strategies: Sequence[str]) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.rows = help_rows(glyphs, keys, strategies)

    def compose(self) -> ComposeResult:
        text = Paragraph(self.glyphs)
        text.styles.height = len(self.rows)
        scroll = VerticalScroll(text)
        scroll.border_title = "help: up and down scroll, Esc closes"
        yield scroll

    def on_mount(self) -> None:
        self.query_one(Paragraph).draw(self.rows)
        self.query_one(VerticalScroll).focus()
