"""The contents of the help: keys, and the meaning of signs."""

from __future__ import annotations

from collections.abc import Sequence

from macro_tui.view.glyphs import Glyphs
from macro_tui.view.keys import GROUPS, Key
from macro_tui.view.rows import Row

_LEGEND = (
    "An error rate is the share of rows predicted wrong: lower is better.",
    "A subroutine is a small model that learns only at moments that look alike.",
    "The nearest one within the threshold predicts; if there is none, a new one",
    "starts as a copy of the nearest. The baseline is one model that learns",
    "everything. A strategy combines the predictions of all thresholds.",
)
_OF_STRATEGIES = {
    "ftl": (
        "FTL follows the threshold with the least mean error of steps so far,",
        "however many rows each has.",
    ),
    "ewa": ("EWA lets all thresholds vote by weight.",),
}


def help_rows(glyphs: Glyphs, keys: Sequence[Key], strategies: Sequence[str] = ()) -> list[Row]:
    """The help for a run with some strategies."""
    of_strategies = [line for name in strategies for line in _OF_STRATEGIES.get(name, ())]
    marks = (
        f"{glyphs.one_birth} birth, {glyphs.births} several  {glyphs.leader} leader, newest step  "
        f"{glyphs.view} moment in view  {glyphs.viewed} picked"
    )
    rows: list[Row] = [[(line, "label")] for line in (*_LEGEND, *of_strategies, marks)]
    for group in GROUPS:
        rows += [[], [(group, "strong")]]
        rows += [
            [(f"  {key.shown:<12}", "threshold"), (key.help, "label")]
            for key in keys
            if key.group == group
        ]
    return rows
