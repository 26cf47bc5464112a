"""The verdict by a metric other than the error."""

from __future__ import annotations

import numpy as np

from macro_engine.core.format import series_title
from macro_engine.run.view import PAPER
from macro_tui.view.curves import role_of
from macro_tui.view.metric_tables import UNDEFINED, lead_in_words, metric_text, metric_title
from macro_tui.view.rows import Row, Span, fitting, row_width
from macro_tui.view.scene import Scene

Values = dict[str, float | None]


def metric_verdict(scene: Scene, width: int) -> Row:
    """MACRO against the baseline over the whole run, lately, and what stands beside it.

    Clauses for which there is no room are left out.
    """
    history, metric, macro = scene.history, scene.metric, scene.macro
    so_far, recent = _values(scene, None), _values(scene, scene.view.window)
    title = metric_title(metric, history.titles[scene.of])
    who = "MACRO" if macro in PAPER else series_title(macro)
    opening = (f"{who}: {title} {metric_text(metric, so_far[macro])}", role_of(macro))
    for against in (", {} {} the baseline", ", {} {} base", ", {}"):
        row: Row = [opening, _lead(scene, so_far, against)]
        if row_width(row) <= width:
            break
    row.append(_lead(scene, recent, "; lately {}"))
    for name in history.strategies:
        if name != macro:
            text = f"; {series_title(name)} {metric_text(metric, so_far[name])}"
            row.append((text, role_of(name)))
    row.append((f"; baseline {metric_text(metric, so_far['marginal'])}", "marginal"))
    return fitting(row, width, least=2)


def _values(scene: Scene, window: int | None) -> Values:
    """By series, until the moment in view; None where it is undefined."""
    tally = scene.history.tally(np.array([scene.moment]), window)
    found = scene.metric.of(tally, scene.of)[:, 0]
    return {
        name: float(value) if np.isfinite(value) else None
        for name, value in zip(scene.history.names.series, found, strict=True)
    }


def _lead(scene: Scene, values: Values, clause: str) -> Span:
    """How MACRO stands to the baseline."""
    own, baseline = values[scene.macro], values["marginal"]
    if own is None or baseline is None:
        return clause.partition("{}")[0] + UNDEFINED, "muted"
    words, _, link = lead_in_words(scene.metric, own, baseline).rpartition(" ")
    return clause.format(words, link), "bad" if "worse" in words else "good"
