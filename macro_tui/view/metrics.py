"""The contents of the metrics screen: metrics by series and by class, at the moment in view."""

from __future__ import annotations

import numpy as np

from macro_engine.core.escape import visible
from macro_engine.core.format import count_text, series_title
from macro_engine.run.view import METRICS, Tally, measured
from macro_tui.view.cells import in_room, width_of
from macro_tui.view.curves import role_of
from macro_tui.view.metric_tables import metric_lines, metric_text
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene

_OF_CLASS = {name: metric for name, metric in METRICS.items() if metric.is_of_class}
_SHORT = {"balanced accuracy": "balanced"}
_BASELINES = {"marginal": "baseline", "no_change": "no-change"}
_FIRST, _OTHER = 12, 10  # cells; with a bar to scroll there are 72


def metrics_rows(scene: Scene) -> list[Row]:
    """Tables of text."""
    history, moments, of = scene.history, np.array([scene.moment]), scene.of
    why = ", the rarest (--class)" if scene.named_class is None else ""
    of_class = f"precision, recall and F1: of class '{visible(history.titles[of], 20)}'{why}"
    steps = min(scene.view.window, scene.moment)
    rows: list[Row] = [[(of_class, "label")], []]
    for when, window in ((f"last {count_text(steps, 'step')}", steps), ("since the start", None)):
        tally = history.tally(moments, window)
        rows += [*_by_series(scene, Tally(tally.names, tally.sums[:, 0]), of, when), []]
    return rows + _by_class(scene, Tally(history.names, history.tally(moments, None).sums[:, 0]))


def _by_series(scene: Scene, tally: Tally, of: int, when: str) -> list[Row]:
    """A line for each series, the strategies first."""
    history = scene.history
    titles = {name: series_title(name) for name in history.strategies} | _BASELINES
    headings = [_SHORT.get(metric.title, metric.title) for metric in METRICS.values()]
    counted = count_text(int(np.nan_to_num(tally.labels).sum()), "row")
    lines = metric_lines(measured(tally, of), titles)
    return [
        [(f"{when}, {counted}", "strong")],
        [(_aligned(["", *headings]), "muted")],
        *(
            [(_aligned(line), name if name in _BASELINES else role_of(name))]
            for name, line in zip(titles, lines, strict=True)
        ),
    ]


def _by_class(scene: Scene, tally: Tally) -> list[Row]:
    """A line for each class: how often it was the label, was predicted, and was both."""
    line = scene.history.index(scene.strategy)
    title = f"{series_title(scene.strategy)} by class, since the start"
    titles = (metric.title for metric in _OF_CLASS.values())
    headings = ["class", "rows", "predicted", "right", *titles]
    rows: list[Row] = [[(title, "strong")], [(_aligned(headings), "muted")]]
    for c, name in enumerate(scene.history.titles):
        counts = tally.labels[c], tally.predicted[line, c], tally.hits[line, c]
        values = measured(tally, c)[scene.strategy]
        shares = [metric_text(metric, values[name]) for name, metric in _OF_CLASS.items()]
        texts = [f"{int(np.nan_to_num(count)):,}" for count in counts]
        rows.append([(_aligned([in_room(name, _FIRST), *texts, *shares]), "label")])
    return rows


def _aligned(cells: list[str]) -> str:
    name = cells[0] + " " * (_FIRST - width_of(cells[0]))
    return name + "".join(f"{cell:>{_OTHER}}" for cell in cells[1:])
