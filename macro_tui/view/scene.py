"""The data of one frame, from which every panel is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.format import series_title
from macro_engine.run.view import (
    METRICS,
    PAPER,
    Event,
    History,
    Metric,
    Moment,
    Points,
    RejectedReason,
    Snapshot,
    Usage,
    macro_of,
    prediction_of,
    rarest,
)
from macro_tui.view.page import Page, stretch
from macro_tui.view.raster import ACROSS
from macro_tui.view.time_axis import round_steps, round_times
from macro_tui.view.viewport import EVENT_ORDERS, Viewport

_SAMPLES = 256  # moments at which the times along the axis are looked up
_GRAINS = 4  # columns of so many grains or more end at whole ones


@dataclass(frozen=True, eq=False)
class Scene:
    """A run of at least one step, and how it is looked at.

    Attributes
    ----------
    steps
        The number of steps when the frame began; the history may have more by now.
    dots
        Dot columns of the chart.
    events
        Those that pass the filter, with their numbers.
    updates_now
        Given a member, how many steps each of its subroutines has learned until now.
    length
        How many steps the whole run has, as far as that can be known.
    metric, named_class
        What chart and verdict speak of, and the class that was named for it.
    ranked
        The same events, trouble and births first; None for the order of steps.
    rejected
        Why rows were turned away, where that is shown.
    """

    history: History
    steps: int
    snapshot: Snapshot
    view: Viewport
    dots: int
    events: Sequence[tuple[int, Event]]
    updates_now: Callable[[int], NDArray[np.int64] | None]
    length: int | None = None
    metric: Metric = METRICS["error"]
    named_class: str | None = None
    ranked: Sequence[tuple[int, Event]] | None = None
    rejected: Sequence[RejectedReason] = ()

    @property
    def listed(self) -> Sequence[tuple[int, Event]]:
        """The events in the order of the list."""
        is_ranked = self.ranked is not None and self.view.event_order == EVENT_ORDERS[0]
        return self.ranked if is_ranked and self.ranked is not None else self.events

    @property
    def is_now(self) -> bool:
        return self.view.moment is None

    @property
    def moment(self) -> int:
        if self.view.moment is None:
            return self.steps
        return max(min(self.view.moment, self.steps), self.history.first + 1)

    @cached_property
    def point(self) -> Points:
        """What held at the moment in view."""
        return self.history.at(np.array([self.moment]))

    @cached_property
    def step(self) -> Moment:
        """The last step before the moment in view."""
        return self.history.moment(self.moment - 1)

    @property
    def strategy(self) -> str:
        """Whose prediction is the prediction."""
        return prediction_of(self.snapshot.strategy, self.history.strategies)

    @property
    def macro(self) -> str:
        """The strategy that stands for MACRO; without any of its own, whose prediction it is."""
        return macro_of(self.snapshot.strategy, self.history.strategies)

    @property
    def macro_title(self) -> str:
        """As people read it: MACRO where that is one of the paper's strategies."""
        return "MACRO" if self.macro in PAPER else series_title(self.macro)

    @property
    def beside_macro(self) -> list[str]:
        """The strategies that are compared with MACRO: blend, and those of plug-ins."""
        names = self.history.strategies
        return [name for name in names if name != self.macro and name not in PAPER]

    @cached_property
    def member(self) -> int:
        """The index of the member in view."""
        return leader(self.point) if self.view.member is None else self.view.member

    @cached_property
    def usage(self) -> Usage:
        """How often the subroutines of the member in view were used until the moment in view."""
        return self.history.usage(self.member, self.moment)

    @cached_property
    def errors(self) -> NDArray[np.float64]:
        """In % until the moment in view, of all series."""
        return 100 * self.history.errors(np.array([self.moment]), None)[:, 0]

    @cached_property
    def recent_errors(self) -> NDArray[np.float64]:
        """The same in the moving window."""
        return 100 * self.history.errors(np.array([self.moment]), self.view.window)[:, 0]

    @cached_property
    def of(self) -> int:
        """The class of precision, recall and F1: the one that was named, or the rarest so far."""
        if self.named_class in self.history.classes:
            return self.history.classes.index(self.named_class)
        return rarest(self.history.tally(np.array([self.steps]), None).labels[:, 0])

    def values(self, moments: NDArray[np.int64], window: int | None) -> NDArray[np.float64]:
        """The metric of all series by moments, in % or nats; members only have errors."""
        if self.metric.name == "error":
            return 100 * self.history.errors(moments, window)
        values = np.full((len(self.history.series), len(moments)), np.nan)
        found = self.metric.of(self.history.tally(moments, window), self.of)
        values[: len(found)] = 100 * found if self.metric.is_share else found
        return values

    def ahead(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """By how much each series is better than the baseline."""
        baseline = values[self.history.index("marginal")]
        ahead: NDArray[np.float64] = baseline - values
        return -ahead if self.metric.higher_is_better else ahead

    @cached_property
    def updates(self) -> NDArray[np.int64] | None:
        """How many steps each subroutine of the member in view has learned until now."""
        return self.updates_now(self.member)

    @property
    def whole(self) -> int:
        """Steps of the whole run, as far as they are known."""
        return max(self.length or 0, self.steps)

    @cached_property
    def stretch(self) -> tuple[int, int]:
        """The first and the last moment that all pictures show."""
        return stretch(self.dots, self.view.width, self.moment, self.steps, self.length)

    @cached_property
    def page(self) -> Page:
        """What the chart shows, in dot columns."""
        return self.page_of(self.dots)

    def page_of(self, columns: int) -> Page:
        """What every picture shows, in so many columns."""
        return self._page(columns, self._stride)

    def page_of_activity(self, columns: int) -> Page:
        """The same in columns for which it is known who was active how often."""
        return self._page(columns, self.history.activity.stride)

    @property
    def _stride(self) -> int:
        return 1 if self.history.downsampled is None else self.history.downsampled.stride

    def _page(self, columns: int, stride: int) -> Page:
        """With edges at multiples of a stride, unless columns are too narrow for that."""
        start, stop = self.stretch
        is_wide = stop - start >= _GRAINS * stride * columns and start % stride == 0
        return Page(start, stop, columns, stride if is_wide else 1)

    @cached_property
    def window(self) -> int:
        """Steps of the moving window: over a very long page more than were asked for."""
        return self.history.window(self.page.edges, self.view.window)

    @cached_property
    def marks(self) -> list[tuple[int, str]]:
        """Moments along the axis of every picture, and how they are called: times or steps."""
        start, stop = self.stretch
        end = min(stop, self.steps)
        cells = self.dots // ACROSS
        shown = self._page(_SAMPLES, self._stride)
        moments = shown.edges[shown.edges < end]
        moments = np.append(moments, end).clip(min(self._stride, self.steps), self.steps)
        times = self.history.at(moments).times
        if times is None:
            return [mark for mark in round_steps(start, stop, cells) if mark[0] <= self.steps]
        times = np.maximum.accumulate(times)
        first, last = int(times[0]), int(times[-1])
        expected = first + (last - first) * (stop - start) // max(end - start, 1)
        soon = (expected - first) // 24  # what begins just after a round time has its name
        places = [
            (int(moments[int(np.searchsorted(times, time))]) - 1, text)
            for time, text in round_times(first - soon, expected, cells)
            if time <= last
        ]
        return [(max(moment, start), text) for moment, text in places]

    def labels(self, shown: Page, columns_a_cell: int = 1) -> tuple[tuple[int, str], ...]:
        """The marks in the cells of a page."""
        return tuple((shown.column(m + 1) // columns_a_cell, text) for m, text in self.marks)


def leader(points: Points) -> int:
    return int(points.leader[-1])
