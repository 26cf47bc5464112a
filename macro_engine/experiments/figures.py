"""The paper's figures for our data as SVG: error over thresholds, baselines as lines."""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from macro_engine.core.errors import UsageError
from macro_engine.core.extras import how_to_install
from macro_engine.experiments.cells import SQRT, Cells, Group
from macro_engine.experiments.paper_figures import SHORT

_COLOURS = {"logistic": "#1b6ca8", "vw": "#c05b1c", "nearest-mean": "#1b6ca8"}
_LINES = {"marginal": ("SR", "-"), "ftl": ("FTL", "--"), "ewa": ("EWA", ":")}


def check_matplotlib() -> None:
    """Raises `UsageError` where the figures cannot be drawn."""
    if find_spec("matplotlib") is None:
        raise UsageError(
            "--report draws figures with matplotlib, which is not installed; install it with: "
            f"{how_to_install('report')}"
        )


def figures(cells: Cells, history: int) -> Iterator[tuple[str, str]]:
    """A name and an SVG for each distance and place."""
    check_matplotlib()
    main = [
        group
        for group in cells.groups
        if group.rate in (SQRT, None) and group.history == history and cells.thresholds(group)
    ]
    for distance in dict.fromkeys(group.distance for group in main):
        for place in cells.places:
            groups = [group for group in main if (group.distance, group.place) == (distance, place)]
            if groups:
                yield f"{distance}-{place}", _drawn(cells, groups, f"{place}, {distance} distance")


def _drawn(cells: Cells, groups: list[Group], title: str) -> str:
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # the same bytes for the same figures; text stays text
    plain: dict[str, Any] = {"svg.hashsalt": "macro", "svg.fonttype": "none"}
    with matplotlib.rc_context(plain):
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.subplots()
        grid = sorted({t for group in groups for t in cells.thresholds(group)})
        for group in groups:
            _draw(axes, cells, group, grid)
        axes.set_xticks(range(len(grid)), [f"{t:g}" for t in grid])
        axes.set_xlabel("threshold")
        axes.set_ylabel("error in %")
        axes.set_title(title)
        figure.legend(loc="outside right upper", fontsize="small", frameon=False)
        held = io.StringIO()
        FigureCanvasSVG(figure).print_svg(held, metadata={"Date": None})
    return held.getvalue()


def _draw(axes: Any, cells: Cells, group: Group, grid: list[float]) -> None:
    name, colour = SHORT.get(str(group.learner), ""), _COLOURS.get(str(group.learner), "#444444")
    errors = cells.thresholds(group)
    places = [i for i, threshold in enumerate(grid) if threshold in errors]
    values = [100 * errors[grid[i]] for i in places]
    axes.plot(places, values, color=colour, marker="o", markersize=4, linewidth=1, label=name)
    for series, (label, style) in _LINES.items():
        error = cells.error(group, series)
        if error is not None:
            axes.axhline(
                100 * error, color=colour, linestyle=style, linewidth=1, label=f"{name}-{label}"
            )
