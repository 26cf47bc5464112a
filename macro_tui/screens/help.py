"""The keys, and what the pictures mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from macro_tui.view.canvas import Row
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.keys import GROUPS, Key
from macro_tui.widgets.paragraph import Paragraph

_LEGEND = (
    "An error rate is the share of rows predicted wrong: lower is better.",
    "A subroutine is a small model that learns only at moments that look alike.",
    "The nearest one within the threshold predicts; where there is none, a new",
    "one is born as a copy of the nearest. The baseline is one model that",
    "learns everything. FTL follows the threshold that was best so far, each",
    "step counting alike, however many rows; EWA lets all vote by weight.",
)


def help_rows(glyphs: Glyphs, keys: Sequence[Key]) -> list[Row]:
    marks = (
        f"{glyphs.one_birth} birth, {glyphs.births} several  {glyphs.leader} leader, newest step  "
        f"{glyphs.view} moment in view  {glyphs.viewed} picked"
    )
    rows: list[Row] = [[(line, "label")] for line in (*_LEGEND, marks)]
    for group in GROUPS:
        rows += [[], [(group, "strong")]]
        rows += [
            [(f"  {key.shown:<12}", "threshold"), (key.help, "label")]
            for key in keys
            if key.group == group
        ]
    return rows


class HelpScreen(ModalScreen[None]):
    """Over the main screen, until any of its keys is pressed."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,question_mark", "dismiss", "close")]

    def __init__(self, glyphs: Glyphs, keys: Sequence[Key]) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.rows = help_rows(glyphs, keys)

    def compose(self) -> ComposeResult:
        text = Paragraph(self.glyphs)
        text.styles.height = len(self.rows)
        scroll = VerticalScroll(text)
        scroll.border_title = "help: up and down scroll, Esc closes"
        yield scroll

    def on_mount(self) -> None:
        self.query_one(Paragraph).draw(self.rows)
        self.query_one(VerticalScroll).focus()
