"""A widget that renders a view again when the view or its size changes."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.message import Message

from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.rows import Row
from macro_tui.widgets.lines import Lines

View = TypeVar("View")


class Drawing(Lines, Generic[View]):
    """Lines that come from a frozen view."""

    class Resized(Message):
        """The widget has another size: its view may need other columns."""

    def __init__(
        self, glyphs: Glyphs = UNICODE, *, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.glyphs = glyphs
        self.view: View | None = None

    def draw(self, view: View) -> None:
        self.view = view
        self.show(self.picture(view, *self.content_size))

    def on_resize(self) -> None:
        if self.view is not None:
            self.draw(self.view)
        self.post_message(self.Resized())

    def picture(self, view: View, width: int, height: int) -> list[Row]:
        """The view as rows."""
        raise NotImplementedError
