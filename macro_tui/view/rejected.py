"""The contents of the rejected panel: reasons, counts, examples and cures."""

from __future__ import annotations

from macro_engine.core.escape import visible
from macro_engine.core.format import count_text
from macro_engine.run.view import RejectedReason
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.listing import visible_range
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene

_LINES = 3  # of a reason: why, where, what to do
_MANY = 0.01  # a share of rows that is loud


def picked_reason(scene: Scene) -> int:
    """The place of the picked reason."""
    return min(max(scene.view.reason, 0), max(len(scene.rejected) - 1, 0))


def reasons_shown(scene: Scene, height: int) -> range:
    """The reasons that there is room for, around the picked one."""
    return visible_range(len(scene.rejected), max((height - 1) // _LINES, 1), picked_reason(scene))


def reason_at(scene: Scene, y: int, height: int) -> int | None:
    """Returns the index of the reason in a line."""
    shown = reasons_shown(scene, height)
    place = (y - 1) // _LINES
    return shown[place] if y and place < len(shown) else None


def rejected_rows(scene: Scene, height: int, glyphs: Glyphs) -> list[Row]:
    """Three lines for a reason; the picked one has more examples where there is room."""
    count = scene.snapshot.rejected
    if not count:
        return [[("no row was rejected", "good")]]
    every = scene.snapshot.rows + scene.snapshot.open_rows + count
    share = count / every
    role = "bad" if share > _MANY else "label"
    part = f"{share:.1%}" if share >= 0.0005 else "<0.1%"
    words = f"{count:,} of {count_text(every, 'row')} ({part}) are not part of the run"
    rows: list[Row] = [[(words.replace("%", " %"), role)]]
    picked, shown = picked_reason(scene), reasons_shown(scene, height)
    spare = max(height - 1 - _LINES * len(shown), 0)
    for place in shown:
        is_picked = place == picked
        rows += _reason(scene.rejected[place], glyphs, is_picked, spare if is_picked else 0)
    if not scene.rejected:
        rows.append([("their reasons are not recorded in this run file", "muted")])
    return rows


def _reason(reason: RejectedReason, glyphs: Glyphs, is_picked: bool, more: int) -> list[Row]:
    column = "" if reason.column is None else f"'{visible(reason.column, 24)}' "
    why = visible(reason.kind.partition(";")[0], 200)  # behind it stands what the cure says
    rows: list[Row] = [
        [
            (glyphs.viewed if is_picked else " ", "threshold"),
            (f"{reason.count:>9,} ", "bad"),
            (f"{column}{why}", "strong"),
        ]
    ]
    examples = reason.examples[: 1 + more]
    for i, found in enumerate(examples):
        value = "" if found.problem.value is None else f": '{visible(found.problem.value, 60)}'"
        column = "" if found.column is None else f", column '{visible(found.column, 24)}'"
        where = f"{visible(found.file, 60)}, {found.unit} {found.line:,}{column}{value}"
        rows.append([(f"{'for example' if not i else '':>14} ", "muted"), (where, "label")])
    if not examples:
        rows.append([(f"{'':>14} ", "muted"), ("no example of it is recorded", "muted")])
    return [*rows, [(f"{'cure':>14} ", "muted"), (reason.cure, "good")]]


def about(scene: Scene) -> str:
    reasons = count_text(len(scene.rejected), "reason")
    return f"{scene.snapshot.rejected:,}, {reasons}" if scene.snapshot.rejected else "none"
