"""The screen of one event with its whole text."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from macro_engine.run.view import Event
from macro_tui.view.events import whole_event
from macro_tui.view.glyphs import Glyphs
from macro_tui.widgets.paragraph import Paragraph


class EventScreen(ModalScreen[None]):
    """Over the main screen, which looks at the event's moment, until it is closed."""

    CSS_PATH = "event.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,enter", "dismiss", "close")]

    def __init__(self, glyphs: Glyphs, event: Event) -> None:
        super().__init__()
        self.rows = whole_event(event)
        self.text = Paragraph(glyphs)

    def compose(self) -> ComposeResult:
        self.text.styles.height = len(self.rows)
        scroll = VerticalScroll(self.text)
        scroll.border_title = "the event: up and down scroll, Esc closes"
        yield scroll

    def on_mount(self) -> None:
        self.text.draw(self.rows)
        self.query_one(VerticalScroll).focus()
