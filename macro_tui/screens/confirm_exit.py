"""The question before leaving a live feed."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.widgets import Static


class ConfirmExit(ModalScreen[bool]):
    """Asks once; the same key again is an answer.

    Parameters
    ----------
    what_is_left
        What becomes of the run, as the end of a sentence.
    """

    CSS_PATH = "confirm_exit.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("q,enter", "dismiss(True)", "leave"),
        ("escape", "dismiss(False)", "stay"),
    ]

    def __init__(self, what_is_left: str) -> None:
        super().__init__()
        self.what_is_left = what_is_left

    def compose(self) -> ComposeResult:
        yield Static(
            f"Leaving ends this run; {self.what_is_left}.\nq again or Enter leaves, Esc stays",
            markup=False,
        )
