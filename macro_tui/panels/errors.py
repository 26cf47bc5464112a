"""The chart panel: the lead, or error rates."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view.errors import about, curves_view, heading
from macro_tui.view.expanded import errors_by_window
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene
from macro_tui.widgets.curves import Curves
from macro_tui.widgets.lines import Lines


class ErrorsPanel(Panel):
    """The chart."""

    key = "errors"
    least_height = 10

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.curves = Curves(glyphs)

    def pictures(self) -> Iterator[Lines]:
        yield self.curves

    def update(self, scene: Scene) -> None:
        self.heading = heading(scene)
        self.show_title(about(scene))
        self.curves.draw(curves_view(scene))

    def more_rows(self, scene: Scene) -> list[Row]:
        return errors_by_window(scene)
