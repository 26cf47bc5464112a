"""The contents of the wall: a line for each run, those that need attention first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from macro_engine.core.escape import visible
from macro_engine.core.format import count_text, elapsed_text
from macro_engine.run.view import RunLine
from macro_tui.view.cells import in_room, width_of
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.listing import visible_range
from macro_tui.view.rows import Row, Span

_STATES = {"running": "good", "quiet": "label", "finished": "muted", "stopped": "muted"}
_LEAST = 0.0005  # of a lead that is told from none
_WIDE = 150  # cells of a screen
_NEEDS_A_LOOK = 1  # urgency: alarms, trouble and failures, and what is silent
_WORDS = 32  # cells for why a run needs a look; columns make room for them
_OLD = 30 * 86_400.0  # seconds; a feed that far behind is a recording

_SECOND_UNIT = re.compile(r"(?<=[dhn]) \d+ (h|min|s)$")

Show = Callable[[RunLine, Glyphs], Span]


@dataclass(frozen=True)
class WallColumn:
    """A column of the wall, how wide the screen must be for it, and its width on a wide one."""

    heading: str
    show: Show
    width: int
    needs: int = 0
    wide: int | None = None


def wall_rows(
    lines: Sequence[RunLine], picked: int, width: int, height: int, glyphs: Glyphs
) -> list[Row]:
    """The heading, and a row for each run that there is room for."""
    columns = [column for column in _COLUMNS if width >= column.needs]
    if width >= _WIDE:
        columns = [replace(column, width=column.wide or column.width) for column in columns]
    heading = "".join(f"{column.heading:<{column.width}}" for column in columns)
    rows: list[Row] = [[("  ", "label"), (f"{heading}alarms", "muted")]]
    for i in rows_shown(lines, picked, height):
        mark = glyphs.viewed if i == picked else " "
        rows.append([(f"{mark} ", "threshold"), *_cells(lines[i], columns, width - 2, glyphs)])
    return rows


def rows_shown(lines: Sequence[RunLine], picked: int, height: int) -> range:
    """The places of the runs that there is room for, under the heading."""
    return visible_range(len(lines), height - 1, picked)


def wall_header(lines: Sequence[RunLine], text: str, readonly: bool, below: int = 0) -> Row:
    """How many runs there are, how many need a look, and how many are below the screen."""
    calling = sum(line.urgency <= _NEEDS_A_LOOK for line in lines)
    alive = sum(not line.snapshot.has_ended and not line.trouble for line in lines)
    runs = f" {count_text(len(lines), 'run')}, {alive} live "
    row: Row = [("macro-tui wall ", "strong"), (runs, "label")]
    if calling:
        row.append((f" {calling} need{'s' * (calling == 1)} a look ", "alarm"))
    if text:
        row.append((f" only '{visible(text, 30)}' ", "cursor"))
    if readonly:
        row.append((" read-only ", "muted"))
    if below > 0:
        row.append((f" {below:,} below ", "muted"))
    return row


def passing(lines: Sequence[RunLine], text: str) -> list[RunLine]:
    """The lines whose name, state or alarm has a text in it."""
    text = text.strip().lower()
    return [
        line
        for line in lines
        if text in " ".join((line.name, line.snapshot.state, line.trouble, *line.alarms)).lower()
    ]


def _cells(line: RunLine, columns: Sequence[WallColumn], width: int, glyphs: Glyphs) -> Row:
    """What a run is like, then why it needs a look, for which the last columns make room."""
    if line.trouble:
        return [_cell(line, columns[0], glyphs), (visible(line.trouble, 200), "bad")]
    why, role = _why(line)
    has_figures = line.snapshot.state != "starting"
    shown = list(columns if has_figures else columns[:2])
    while len(shown) > 2 and width - sum(c.width for c in shown) < min(width_of(why), _WORDS):
        shown.pop()
    row = [_cell(line, column, glyphs) for column in shown]
    return [*row, (why, role)] if why else row


def _why(line: RunLine) -> Span:
    """Its alarms, what it waits for before its first row, or why it failed."""
    if line.alarms:
        more = f" and {len(line.alarms) - 1} more" if len(line.alarms) > 1 else ""
        return f"ALARM {visible(line.alarms[0], 200)}{more}", "alarm"
    if line.snapshot.state == "starting":
        return visible(line.snapshot.words, 200), "muted"
    is_failed = line.snapshot.state == "failed"
    return (visible(line.snapshot.words, 400) if is_failed else ""), "bad"


def _cell(line: RunLine, column: WallColumn, glyphs: Glyphs) -> Span:
    text, role = column.show(line, glyphs)
    return f"{in_room(text, column.width - 1):<{column.width}}", role


def _name(line: RunLine, _glyphs: Glyphs) -> Span:
    return line.name, "strong"


def _state(line: RunLine, _glyphs: Glyphs) -> Span:
    snapshot = line.snapshot
    is_followed = snapshot.state == "running" and snapshot.came is not None
    words = "following" if is_followed else snapshot.state
    if snapshot.state == "running" and snapshot.warming:
        words = "warming up"
    if snapshot.state in ("gone", "waiting", "quiet"):
        words = snapshot.words.replace("writer gone for", "gone").removesuffix(", waiting")
        words = _SECOND_UNIT.sub("", words.replace("not written for", "stuck"))
    return visible(words, 40), _STATES.get(snapshot.state, "bad")


def _error(line: RunLine, _glyphs: Glyphs) -> Span:
    return _percent(line.snapshot.errors.get(line.snapshot.strategy)), "label"


def _baseline(line: RunLine, _glyphs: Glyphs) -> Span:
    return _percent(line.snapshot.errors.get("marginal")), "muted"


def _lead(line: RunLine, _glyphs: Glyphs) -> Span:
    return ("", "muted") if line.lead is None else (f"{100 * line.lead:+z.2f}", _role(line.lead))


def _lately(line: RunLine, glyphs: Glyphs) -> Span:
    """Bars around the middle of a cell: higher is better than the baseline."""
    last = len(glyphs.bars) - 1
    largest = max((abs(lead) for lead in line.lately), default=0.0)
    if largest <= _LEAST:
        return glyphs.bars[last // 2] * len(line.lately), "muted"
    levels = (1 + round((lead / largest + 1) / 2 * (last - 1)) for lead in line.lately)
    return "".join(glyphs.bars[level] for level in levels), _role(sum(line.lately))


def _rate(line: RunLine, _glyphs: Glyphs) -> Span:
    return ("", "muted") if line.snapshot.has_ended else (f"{line.snapshot.rate:,.0f}", "label")


def _lag(line: RunLine, _glyphs: Glyphs) -> Span:
    if line.lag is None:
        return "", "muted"
    if line.lag >= _OLD:
        return "old data", "muted"
    return " ".join(elapsed_text(line.lag).split()[:2]), "label"  # in its largest unit


def _active(line: RunLine, _glyphs: Glyphs) -> Span:
    return ("", "muted") if line.active is None else (f"#{line.active} at {line.member}", "label")


def _birth(line: RunLine, _glyphs: Glyphs) -> Span:
    return ("none lately" if line.born is None else f"{line.born:,} steps ago"), "muted"


_COLUMNS = (
    WallColumn("run", _name, 18, wide=20),
    WallColumn("state", _state, 13, wide=18),
    WallColumn("error", _error, 7),
    WallColumn("base", _baseline, 7, 90),
    WallColumn("lead", _lead, 7),
    WallColumn("lately", _lately, 17, 70),
    WallColumn("rows/s", _rate, 8, 80),
    WallColumn("lag", _lag, 9, 100),
    WallColumn("active", _active, 14, 110, wide=17),
    WallColumn("last birth", _birth, 17, 130, wide=20),
)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _role(lead: float) -> str:
    if abs(lead) <= _LEAST:
        return "label"
    return "good" if lead > 0 else "bad"
