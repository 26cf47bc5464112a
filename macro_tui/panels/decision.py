"""The decision panel: the active subroutine, and why it was chosen."""

from __future__ import annotations

from collections.abc import Iterator

from macro_tui.panels.panel import Panel
from macro_tui.view.decision import about, facts, nearest_view
from macro_tui.view.expanded import choices_of_members
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene
from macro_tui.view.status_lines import open_step
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.nearest import Nearest
from macro_tui.widgets.paragraph import Paragraph


class DecisionPanel(Panel):
    """Words at the left, distances at the right; above them the open step of a live feed."""

    key = "decision"
    heading = "MACRO: active subroutine, and why"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.open_step = Paragraph(glyphs, classes="open")
        self.facts = Paragraph(glyphs, classes="facts")
        self.nearest = Nearest(glyphs, classes="nearest")

    def pictures(self) -> Iterator[Lines]:
        yield self.open_step
        yield self.facts
        yield self.nearest

    def update(self, scene: Scene) -> None:
        self.show_title(about(scene))
        snapshot = scene.snapshot
        is_live = snapshot.came is not None and not snapshot.has_ended
        self.set_class(is_live, "live")
        if is_live:
            self.open_step.draw([open_step(snapshot, self.size.width)])
        self.facts.draw(facts(scene, self.facts.content_size.width))
        self.nearest.draw(nearest_view(scene))

    def more_rows(self, scene: Scene) -> list[Row]:
        return choices_of_members(scene)
