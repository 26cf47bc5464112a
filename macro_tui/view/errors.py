"""The lead over the marginal baseline, or error rates."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.format import count_text, time_text
from macro_tui.view.comparison import series_title
from macro_tui.view.curves import CurvesView, Series, role_of
from macro_tui.view.raster import ACROSS
from macro_tui.view.scene import Scene
from macro_tui.view.viewport import CURVES

_FEWEST_ROWS = 100  # what fewer rows give says nothing


def shown_series(scene: Scene) -> list[tuple[str, str, int]]:
    """Name, role and place among the series of each curve, in the order of the legend."""
    history, is_lead = scene.history, scene.view.mode == "lead"
    if is_lead:
        named = [("MACRO", scene.macro)]
        named += [(series_title(name), name) for name in scene.beside_macro]
    else:
        named = [(series_title(name), name) for name in history.strategies]
    shown = [(title, role_of(name), history.place(name)) for title, name in named]
    if not is_lead:
        shown.append(("base", "marginal", history.place("marginal")))
    extra = CURVES[scene.view.curves]
    if "no_change" in extra:
        shown.append(("no-change", "no_change", scene.history.place("no_change")))
    if "threshold" in extra:
        k = scene.member
        shown.append((history.members[k], "threshold", history.place_of_member(k)))
    return shown


def errors_at(scene: Scene, moments: NDArray[np.int64]) -> NDArray[np.float64]:
    """All series in % at some moments, or how many points they are ahead of the baseline."""
    window = None if scene.view.mode == "cumulative" else scene.window
    errors = 100 * scene.history.errors(moments, window)
    rows = scene.history.at(moments).rows
    errors[:, rows < min(_FEWEST_ROWS, int(scene.point.rows[0]) // 4)] = np.nan
    if scene.view.mode == "lead":
        errors = errors[scene.history.place("marginal")] - errors
    return errors


def curves_view(scene: Scene) -> CurvesView:
    page = scene.page
    known = page.begins < scene.steps
    values = np.full((len(scene.history.series), page.columns), np.nan)
    values[:, known] = errors_at(scene, np.minimum(page.edges[1:][known], scene.steps))
    now = errors_at(scene, np.array([scene.moment]))[:, 0]
    series = tuple(
        Series(name, role, values[i], float(now[i])) for name, role, i in shown_series(scene)
    )
    points = scene.history.at(np.minimum(page.edges[::ACROSS], scene.steps))
    births = np.diff(points.subroutines[scene.member])
    cursor = None if scene.is_now else page.column(scene.moment) // ACROSS
    unit: Literal["points", "%"] = "points" if scene.view.mode == "lead" else "%"
    full = scene.history.begin + scene.window  # from here on the moving window has all its steps
    steady = int(np.searchsorted(page.edges[1:], full))
    labels = scene.labels(page, ACROSS)
    return CurvesView(series, births, labels, unit, cursor, _when(scene), steady)


def heading(scene: Scene) -> str:
    """What the chart is."""
    if scene.view.mode != "lead":
        return "error rates"
    return "MACRO: lead over the baseline"


def _when(scene: Scene) -> str:
    """The moment under the crosshair."""
    if scene.is_now:
        return ""
    times = scene.point.times
    return f"step {scene.moment - 1:,}" if times is None else time_text(int(times[0]))


def about(scene: Scene) -> str:
    """What the curves are."""
    if scene.view.mode == "cumulative":
        return "since the start"
    rows = scene.history.at(np.array([max(scene.moment - scene.window, 0), scene.moment])).rows
    last = count_text(min(scene.window, scene.moment), "step")
    window = f"last {last}, ~{count_text(rounded(int(rows[1] - rows[0])), 'row')}"
    return f"points, {window}" if scene.view.mode == "lead" else window


def rounded(count: int) -> int:
    """To one digit, so that it does not change all the time.

    >>> rounded(3104), rounded(7)
    (3000, 7)
    """
    return int(float(f"{count:.1g}"))
