"""The end of a run in numbers and words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from macro_engine.core.format import threshold_text
from macro_engine.run.engine import Engine
from macro_engine.visible import visible

_MANY_REFERENCES = 1000
_NAMES = {"marginal": "marginal baseline", "no_change": "no-change", "ftl": "FTL", "ewa": "EWA"}


def print_summary(engine: Engine, console: Console) -> None:
    """The run in numbers and words, as far as it came."""

    def say(text: str) -> None:
        console.print(Text(text))

    course = engine.course
    board = course.scoreboard
    assert board is not None
    errors, settings = board.errors, engine.opened.settings
    baseline = errors["marginal"]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for heading in ("error", "against marginal", "subroutines"):
        table.add_column(heading, justify="right")
    for name in ("ftl", "ewa", "marginal", "no_change"):
        table.add_row(_NAMES[name], f"{errors[name]:.2%}", _lead(errors[name], baseline), "")
    for threshold, error, count in zip(
        board.thresholds, board.threshold_errors, board.subroutines, strict=True
    ):
        table.add_row(
            f"threshold {threshold_text(threshold)}",
            f"{error:.2%}",
            _lead(error, baseline),
            f"{count:,}",
        )
    names = ", ".join(map(visible, engine.opened.input_names))
    say(f"{names}: {board.rows:,} rows in {board.steps:,} steps, {len(engine.classes)} classes")
    say(
        f"distance {settings['distance']}, history {settings['history']}, subroutine "
        f"{visible(settings['subroutine'])}; {course.seconds:.1f} s on the {course.path} path"
    )
    say(
        f"{course.reference_count:,} distinct references; distances took about "
        f"{course.distance_share:.0%} of the time"
    )
    console.print(table)
    say(_verdict(errors[settings["strategy"]], baseline, _NAMES[settings["strategy"]]))
    _say_what_went_wrong(engine, say)


def _say_what_went_wrong(engine: Engine, say: Callable[[str], None]) -> None:
    course, rejections = engine.course, engine.rejections
    board = course.scoreboard
    assert board is not None
    if rejections.count:
        say(f"{rejections.count:,} rows rejected:")
        for (column, kind), count in rejections.reasons.most_common():
            where = f"column '{visible(column)}' " if column is not None else ""
            lines = [
                f"{r.line}"
                for r in rejections.first
                if (r.column, r.problem.kind) == (column, kind)
            ]
            unit = rejections.first[0].unit
            shown = ", ".join(lines[:5]) + (", ..." if count > 5 else "")
            at = f" ({unit} {shown})" if lines else ""
            say(f"  {count:,} x {where}{visible(kind, 200)}{at}")
    if engine.recording.late:
        say(f"{engine.recording.late:,} rows came late")
        if engine.recording.late > board.rows / 2:
            say("most rows came late: is the newest row at the top of the file?")
    for line in engine.recording.encoder.what_was_cut_off():
        say(line)
    if np.count_nonzero(board.labels) == 1:
        only = engine.classes[int(board.labels.argmax())]
        say(f"every row has the label '{visible(only)}': there was nothing to tell apart")
    if course.reference_count >= _MANY_REFERENCES and course.distance_share > 0.5:
        say(
            "with so many references a step takes time in proportion to their number: larger "
            "--thresholds, a longer --history or --max-subroutines keep it down"
        )
    if course.unanswered:
        say(
            f"{course.unanswered:,} predictions were missing: the model had no answer and the "
            "first class stood in"
        )


def _lead(error: float, baseline: float) -> str:
    points = 100 * (error - baseline)
    if baseline == 0:
        return f"{points:+.2f} points"
    return f"{points:+.2f} points ({error / baseline - 1:+.1%})"


def _verdict(error: float, baseline: float, name: str) -> str:
    points = 100 * (baseline - error)
    if points > 0:
        return f"{name} makes {points:.2f} points fewer errors than the marginal baseline."
    if points < 0:
        return f"{name} makes {-points:.2f} points more errors than the marginal baseline."
    return f"{name} makes as many errors as the marginal baseline."
