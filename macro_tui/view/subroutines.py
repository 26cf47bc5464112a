"""The contents of the subroutines panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from macro_tui.view.bars import sparks
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.listing import visible_range
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene

_TABLE = 71  # cells that the numbers take
_HEADING = (
    f"   {'':>5} {'born':>9} {'uses':>8} {'share':>6} {'error':>7} {'to base':>8} {'of lead':>7} "
    f"{'last used':>10}"
)
_POINTS = 59  # where the column of points ends
_SUMMED = 4  # lines of the table from which on it has a sum
_SUM = "points of the whole lead"


@dataclass(frozen=True)
class Line:
    """One subroutine; errors in %, None where it has predicted nothing.

    `points` are those of the lead over the baseline that its steps earned.
    """

    number: int
    born: int | None  # None for a step that was dropped
    parent: int
    uses: int
    share: float
    error: float | None
    baseline: float | None
    last_used: int
    points: float


def lines(scene: Scene) -> list[Line]:
    """All that were born until the moment in view, in the order asked for."""
    k = scene.member
    usage = scene.usage
    points = usage.points(scene.macro)
    found = []
    for number, birth in enumerate(scene.history.births[k][: len(usage.uses) - 1], 1):
        rows, uses = int(usage.rows[number]), int(usage.uses[number])
        error = 100 * int(usage.wrong[number]) / rows if rows else None
        baseline = 100 * int(usage.marginal_wrong[number]) / rows if rows else None
        last = int(usage.last_used[number])
        share = uses / max(scene.moment - usage.begin, 1)
        earned = float(points[number])
        found.append(
            Line(number, birth.step, birth.parent, uses, share, error, baseline, last, earned)
        )
    return sorted(found, key=_ORDERS[scene.view.order])


_ORDERS = {
    "points of the lead": lambda line: -line.points,
    "use": lambda line: -line.uses,
    "error": lambda line: -1.0 if line.error is None else -line.error,
    "birth": lambda line: line.number,
    "last use": lambda line: -line.last_used,
}


def use_strips(scene: Scene, numbers: Sequence[int], columns: int) -> NDArray[np.float64]:
    """Subroutines by columns: in what share of a column's steps each was active."""
    edges = scene.page_of_activity(columns).edges
    return scene.history.active_shares(scene.member, numbers, edges, scene.steps)


def number_at(scene: Scene, y: int, height: int) -> int | None:
    """The subroutine in a line of the table."""
    every = lines(scene)
    shown = _shown(scene, every, height)
    return every[shown[y - 1]].number if 0 < y <= len(shown) else None


def picked_number(scene: Scene) -> int:
    every = lines(scene)
    return every[_picked(scene, every)].number


def _shown(scene: Scene, every: Sequence[Line], height: int) -> range:
    """The places that there is room for, below the heading and above the sum."""
    return visible_range(len(every), height - 1 - (height >= _SUMMED), _picked(scene, every))


def _picked(scene: Scene, every: Sequence[Line]) -> int:
    numbers = [line.number for line in every]
    return numbers.index(scene.view.subroutine) if scene.view.subroutine in numbers else 0


def table_rows(scene: Scene, width: int, height: int, glyphs: Glyphs) -> list[Row]:
    every = lines(scene)
    picked = _picked(scene, every)
    columns = width - _TABLE - 1
    shown = _shown(scene, every, height)
    strips = None
    heading = _HEADING
    if columns >= 10:
        strips = use_strips(scene, [every[i].number for i in shown], columns)
        heading += "  when it was used"
    active = int(scene.step.active[scene.member])
    rows: list[Row] = [[(heading, "muted")]]
    for place, i in enumerate(shown):
        row = _row(every[i], scene.moment, active, glyphs, glyphs.viewed if i == picked else " ")
        if strips is not None:
            row.append((f" {sparks(strips[place], glyphs)}", "label"))
        rows.append(row)
    if height >= _SUMMED:
        total = sum(line.points for line in every)
        hidden = len(every) - len(shown)
        more = f" {glyphs.more} {hidden:,} more" if hidden else ""
        words = f"{_SUM:>{_POINTS - 32}} {total:>+z7.2f}"
        rows.append([(f"{more:<24}", "muted"), (words, "strong")])
    return rows


def _row(line: Line, moment: int, active: int, glyphs: Glyphs, mark: str) -> Row:
    is_active = line.number == active
    ago = moment - 1 - line.last_used
    last = "now" if not ago else f"{ago:,} ago"
    born = "dropped" if line.born is None else f"{line.born:,}"
    numbers = f" {born:>9} {line.uses:>8,} {line.share:>6.1%}"
    row: Row = [
        (mark, "threshold"),
        (glyphs.head if is_active else " ", "chosen"),
        (f"{'#' + str(line.number):>6}", "chosen" if is_active else "strong"),
        (numbers, "label"),
    ]
    if line.error is None or line.baseline is None:
        return [*row, (f" {'-':>7} {'-':>8} {'-':>7} {'-':>10} ", "muted")]
    lead = line.error - line.baseline
    return [
        *row,
        (f" {line.error:>6.1f}%", "label"),
        (f" {lead:>+z8.1f}", _role(-lead, 1)),
        (f" {line.points:>+z7.2f}", _role(line.points, 2)),
        (f" {last:>10} ", "muted"),
    ]


def _role(gain: float, decimals: int) -> str:
    """Of a gain that is written with so many decimals."""
    shown = round(gain, decimals)
    return "good" if shown > 0 else "bad" if shown < 0 else "muted"


def about(scene: Scene) -> str:
    value = scene.history.members[scene.member]
    count = int(scene.point.subroutines[scene.member, 0])
    return f"{count:,} at {value}, by {scene.view.order}; Enter opens one"
