"""The contents of the chart panel: the lead, error rates, or another metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.format import count_text, series_title, time_text
from macro_tui.view.curves import CurvesView, Series, Unit, role_of
from macro_tui.view.metric_tables import metric_title
from macro_tui.view.raster import ACROSS
from macro_tui.view.scene import Scene
from macro_tui.view.viewport import CURVES

_FEWEST_ROWS = 100  # what fewer rows give says nothing


def shown_series(scene: Scene) -> list[tuple[str, str, int]]:
    """Name, role and index among the series of each curve, in the order of the legend."""
    history, is_lead = scene.history, scene.view.mode == "lead"
    if is_lead:
        named = [(scene.macro_title, scene.macro)]
        named += [(series_title(name), name) for name in scene.beside_macro]
    else:
        named = [(series_title(name), name) for name in history.strategies]
    shown = [(title, role_of(name), history.index(name)) for title, name in named]
    if not is_lead:
        shown.append(("base", "marginal", history.index("marginal")))
    extra = CURVES[scene.view.curves]
    if "no_change" in extra:
        shown.append(("no-change", "no_change", scene.history.index("no_change")))
    if "threshold" in extra:
        k = scene.member
        shown.append((history.members[k], "threshold", history.index_of_member(k)))
    return shown


def values_at(scene: Scene, moments: NDArray[np.int64]) -> NDArray[np.float64]:
    """All series in % or nats at some moments, or how far they are ahead of the baseline."""
    window = None if scene.view.mode == "cumulative" else scene.window
    values = scene.values(moments, window)
    rows = scene.history.at(moments).rows
    values[:, rows < min(_FEWEST_ROWS, int(scene.point.rows[0]) // 4)] = np.nan
    return scene.ahead(values) if scene.view.mode == "lead" else values


def curves_view(scene: Scene) -> CurvesView:
    page = scene.page
    known = page.begins < scene.steps
    values = np.full((len(scene.history.series), page.columns), np.nan)
    values[:, known] = values_at(scene, np.minimum(page.edges[1:][known], scene.steps))
    now = values_at(scene, np.array([scene.moment]))[:, 0]
    series = tuple(
        Series(name, role, values[i], float(now[i])) for name, role, i in shown_series(scene)
    )
    points = scene.history.at(np.minimum(page.edges[::ACROSS], scene.steps))
    births = np.diff(points.subroutines[scene.member])
    cursor = None if scene.is_now else page.column(scene.moment) // ACROSS
    unit = unit_of(scene)
    full = scene.history.begin + scene.window  # from here on the moving window has all its steps
    steady = int(np.searchsorted(page.edges[1:], full))
    labels = scene.labels(page, ACROSS)
    return CurvesView(series, births, labels, unit, cursor, _when(scene), steady, title_of(scene))


def unit_of(scene: Scene) -> Unit:
    if scene.metric.is_share:
        return "points" if scene.view.mode == "lead" else "%"
    return "nats ahead" if scene.view.mode == "lead" else "nats"


def title_of(scene: Scene) -> str:
    """The metric, and the class that it is of."""
    return metric_title(scene.metric, scene.history.titles[scene.of])


def heading(scene: Scene) -> str:
    """What the chart is."""
    is_lead, is_error = scene.view.mode == "lead", scene.metric.name == "error"
    if is_lead:
        what = "over the baseline" if is_error else f"in {title_of(scene)}"
        return f"{scene.macro_title}: lead {what}"
    return "error rates" if is_error else title_of(scene)


def _when(scene: Scene) -> str:
    """The moment under the crosshair, or what the values are of."""
    if scene.is_now:
        steps = count_text(min(scene.window, scene.moment), "step")
        return "" if scene.view.mode == "cumulative" else f"last {steps}"
    times = scene.point.times
    return f"step {scene.moment - 1:,}" if times is None else time_text(int(times[0]))


def about(scene: Scene) -> str:
    """What the curves are."""
    if scene.view.mode == "cumulative":
        return "since the start"
    rows = scene.history.at(np.array([max(scene.moment - scene.window, 0), scene.moment])).rows
    last = count_text(min(scene.window, scene.moment), "step")
    window = f"last {last}, ~{count_text(rounded(int(rows[1] - rows[0])), 'row')}"
    unit = unit_of(scene)
    return window if unit == "%" else f"{unit}, {window}"


def rounded(count: int) -> int:
    """To one digit, so that it does not change all the time.

    >>> rounded(3104), rounded(7)
    (3000, 7)
    """
    return int(float(f"{count:.1g}"))
