"""What is looked at: which moment, how much around it, which threshold and which curves.

A moment is a number of steps: what held when so many of them had been closed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from macro_engine.run.view import Snapshot

Mode = Literal["window", "cumulative", "lead"]
MODES: tuple[Mode, ...] = ("window", "cumulative", "lead")
WINDOWS = (64, 512, 4096)
CURVES = ((), ("threshold",), ("no_change",), ("threshold", "no_change"))
ORDERS = ("use", "error", "birth", "last use")


@dataclass(frozen=True)
class Page:
    """The stretch of the run that a picture shows; its columns begin at multiples of their width.

    A column's content depends on its own steps only, so that old ones never change shape.
    """

    start: int
    width: int  # steps a column
    columns: int

    @property
    def edges(self) -> NDArray[np.int64]:
        """The moments at which columns begin, and the end of the last."""
        return self.start + self.width * np.arange(self.columns + 1)

    def column(self, moment: int) -> int:
        """The column that has the last step before a moment."""
        return (max(moment, 1) - 1 - self.start) // self.width


def whole_width(columns: int, steps: int) -> int:
    """The least of 1, 2, 3, 4, 6, 8, 12, ... steps with which the run fits in the columns.

    The history is exact at multiples of powers of two.

    >>> whole_width(72, 20_381)
    384
    """
    width = 1
    while max(columns, 1) * width < steps:
        width *= 2
    three_quarters = width // 4 * 3
    return three_quarters if max(columns, 1) * three_quarters >= max(steps, 1) else width


def page(columns: int, width: int | None, moment: int, steps: int) -> Page:
    """The page with a moment in its right half; it moves on by half its length at a time.

    Without a width it is the whole run.
    """
    if width is None or width >= whole_width(columns, steps):
        return Page(0, whole_width(columns, steps), columns)
    jump = max(columns // 2, 1) * width
    pages = max(-(-(moment - columns * width) // jump), 0)
    return Page(pages * jump, width, columns)


@dataclass(frozen=True)
class Frozen:
    """What was newest when the view was frozen; the run goes on."""

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
    width, timeline_width
        Steps a dot column of the chart, and a column of the timeline; None for the whole run.
    member
        Its index; None for FTL's leader, the last one where FTL is not computed.
    of_strategies
        Whether the weights panel shows what strategies show, and not the thresholds.
    event, subroutine
        The number of the one that is picked in its list.
    """

    moment: int | None = None
    frozen: Frozen | None = None
    width: int | None = None
    timeline_width: int | None = None
    member: int | None = None
    mode: Mode = "window"
    window: int = 512
    curves: int = 0
    order: str = ORDERS[0]
    of_strategies: bool = False
    event: int | None = None
    subroutine: int | None = None
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

    def looked(self, columns: int, width: int, steps: int) -> Viewport:
        """Further back or ahead by so many columns, up to the newest step."""
        here = steps if self.moment is None else self.moment
        here = -(-here // width) if columns < 0 else here // width
        there = (here + columns) * width
        return self.at_newest() if there >= steps else self.at(there, steps)

    def zoomed(self, by: int, columns: int, steps: int) -> Viewport:
        """In or out by a factor of two; out of the whole run there is no way."""
        return replace(self, width=_zoomed(self.width, by, columns, steps))

    def timeline_zoomed(self, by: int, columns: int, steps: int) -> Viewport:
        return replace(self, timeline_width=_zoomed(self.timeline_width, by, columns, steps))

    def next_member(self, shown: int, count: int) -> Viewport:
        """The one above the one that is shown; above the largest stands FTL's leader."""
        if self.member is None:
            return replace(self, member=(shown + 1) % count)
        following = self.member + 1
        return replace(self, member=following if following < count else None)

    def next_mode(self) -> Viewport:
        return replace(self, mode=_next(MODES, self.mode))

    def next_window(self) -> Viewport:
        return replace(self, window=_next(WINDOWS, self.window))

    def next_curves(self) -> Viewport:
        return replace(self, curves=(self.curves + 1) % len(CURVES))

    def other_weights(self) -> Viewport:
        return replace(self, of_strategies=not self.of_strategies)

    def next_order(self) -> Viewport:
        return replace(self, order=_next(ORDERS, self.order))


def _zoomed(width: int | None, by: int, columns: int, steps: int) -> int | None:
    whole = whole_width(columns, steps)
    width = whole if width is None else min(width, whole)
    width = max(width // 2, 1) if by > 0 else width * 2
    return None if width >= whole else width


def _next(choices: tuple, chosen):  # type: ignore[no-untyped-def, type-arg]
    return choices[(choices.index(chosen) + 1) % len(choices)]
