"""The wall screen: a line for each run; Enter opens the monitor on one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from macro_engine.run.view import RunLine
from macro_engine.run.wall import Wall
from macro_tui.app import Options
from macro_tui.driver import terminal_is_gone
from macro_tui.screens.prompt import Prompt
from macro_tui.view.glyphs import ASCII, UNICODE
from macro_tui.view.rows import Row
from macro_tui.view.wall import passing, rows_shown, wall_header
from macro_tui.wall_app import WallMonitor
from macro_tui.widgets.paragraph import Paragraph
from macro_tui.widgets.wall import WallLines

_FOOTER = "Enter opens  Esc comes back  up/down  / filter  a acknowledge  q leave"
_SLOWEST = 0.5  # seconds between two frames


class WallScreen(Screen[None]):
    """Draws the lines of a wall."""

    CSS_PATH = "wall.tcss"
    app: WallMonitor
    BINDINGS: ClassVar[list[BindingType]] = [
        ("up", "pick(-1)", "the run above"),
        ("down", "pick(1)", "the run below"),
        ("pageup", "pick(-10)", "ten up"),
        ("pagedown", "pick(10)", "ten down"),
        ("home", "pick(-100000)", "the first"),
        ("end", "pick(100000)", "the last"),
        ("enter", "open", "open the run"),
        ("slash", "filter", "filter"),
        ("escape", "clear", "show all"),
        ("a", "acknowledge", "acknowledge"),
        ("q", "leave", "leave"),
    ]

    def __init__(self, wall: Wall, options: Options) -> None:
        super().__init__()
        self.wall = wall
        self.options = options
        self.glyphs = ASCII if options.ascii else UNICODE
        self.picked: Path | None = None
        self.filter = ""
        self.calling: set[Path] | None = None  # runs with alarms, when they were last looked at
        self.drawn: object = None

    def compose(self) -> ComposeResult:
        yield Paragraph(self.glyphs, id="header")
        yield WallLines(self.glyphs, id="lines")
        yield Paragraph(self.glyphs, id="footer")

    def on_mount(self) -> None:
        self.set_interval(max(self.options.period, _SLOWEST), self.tick)
        self.tick()

    @property
    def lines(self) -> list[RunLine]:
        """Those that pass the filter."""
        return passing(self.wall.lines, self.filter)

    def tick(self) -> None:
        """Draws, if anything is different."""
        if terminal_is_gone():
            self.app.interrupt()
        if self.wall.error is not None:
            self.app.fail(self.wall.error)
            return
        self._ring()
        height = self.query_one(WallLines).size.height
        state = self.wall.lines, self.picked, self.filter, self.app.trouble, height
        if state != self.drawn:
            self.drawn = state
            self.draw()

    def draw(self) -> None:
        lines = self.lines
        with self.app.batch_update():
            height = self.query_one(WallLines).size.height  # 0 before it has its place
            below = len(lines) - rows_shown(lines, self._place(lines), height).stop if height else 0
            header = wall_header(lines, self.filter, self.options.readonly, below)
            self.query_one("#header", Paragraph).draw([header])
            none = "no run matches" if self.filter else "no run files yet"
            self.query_one(WallLines).draw((lines, self._place(lines), none))
            trouble = self.app.trouble
            footer: Row = [(trouble, "bad")] if trouble else [(_FOOTER, "muted")]
            self.query_one("#footer", Paragraph).draw([footer])

    def action_pick(self, by: int) -> None:
        if lines := self.lines:
            place = min(max(self._place(lines) + by, 0), len(lines) - 1)
            self.picked = lines[place].path
            self.tick()

    def action_open(self) -> None:
        if lines := self.lines:
            line = lines[self._place(lines)]
            self.picked = line.path
            self.app.open_run(line.path, replace(self.options, name=line.name))

    def action_filter(self) -> None:
        def choose(text: str | None) -> None:
            if text is not None:
                self.filter = text
                self.tick()

        question = "runs with a text in name, state or alarm"
        self.app.push_screen(Prompt(question, self.filter), choose)

    def action_clear(self) -> None:
        """Shows all runs; where it does, goes to what needs a look first."""
        if not self.filter:
            self.picked = None
        self.filter = ""
        self.tick()

    def action_acknowledge(self) -> None:
        if lines := self.lines:
            self.wall.acknowledge(lines[self._place(lines)].path)

    def action_leave(self) -> None:
        self.app.exit(0)

    def _place(self, lines: list[RunLine]) -> int:
        return next((i for i, line in enumerate(lines) if line.path == self.picked), 0)

    def _ring(self) -> None:
        """Rings the bell for a run that began to call."""
        calling = {line.path for line in self.wall.lines if line.alarms}
        if self.calling is not None and calling - self.calling:
            self.app.bell()
        self.calling = calling if self.wall.lines else None
