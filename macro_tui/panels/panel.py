"""A titled part of the screen that can be focused and expanded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.containers import Container

from macro_tui.view.cells import width_of
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.layout import PANELS
from macro_tui.view.rows import Row, Span, fitting, row_width
from macro_tui.view.scene import Scene
from macro_tui.widgets.lines import Lines
from macro_tui.widgets.paragraph import Paragraph


def clauses(text: str, width: int) -> str:
    """As many clauses from the first on as there is room for.

    >>> clauses("last 512 steps, ~3,000 rows", 20), clauses("since the start", 9)
    ('last 512 steps', '')
    """
    while text and width_of(text) > width:
        text = text[: max(text.rfind(", "), text.rfind("; "), 0)]
    return text


class Panel(Container, can_focus=True):
    """A title that is a line across, and pictures below it.

    Each kind has a `key` among `layout.PANELS` and a `heading`.
    """

    DEFAULT_CSS = """
    Panel { position: absolute; overflow: hidden; }
    Panel > Lines { height: 1fr; }
    Panel > .title { height: 1; }
    Panel > .more { display: none; }
    Panel.expanded > .more { display: block; }
    """
    key = ""
    heading = ""
    least_height = 9  # lines that are not given to what there is more

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id=self.key)
        self.glyphs = glyphs
        self.title = Paragraph(glyphs, classes="title")
        self.more = Paragraph(glyphs, classes="more")
        self.about: tuple[str, Sequence[Span]] | None = None
        self.titled: object = None  # what the title was made of

    def compose(self) -> Iterator[Lines]:
        yield self.title
        yield from self.pictures()
        yield self.more

    def pictures(self) -> Iterator[Lines]:
        """Returns the pictures below the title."""
        raise NotImplementedError

    def update(self, scene: Scene) -> None:
        """Draw the scene."""
        raise NotImplementedError

    def draw(self, scene: Scene) -> None:
        """Draws the scene; on the whole screen what there is more of it, below."""
        rows = self.more_rows(scene) if scene.view.expanded == self.key else []
        room = max(self.size.height - self.least_height, 0)
        self.set_class(0 < len(rows) <= room, "expanded")
        if self.has_class("expanded"):
            self.more.styles.height = len(rows)
            self.more.draw(rows)
        self.update(scene)

    def more_rows(self, scene: Scene) -> list[Row]:
        """What a panel on the whole screen shows below its pictures."""
        del scene
        return []

    def show_title(self, about: str, legend: Sequence[Span] = ()) -> None:
        """The heading, what it is about, and what signs in the pictures stand for."""
        self.about = about, legend
        wanted = self.heading, about, list(legend), self.size.width, self.has_focus
        if wanted == self.titled:
            return
        self.titled = wanted
        number = next(number for number, key in PANELS.items() if key == self.key)
        width, line = self.size.width, self.glyphs.horizontal
        name = f"[{number}] {self.heading} "
        role = "cursor" if self.has_focus else "strong"
        row: Row = [(line, "axis"), (name, role)]
        room = width - width_of(name) - 2
        if said := clauses(about, room):
            row.append((f" {said} " if width_of(said) + 2 <= room else f" {said}", "muted"))
        end = [(" ", "axis")] if legend else []
        row = fitting([*row, *legend, *end], width, least=len(row))
        used = row_width(row)
        self.title.draw([[*row, (line * (width - used), "axis")]])

    def on_focus(self) -> None:
        self._show_title_again()

    def on_blur(self) -> None:
        self._show_title_again()

    def _show_title_again(self) -> None:
        if self.about is not None:  # before the first step there is none
            self.show_title(*self.about)
