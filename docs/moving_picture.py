"""Makes docs/monitor.svg: the first minute and a half of `macro-tui demo` as a moving picture.

    python docs/moving_picture.py docs/monitor.svg

It plays the demo in a screen of its own, looks at it every three seconds, and joins what it saw
into one animated SVG. A line of the screen that stays the same for several frames is drawn once.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from itertools import groupby
from pathlib import Path

from rich.segment import Segment

from macro_engine.run.alarms.rules import parse
from macro_tui.app import Monitor, Options
from macro_tui.cli.demo import AIRPORT, SILENCE_ALARM, TITLE, open_feed, options_for_demo
from macro_tui.demo.background import feeds

WIDTH, HEIGHT = 100, 30
FRAMES, SECONDS = 28, 3.0  # looks, and how far apart they are
SHOWN = 1.2  # seconds that a frame is shown
THEME = "textual-dark"
_CELL, _LINE, _SIZE, _EDGE = 8.4, 18, 14, 10  # pixels
_BACK, _FRONT = "#121212", "#e0e0e0"


@dataclass(frozen=True)
class Piece:
    """A piece of a line in one style."""

    column: int
    text: str
    front: str
    back: str
    style: str


Line = tuple[Piece, ...]


async def look(app: Monitor) -> list[list[Line]]:
    """The lines of the screen, frame by frame."""
    frames = []
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        for _ in range(FRAMES):
            await asyncio.sleep(SECONDS)
            await pilot.pause()
            strips = app.screen._compositor.render_strips()
            frames.append([line_of(list(strip)) for strip in strips])
    return frames


def line_of(segments: Sequence[Segment]) -> Line:
    """The pieces of a line; blanks without a background of their own are left out."""
    pieces, column = [], 0
    for segment in segments:
        style = segment.style
        front, back, words = _FRONT, _BACK, ""
        if style is not None:
            front = _hex(style.color, _FRONT)
            back = _hex(style.bgcolor, _BACK)
            front, back = (back, front) if style.reverse else (front, back)
            words = "b" * bool(style.bold) + "d" * bool(style.dim)
        pieces.append(Piece(column, segment.text, front, back, words))
        column += segment.cell_length
    return tuple(_joined(pieces))


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last is not None and replace(last, column=0, text="") == replace(
            piece, column=0, text=""
        ):
            found[-1] = replace(last, text=last.text + piece.text)
        else:
            found.append(piece)
    return [piece for piece in found if piece.text.strip() or piece.back != _BACK]


def _hex(colour: object, default: str) -> str:
    if colour is None or getattr(colour, "is_default", True):
        return default
    red, green, blue = colour.get_truecolor()  # type: ignore[attr-defined]
    return f"#{red:02x}{green:02x}{blue:02x}"


def animated(frames: Sequence[Sequence[Line]]) -> str:
    """One SVG of all frames, shown one after the other."""
    width, height = WIDTH * _CELL + 2 * _EDGE, HEIGHT * _LINE + 2 * _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'font-family="Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="{_SIZE}">',
        "<title>macro-tui demo: a stormy week at Chicago O'Hare</title>",
        "<style>text{white-space:pre}.b{font-weight:bold}.d{opacity:.6}</style>",
        f'<rect width="100%" height="100%" rx="6" fill="{_BACK}"/>',
    ]
    for row in range(HEIGHT):
        lines = [frame[row] if row < len(frame) else () for frame in frames]
        first = 0
        for line, same in groupby(lines):
            last = first + len(list(same))
            if line:
                group = "<g>" if last == len(frames) else '<g display="none">'
                parts += [group, _shown(first, last, len(frames)), *_drawn(line, row), "</g>"]
            first = last
    return "\n".join([*parts, "</svg>", ""])


def _shown(first: int, last: int, frames: int) -> str:
    """Shows a group in some frames only; where nothing is animated the last frame is seen."""
    if (first, last) == (0, frames):
        return ""
    begin, end = first / frames, last / frames
    moments = [(0.0, "none"), (begin, "inline"), (end, "none")]
    kept = [pair for pair in moments if pair[0] < 1.0 and not (pair[0] == 0.0 and begin == 0.0)]
    kept = kept if begin else [(0.0, "inline"), *kept]
    times = ";".join(f"{moment:.4g}" for moment, _ in kept)
    values = ";".join(value for _, value in kept)
    return (
        f'<animate attributeName="display" calcMode="discrete" dur="{frames * SHOWN:.0f}s" '
        f'repeatCount="indefinite" keyTimes="{times}" values="{values}"/>'
    )


def _drawn(line: Line, row: int) -> list[str]:
    top = _EDGE + row * _LINE
    found = []
    for piece in line:
        left, wide = _EDGE + piece.column * _CELL, len(piece.text) * _CELL
        if piece.back != _BACK:
            found.append(
                f'<rect x="{left:.1f}" y="{top}" width="{wide:.1f}" height="{_LINE}" '
                f'fill="{piece.back}"/>'
            )
        if piece.text.strip():
            words = f' class="{" ".join(piece.style)}"' if piece.style else ""
            found.append(
                f'<text x="{left:.1f}" y="{top + 14}" textLength="{wide:.1f}" '
                f'fill="{piece.front}"{words}>{escape(piece.text)}</text>'
            )
    return found


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with feeds((AIRPORT,), with_runs=False) as background:
        options = Options(TITLE, theme=THEME, alarms=(parse(SILENCE_ALARM),))
        app = Monitor(partial(open_feed, background), options_for_demo(options))
        frames = asyncio.run(look(app))
        if app.session is not None:
            app.session.stop(5.0)
            app.session.close()
    Path(sys.argv[1]).write_text(animated(frames))


if __name__ == "__main__":
    main()
