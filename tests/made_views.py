"""Made-up views of every picture, for any width."""

import numpy as np

from macro_engine.core.format import short_threshold_text
from macro_tui.view.curves import CurvesView, Series, plot_columns
from macro_tui.view.nearest import NearestView
from macro_tui.view.strategy_values import Pull, StrategyValuesView
from macro_tui.view.strategy_values import strip_columns as shown_columns
from macro_tui.view.timeline import TimelineView, timeline_columns
from macro_tui.view.weights import MemberRow, WeightsView, strip_columns

MEMBERS = ("0.01", "0.02", "0.05", "0.10", "0.20", "0.40")
KINDS = (("EWA", "ewa"), ("FTL", "ftl"), ("marginal", "marginal"), ("no change", "no_change"))


def texts(rows):
    """The rows without their roles."""
    return ["".join(text for text, _ in row) for row in rows]


def roles_of(rows, fragment):
    """The roles of the spans that hold a piece of text."""
    return {role for row in rows for text, role in row if fragment in text}


def curves_view(width, share=1.0, unit="%", crosshair=None, seed=1):
    columns = plot_columns(width)
    steps = np.random.default_rng(seed).normal(0, 0.3, (len(KINDS), 2 * columns))
    values = np.array([[30.0], [31.0], [36.0], [40.0]]) + np.cumsum(steps, axis=1)
    if unit == "points":
        values -= 36.0
    values[:, int(share * 2 * columns) :] = np.nan
    series = tuple(
        Series(name, role, row, float(row[0]) if len(row) else None)
        for (name, role), row in zip(KINDS, values, strict=True)
    )
    births = np.zeros(columns, int)
    births[3::11] = 1
    births[7::23] = 4
    labels = tuple((x, f"{400 + x}k") for x in range(2, columns, 17))
    return CurvesView(series, births, labels, unit, crosshair, "10,000 rows")


def odd_curves_view(width):
    """Values that no error rate should have."""
    columns = 2 * plot_columns(width)
    odd = ((np.nan, np.nan), (np.inf, np.inf), (-np.inf, None), (1e300, 1e300))
    series = tuple(
        Series("\x1b[2J東", role, np.full(columns, value), now)
        for (_, role), (value, now) in zip(KINDS, odd, strict=True)
    )
    labels = ((-5, "before"), (10**6, "after"), (1, "\n\r"))
    return CurvesView(series, np.ones(0, int), labels, "%", 10**6, "\x9b")


def weights_view(width, count=6, leader=3, viewed=2):
    weights = np.exp(-(((np.arange(count) - 3.0) / 1.5) ** 2))
    weights /= weights.sum()
    thresholds = tuple(
        MemberRow(
            short_threshold_text(round(0.01 * 1.7**i, 3)), float(weight), 30.0 + i, 500 // (i + 1)
        )
        for i, weight in enumerate(weights)
    )
    over_time = np.repeat(weights[:, None], strip_columns(width), axis=1)
    return WeightsView(thresholds, leader, viewed, over_time, "ftl", "ewa")


def timeline_view(width, members=MEMBERS, viewed=3):
    columns = timeline_columns(width)
    active = np.zeros((len(members), columns), int)
    head = columns * 3 // 4
    for k in range(len(members)):
        active[k, :head] = np.arange(head) // (5 * (k + 1)) + 1
    shares = np.where(np.arange(columns) % 3, 0.9, 0.3) * (active > 0)
    births = np.zeros(columns, int)
    births[:head:20] = 1
    labels = tuple((x, f"{x}k") for x in range(0, columns, 20))
    named = ((1, 2, 3, 4, 5),) * len(members)
    return TimelineView(members, viewed, named, active, shares, births, head, head // 2, labels)


def nearest_view():
    nearest = ((17, 0.061), (4, 0.094), (9, 0.118), (21, float("inf")), (23, float("nan")))
    return NearestView(nearest, 2, 0.1, 17, False, None)


def birth_view():
    return NearestView(((17, 0.12), (4, 0.3)), 0, 0.1, 23, True, 17)


def strategy_values_view(width, shares=(0.1, 0.7, 0.2), turning=0.8, values=3):
    over_time = np.repeat(np.array(shares)[:, None], shown_columns(width), axis=1)
    pull = Pull("blend", ("linear", "MACRO", "tiles"), shares, turning, over_time)
    numbers = tuple(("toy", f"number {i}", 10.0**i) for i in range(values))
    return StrategyValuesView((pull,), numbers)


def odd_strategy_values_view(width):
    """Numbers and names that no strategy should show."""
    odd = strategy_values_view(width, (np.nan, np.inf, -1.0), np.nan)
    return StrategyValuesView(odd.pulls, (("\x1b[2J東", "\t", np.inf), ("x", "y", np.nan)), 10**6)
