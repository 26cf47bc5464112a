"""The metrics screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from macro_tui.view.glyphs import Glyphs
from macro_tui.view.rows import Row
from macro_tui.widgets.paragraph import Paragraph

_SECONDS = 1.0  # between two looks at the run


class MetricsScreen(ModalScreen[None]):
    """Over the main screen, until it is closed; it follows the run."""

    CSS_PATH = "metrics.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,y", "dismiss", "close")]

    def __init__(self, glyphs: Glyphs, rows: Callable[[], Sequence[Row]]) -> None:
        super().__init__()
        self.rows = rows
        self.text = Paragraph(glyphs)

    def compose(self) -> ComposeResult:
        scroll = VerticalScroll(self.text)
        scroll.border_title = "metrics: up and down scroll, Esc closes"
        yield scroll

    def on_mount(self) -> None:
        self.draw()
        self.set_interval(_SECONDS, self.draw)
        self.query_one(VerticalScroll).focus()

    def draw(self) -> None:
        """Show the present values."""
        rows = list(self.rows())
        self.text.styles.height = len(rows)
        self.text.draw(rows)
