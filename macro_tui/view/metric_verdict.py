"""The verdict by a metric other than the error."""

from __future__ import annotations

import numpy as np

from macro_engine.core.format import series_title
from macro_tui.view.curves import role_of
from macro_tui.view.metric_tables import UNDEFINED, lead_in_words, metric_text, metric_title
from macro_tui.view.rows import Row, Span, fitting, row_width
from macro_tui.view.scene import Scene

Values = dict[str, float | None]


def metric_verdict(scene: Scene, width: int) -> Row:
    """MACRO against the baseline over the whole run, lately, and what stands beside it.

    Clauses for which there is no room are left out, that of the prediction last.
    """
    history, metric, macro = scene.history, scene.metric, scene.macro
    so_far, recent = _values(scene, None), _values(scene, scene.view.window)
    title = metric_title(metric, history.titles[scene.of])
    others = {
        name: (f"; {series_title(name)} {metric_text(metric, so_far[name])}", role_of(name))
        for name in history.strategies
        if name != macro
    }
    chosen = [others[scene.strategy]] if scene.strategy in others else []
    row = _opening_in(scene, width, so_far, title, chosen)
    lately = [_lead(scene, recent, "; lately {}")] if so_far[macro] is not None else []
    baseline = (f"; baseline {metric_text(metric, so_far['marginal'])}", "marginal")
    as_read = [*lately, *others.values(), baseline]
    by_need = [*chosen, *(span for span in as_read if span not in chosen)]
    shown = fitting([*row, *by_need], width, least=len(row))[len(row) :]
    return [*row, *(span for span in as_read if span in shown)]


def _opening_in(scene: Scene, width: int, values: Values, title: str, wanted: Row) -> Row:
    """As many words as leave room for what is wanted beside it, or as there is room for."""
    macro, who = scene.macro, scene.macro_title
    if values[macro] is None:
        return [(f"{who}: {title} is undefined", role_of(macro))]
    opening = (f"{who}: {title} {metric_text(scene.metric, values[macro])}", role_of(macro))
    for beside in (wanted, []):
        for against in (", {} {} the baseline", ", {} {} base", ", {}"):
            row: Row = [opening, _lead(scene, values, against)]
            if row_width([*row, *beside]) <= width:
                return row
    return row


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
