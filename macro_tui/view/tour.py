"""The guided tour: one line for each panel, when something first happens in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from macro_engine.run.view import Alarms, Snapshot
from macro_tui.view.rows import Row
from macro_tui.view.scene import Scene

SHOWN_SECONDS = 8.0  # at least, before the next line
_IDLE_SECONDS = 16.0  # until the keys are shown again
_STORM = 0.6  # share of the rarer class before a step


@dataclass(frozen=True)
class TourState:
    """The state of a tour: the current frame, and the events until now."""

    scene: Scene | None
    snapshot: Snapshot
    alarms: Alarms
    kinds: frozenset[str]  # of events
    since: int  # what the tour is about begins here, in microseconds since 1970


@dataclass(frozen=True)
class TourStop:
    """One line of a tour, and when its time has come."""

    text: str
    has_come: Callable[[TourState], bool]
    is_urgent: bool = False  # it is said before those that wait


def _rows_come(sight: TourState) -> bool:
    return sight.scene is not None


def _has_window(sight: TourState) -> bool:
    return sight.scene is not None and sight.scene.steps > sight.scene.view.window


def _several_were_used(sight: TourState) -> bool:
    scene = sight.scene
    return scene is not None and int((scene.usage.uses > 0).sum()) > 1


def _is_past_beginning(sight: TourState) -> bool:
    return (sight.snapshot.time or 0) >= sight.since


def _storm(sight: TourState) -> bool:
    if not _is_past_beginning(sight) or sight.scene is None:
        return False
    situation = sight.scene.history.situation(sight.scene.steps, sight.scene.member)
    return int(situation.labels[1]) > _STORM * max(situation.rows, 1)


def _event(*kinds: str) -> Callable[[TourState], bool]:
    return lambda sight: not sight.kinds.isdisjoint(kinds)


STOPS = (
    TourStop("arrivals as they come in: will each be more than 15 minutes late?", lambda _: True),
    TourStop(
        "line 1: the feed; line 2: who errs less, MACRO or one model for everything", _rows_come
    ),
    TourStop("[1] green is MACRO's lead over one model trained on everything", _has_window),
    TourStop("the months before are read; from here on it is live", _is_past_beginning),
    TourStop(
        "[2] the subroutine, a small model, that predicts now, and why it is the one", _rows_come
    ),
    TourStop("[3] time runs to the right: a sign for who was active", _several_were_used),
    TourStop("[4] how alike is alike? FTL and EWA choose among thresholds", _event("leader")),
    TourStop("a subroutine is born for hours unlike any before; marks below [1]", _event("birth")),
    TourStop("[6] every subroutine and what it earned; Enter opens one, Esc is back", _has_window),
    TourStop("[5] what happened so far; Enter jumps there, End returns", _event("birth", "leader")),
    TourStop("the storm: most are late now, and subroutines of bad hours take over", _storm, True),
    TourStop(
        "ALARM in line 2: the error passed its limit, the bell rang; a answers",
        lambda sight: bool(sight.alarms.calling),
        True,
    ),
    TourStop("left looks back while the engine goes on; i: a crosshair; End returns", _has_window),
    TourStop(
        "the week is over and the feed is silent; q leaves, the summary stays",
        lambda sight: any("no rows" in change.rule.text for change in sight.alarms.calling),
        True,
    ),
)


class Tour:
    """Goes through the stops, each for a while; those without an occasion are left out.

    The last one ends it, and stays.

    Parameters
    ----------
    since
        When the week begins that the tour is about, in microseconds since 1970.

    Attributes
    ----------
    text
        The line to show now; empty if there is none.
    told
        How many stops were shown.
    """

    def __init__(self, since: int) -> None:
        self.since = since
        self.waiting = list(STOPS)
        self.text = ""
        self.shown_at = float("-inf")
        self.told = 0

    def look(self, sight: TourState, now: float) -> bool:
        """Takes the next stop whose time has come; returns whether the line changed."""
        if now - self.shown_at < SHOWN_SECONDS:
            return False
        stop = self._next(sight)
        if stop is not None:
            self.waiting.remove(stop)
            if stop is STOPS[-1]:
                self.waiting = []
            self.told += 1
            self.text, self.shown_at = stop.text, now
            return True
        if self.text and self.waiting and now - self.shown_at >= _IDLE_SECONDS:
            self.text = ""
            return True
        return False

    def _next(self, sight: TourState) -> TourStop | None:
        come = [stop for stop in self.waiting if stop.has_come(sight)]
        return next((stop for stop in come if stop.is_urgent), next(iter(come), None))

    def row(self) -> Row:
        return [(f" {self.told} ", "cursor"), (f" {self.text}", "strong")]
