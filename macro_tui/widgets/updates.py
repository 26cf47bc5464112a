"""Sends only the refreshed part of the screen to the terminal.

Textual sends a refreshed region together with everything left of it in the same widget
(Textualize/textual#5625): one digit at the right edge of a chart costs the whole row.
"""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.control import Control
from textual._compositor import ChopsUpdate
from textual.app import App
from textual.screen import Screen


class SpansUpdate(ChopsUpdate):
    """A partial update that starts where the refreshed span starts."""

    def render_segments(self, console: Console) -> str:
        sent = []
        for y, first, end in self.spans:
            for (x, strip), strip_end in zip(self.chops[y].items(), self.chop_ends[y], strict=True):
                left, right = max(x, first), min(strip_end, end)
                if strip is not None and left < right:
                    sent.append(Control.move_to(left, y).segment.text)
                    sent.append(strip.crop(left - x, right - x).render(console))
        return "".join(sent)


class SpansApp(App[int]):
    """An app that sends spans instead of whole rows."""

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, ChopsUpdate):
            renderable = SpansUpdate(renderable.chops, renderable.spans, renderable.chop_ends)
        super()._display(screen, renderable)
