"""A text prompt at the bottom of the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static


class Prompt(ModalScreen[str | None]):
    """Gives the text that was entered, or None.

    Parameters
    ----------
    check
        Raises ValueError with a sentence for a text that cannot be taken.
    """

    CSS_PATH = "prompt.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "give up")]

    def __init__(
        self, question: str, value: str = "", check: Callable[[str], object] = lambda _text: None
    ) -> None:
        super().__init__()
        self.question = question
        self.value = value
        self.check = check

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self.question, markup=False)
            yield Input(self.value, placeholder="Enter accepts, Esc cancels")

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        try:
            self.check(event.value)
        except ValueError as error:
            self.query_one(Static).update(str(error))
        else:
            self.dismiss(event.value)
