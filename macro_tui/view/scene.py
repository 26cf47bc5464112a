"""All data of one frame; every panel is drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.format import axis_time_text
from macro_engine.run.view import Event, History, Moment, Points, Snapshot
from macro_tui.view.viewport import Page, Viewport, page

_LABEL_CELLS = 15


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
    """

    history: History
    steps: int
    snapshot: Snapshot
    view: Viewport
    dots: int
    events: Sequence[tuple[int, Event]]
    updates_now: Callable[[int], NDArray[np.int64] | None]

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
        named, computed = self.snapshot.strategy, self.history.strategies
        return named if named in computed else computed[-1]

    @property
    def macro(self) -> str:
        """The strategy that stands for MACRO; without any of its own, whose prediction it is."""
        computed = self.history.strategies
        wanted = ("ewa", "ftl") if self.snapshot.strategy == "ewa" else ("ftl", "ewa")
        return next((name for name in wanted if name in computed), self.strategy)

    @cached_property
    def member(self) -> int:
        """The index of the member in view."""
        return leader(self.point) if self.view.member is None else self.view.member

    @cached_property
    def errors(self) -> NDArray[np.float64]:
        """In % until the moment in view, of all series."""
        return 100 * self.history.errors(np.array([self.moment]), None)[:, 0]

    @cached_property
    def recent_errors(self) -> NDArray[np.float64]:
        """The same in the moving window."""
        return 100 * self.history.errors(np.array([self.moment]), self.view.window)[:, 0]

    @cached_property
    def updates(self) -> NDArray[np.int64] | None:
        """How many steps each subroutine of the member in view has learned until now."""
        return self.updates_now(self.member)

    @cached_property
    def page(self) -> Page:
        """What the chart shows."""
        return page(self.dots, self.view.width, self.moment, self.steps)

    @cached_property
    def window(self) -> int:
        """Steps of the moving window: over a very long page more than were asked for."""
        return self.history.window(self.page.edges, self.view.window)

    def timeline_page(self, columns: int) -> Page:
        """What a timeline of so many columns shows."""
        return page(columns, self.view.timeline_width, self.moment, self.steps)

    def labels(self, shown: Page, columns_a_cell: int = 1) -> tuple[tuple[int, str], ...]:
        """Times or steps along the axis of a page."""
        cells = np.arange(0, shown.columns // columns_a_cell, _LABEL_CELLS)
        begins = shown.start + cells * columns_a_cell * shown.width
        begins = begins[begins < self.steps]
        end = min(int(shown.edges[-1]), self.steps)
        # the first step of a column where it is at hand, else the one before: none at the start
        stride = 1 if self.history.downsampled is None else self.history.downsampled.stride
        moments = np.append(begins + (stride == 1), end).clip(min(stride, self.steps))
        times = self.history.at(moments).times
        if times is None:
            return tuple((int(c), f"{b:,}") for c, b in zip(cells, begins, strict=False))
        span = int(times[-1] - times[0])
        texts = [axis_time_text(time, span) for time in times[:-1].tolist()]
        return tuple((int(c), text) for c, text in zip(cells, texts, strict=False))


def leader(points: Points) -> int:
    return int(points.leader[-1])
