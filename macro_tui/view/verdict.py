"""The verdict: MACRO against the baseline, and whatever else is computed beside it."""

from __future__ import annotations

from macro_tui.view.comparison import lead_text, plain_lead_text, series_title, short_lead_text
from macro_tui.view.curves import role_of
from macro_tui.view.metric_verdict import metric_verdict
from macro_tui.view.rows import Row, fitting
from macro_tui.view.scene import Scene
from macro_tui.view.shown import pull_of_macro

_OF_MACRO = ("ftl", "ewa")  # strategies that choose among MACRO's thresholds


def verdict(scene: Scene, width: int) -> Row:
    """MACRO against the baseline over the whole run, what stands beside it, and lately.

    It is cut to the width: first the opening has fewer words, then clauses are left out.
    """
    if scene.metric.name != "error":
        return metric_verdict(scene, width)
    history, name = scene.history, scene.macro
    own, baseline = history.place(name), history.place("marginal")
    so_far, recent = scene.errors, scene.recent_errors
    others = [other for other in history.strategies if other != name]
    beside = [_clause(scene, other) for other in others if other not in _OF_MACRO]
    title = f"MACRO: {series_title(name)}" if beside and name in _OF_MACRO else series_title(name)
    is_good, was_good = so_far[own] <= so_far[baseline], recent[own] <= recent[baseline]
    for words in (lead_text, plain_lead_text):
        lead = words(so_far[own], so_far[baseline])
        row: Row = [
            (f"{title} {so_far[own]:.1f}%", role_of(name)),
            (f" {lead}", "good" if is_good else "bad"),
            *beside,
        ]
        if sum(len(text) for text, _ in row) <= width:
            break
    of_late = short_lead_text(recent[own], recent[baseline])
    row.append((f"; lately {of_late}", "good" if was_good else "bad"))
    row += [_clause(scene, other) for other in others if other in _OF_MACRO]
    row.append((f"; baseline {so_far[baseline]:.1f}%", "marginal"))
    return fitting(row, width, least=2)


def _clause(scene: Scene, strategy: str) -> tuple[str, str]:
    """The error of a strategy, and MACRO's part in what pulls it, where it says so."""
    error = scene.errors[scene.history.place(strategy)]
    share = pull_of_macro(scene, strategy)
    pulls = "" if share is None else f", MACRO pulls {share:.0%} of it"
    return f"; {series_title(strategy)} {error:.1f}%{pulls}", role_of(strategy)
