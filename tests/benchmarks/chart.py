"""What a frame of the error chart costs, against textual-plotext drawing the same data.

    python tests/benchmarks/chart.py [FRAMES]

Both draw four series of 500 points at 120x30 in a Textual app of their own, one after the other
in this process: once scrolling (the window moves on by one point a frame), once sweeping (the
points fill a fixed axis from the left). Prints CPU time and bytes to the terminal for each frame.
textual-plotext is no dependency of the project: `pip install textual-plotext` for the comparison.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from time import process_time

import numpy as np
from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver
from textual.widget import Widget

from macro_tui.view.curves import CurvesView, Series
from macro_tui.widgets.curves import Curves
from macro_tui.widgets.updates import SpansApp

try:
    from textual_plotext import PlotextPlot
except ImportError:
    PlotextPlot = None

SIZE = 120, 30
POINTS = 500
KINDS = (("EWA", "ewa"), ("FTL", "ftl"), ("marginal", "marginal"), ("no change", "no_change"))


class CountingDriver(HeadlessDriver):
    """A terminal that takes everything at once and counts it."""

    sent = 0

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        CountingDriver.sent += len(data.encode())


def app_with(widget: Widget, base: type[App], theme: str) -> App:
    """An app with nothing but the widget; its event `shown` is set after every display."""

    class OneWidget(base):
        shown = asyncio.Event()

        def compose(self) -> ComposeResult:
            yield widget

        def on_mount(self) -> None:
            self.theme = theme
            widget.styles.height = "1fr"

        def post_display_hook(self) -> None:
            self.shown.set()

    return OneWidget(driver_class=CountingDriver)


def walks(length: int) -> np.ndarray:
    """Four made-up error rates in %."""
    steps = np.random.default_rng(7).normal(0, 0.25, (len(KINDS), length))
    return np.array([[30.0], [31.0], [36.0], [40.0]]) + np.cumsum(steps, axis=1)


def columns(points: np.ndarray, first: int, count: int) -> np.ndarray:
    """The last point of each dot column; columns are cut by the number of the point."""
    ends = (np.arange(first, first + count) + 1) * POINTS // count - 1
    starts = np.arange(first, first + count) * POINTS // count
    known = np.minimum(ends, points.shape[1] - 1)
    return np.where(starts < points.shape[1], points[:, known], np.nan)


def draw_curves(chart: Curves, points: np.ndarray, start: int) -> None:
    count = 2 * chart.plot_columns
    values = columns(points, start * count // POINTS, count)
    series = tuple(
        Series(name, role, row, float(all_points[-1]))
        for (name, role), row, all_points in zip(KINDS, values, points, strict=True)
    )
    births = np.zeros(chart.plot_columns, int)
    labels = tuple((x, str(x)) for x in range(0, chart.plot_columns, 20))
    chart.draw(CurvesView(series, births, labels, "%", None, "500 rows"))


def draw_plotext(chart: Widget, points: np.ndarray, start: int) -> None:
    plot = chart.plt
    plot.clear_data()
    plot.xlim(start, start + POINTS)
    rows = np.arange(start, points.shape[1]).tolist()
    for (name, _), row in zip(KINDS, points, strict=True):
        plot.plot(rows, row[start:].tolist(), marker="braille", label=name)
    chart.refresh()


async def cost(
    base: type[App], chart: Widget, draw: Callable, theme: str, frames: int, sweeps: bool
) -> tuple[float, float]:
    """CPU milliseconds and bytes for each frame."""
    app = app_with(chart, base, theme)
    walk = walks(POINTS + frames)
    running = asyncio.create_task(app.run_async(size=SIZE))
    await asyncio.sleep(1.0)
    for frame in range(-3, frames):  # the first ones warm up
        if frame == 0:
            CountingDriver.sent, before = 0, process_time()
        end = POINTS * (frame + 4) // (frames + 4) if sweeps else POINTS + frame
        app.shown.clear()
        draw(chart, walk[:, :end], 0 if sweeps else max(frame, 0))
        await app.shown.wait()
    spent = process_time() - before
    app.exit()
    await running
    return 1000 * spent / frames, CountingDriver.sent / frames


def main() -> None:
    os.environ["COLORTERM"] = "truecolor"
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    if PlotextPlot is None:
        print("textual-plotext is not installed: nothing to compare with")
    for theme in ("textual-dark", "ansi-dark"):
        for name, sweeps in (("scrolling", False), ("sweeping", True)):
            about = (theme, frames, sweeps)
            cpu, sent = asyncio.run(cost(SpansApp, Curves(), draw_curves, *about))
            print(f"{theme}, {name}: ours {cpu:.1f} ms, {sent:,.0f} bytes a frame")
            if PlotextPlot is None:
                continue
            theirs, theirs_sent = asyncio.run(cost(App, PlotextPlot(), draw_plotext, *about))
            print(f"  textual-plotext {theirs:.1f} ms, {theirs_sent:,.0f} bytes a frame")
            print(f"  ratio {cpu / theirs:.3f} of the CPU, {sent / theirs_sent:.3f} of the bytes")


if __name__ == "__main__":
    main()
