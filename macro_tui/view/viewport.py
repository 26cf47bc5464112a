"""The viewport: moment, zoom, threshold and curves in view.

A moment is a number of steps: what held when so many of them had been closed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from macro_engine.run.view import METRICS, Snapshot
from macro_tui.view.page import Page, whole_width

Mode = Literal["lead", "window", "cumulative"]
MODES: tuple[Mode, ...] = ("lead", "window", "cumulative")
WINDOWS = (64, 512, 4096)
CURVES = ((), ("threshold",), ("no_change",), ("threshold", "no_change"))
EVENT_ORDERS = ("what matters first", "by time")
ORDERS = ("points of the lead", "use", "error", "birth", "last use")


@dataclass(frozen=True)
class Frozen:
    """The newest step when the view was frozen."""

    steps: int
    snapshot: Snapshot
    last_event: int

    def rows_since(self, snapshot: Snapshot) -> int:
        then = self.snapshot.rows + self.snapshot.open_rows
        return max(snapshot.rows + snapshot.open_rows - then, 0)


@dataclass(frozen=True)
class Viewport:
    """All of it; every change gives a new one.

    Attributes
    ----------
    moment
        None for the newest one, whatever it is.
    frozen
        What is taken for the newest; None for what is.
    width
        Steps a dot column of the chart; None for the whole run.
    member
        Its index; None for the leader, the last one where no strategy shows a leader.
    of_strategies
        Whether the weights panel shows what strategies show, and not the thresholds.
    metric
        Its name; None for the one of the settings.
    event, subroutine, reason
        The number of the one that is picked in its list.
    pending
        The number of the picked row among those that wait for labels, as text; empty for the first.
    """

    moment: int | None = None
    frozen: Frozen | None = None
    width: int | None = None
    member: int | None = None
    mode: Mode = "lead"
    metric: str | None = None
    window: int = 512
    curves: int = 0
    order: str = ORDERS[0]
    of_strategies: bool = False
    event: int | None = None
    subroutine: int | None = None
    reason: int = 0
    event_order: str = EVENT_ORDERS[0]
    pending: str = ""
    filter: str = ""
    expanded: str | None = None

    def at(self, moment: int, steps: int) -> Viewport:
        """Looks at a moment of the past, and no event; at the newest one it stays where it is."""
        return replace(self, moment=min(max(moment, 1), max(steps, 1)), event=None)

    def at_newest(self) -> Viewport:
        return replace(self, moment=None, event=None)

    def following(self) -> Viewport:
        """Looks at what is newest, and not frozen."""
        return replace(self.at_newest(), frozen=None)

    def looked(self, columns: int, page: Page, steps: int) -> Viewport:
        """Further back or ahead by so many columns of a page, up to the newest step."""
        there = page.moved(steps if self.moment is None else self.moment, columns)
        return self.at_newest() if there >= steps else self.at(there, steps)

    def zoomed(self, by: int, columns: int, steps: int) -> Viewport:
        """In or out by a factor of two, given the steps of the whole run: out of it is no way."""
        whole = whole_width(columns, steps)
        width = whole if self.width is None else min(self.width, whole)
        width = max(width // 2, 1) if by > 0 else width * 2
        return replace(self, width=None if width >= whole else width)

    def next_member(self, shown: int, count: int) -> Viewport:
        """Returns a viewport of the next larger threshold; after the largest comes the leader."""
        if self.member is None:
            return replace(self, member=(shown + 1) % count)
        following = self.member + 1
        return replace(self, member=following if following < count else None)

    def next_mode(self) -> Viewport:
        return replace(self, mode=_next(MODES, self.mode))

    def next_metric(self, shown: str) -> Viewport:
        """The one after the one that is shown."""
        return replace(self, metric=_next(tuple(METRICS), shown))

    def next_window(self) -> Viewport:
        return replace(self, window=_next(WINDOWS, self.window))

    def next_curves(self) -> Viewport:
        return replace(self, curves=(self.curves + 1) % len(CURVES))

    def other_weights(self) -> Viewport:
        return replace(self, of_strategies=not self.of_strategies)

    def next_event_order(self) -> Viewport:
        return replace(self, event_order=_next(EVENT_ORDERS, self.event_order))

    def next_order(self) -> Viewport:
        return replace(self, order=_next(ORDERS, self.order))


def _next(choices: tuple, chosen):  # type: ignore[no-untyped-def, type-arg]
    return choices[(choices.index(chosen) + 1) % len(choices)]
