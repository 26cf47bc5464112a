"""The interface through which screens, summaries, web pages and tests see a run.

`Session` is the view of a run in this process, `WatchedRun` the view of a run file. This module
also exports the types of the data, so that code that shows a run needs no other import.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from macro_engine.core.metrics import METRICS, Metric, measured, rarest
from macro_engine.core.rows import Ints
from macro_engine.core.tally import Tally
from macro_engine.run.alarms.alarms import Alarms, Change, Rule, parse
from macro_engine.run.events import KINDS, Event, parse_leader_change
from macro_engine.run.history.downsampled import Points
from macro_engine.run.history.history import Birth, History, Moment, Situation
from macro_engine.run.history.usage import Usage
from macro_engine.run.playing.pace import Destination
from macro_engine.run.playing.speed import Speed
from macro_engine.run.pulls import PART_NAMES
from macro_engine.run.rejected import RejectedReason
from macro_engine.run.score.lead import situation_text, standing
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.summary import Confusion, Earner, LeadSummary, MetricSummary, Summary
from macro_engine.run.wall import RunLine
from macro_engine.strategies import PAPER, PULL, TURNING, macro_of, prediction_of
from macro_engine.subroutines.parameters import MEANS, Parameters

__all__ = [
    "KINDS",
    "MEANS",
    "METRICS",
    "PAPER",
    "PART_NAMES",
    "PULL",
    "TURNING",
    "Alarms",
    "Birth",
    "Change",
    "Confusion",
    "Controls",
    "Destination",
    "Earner",
    "Event",
    "History",
    "LeadSummary",
    "Metric",
    "MetricSummary",
    "Moment",
    "Parameters",
    "Points",
    "RejectedReason",
    "Rule",
    "RunLine",
    "RunView",
    "Situation",
    "Snapshot",
    "Speed",
    "Summary",
    "Tally",
    "Usage",
    "macro_of",
    "measured",
    "parse",
    "parse_leader_change",
    "prediction_of",
    "rarest",
    "situation_text",
    "standing",
]


class Controls(Protocol):
    """The controls of a recording that is played.

    Attributes
    ----------
    paused
        Whether playing is paused.
    target
        The target that it runs to at full speed; None if there is none.
    speed
        The speed; None until enough rows are known to choose one.
    """

    paused: bool
    target: Destination | None
    speed: Speed | None

    def pause(self, paused: bool) -> None:
        """Pauses or resumes the run."""

    def step(self) -> None:
        """Runs one step, then pauses."""

    def set_speed(self, speed: Speed) -> None:
        """Changes the speed."""

    def go_to(self, target: Destination | None) -> None:
        """Runs at full speed to a target, then pauses; None cancels the target."""


class RunView(Protocol):
    """A read-only view of a run.

    Attributes
    ----------
    no_controls
        Why the view has no controls; empty for a recording that this process plays.
    can_note
        Whether `note` records anything.
    remarks
        Remarks about the stream and the run file for the user, in order.
    headline
        The guessed label and the reason; empty if the user named it.
    known_steps
        The number of steps that were recorded before this view was opened.
    error
        The exception that ended the run, if any.
    alarms
        The watched rules, and which of them are raised.
    """

    no_controls: str
    can_note: bool
    remarks: list[str]
    headline: str
    known_steps: int
    error: BaseException | None
    alarms: Alarms

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by option name; empty until they are known."""

    @property
    def guessed(self) -> list[str]:
        """The names of the settings that were not chosen by the user; empty until known."""

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""

    @property
    def history(self) -> History | None:
        """The recorded history of the run; None until there is one."""

    @property
    def controls(self) -> Controls | None:
        """The controls; None until the run is ready, and if `no_controls` says why."""

    @property
    def is_running(self) -> bool:
        """Whether the view still follows the run."""

    @property
    def after_leaving(self) -> str:
        """What happens to the run when its viewer leaves; empty if nothing."""

    @property
    def writing_seconds(self) -> float:
        """The longest time that a stop may wait for result files; 0 if there are none."""

    def events(
        self, kinds: Sequence[str] | None = None, text: str = "", after: int = -1
    ) -> list[tuple[int, Event]]:
        """Returns numbered events, in order: after a number, of some kinds, with a text."""

    def rejected(self) -> list[RejectedReason]:
        """Returns the reasons of rejected rows, the most frequent first."""

    def summary(self) -> Summary | None:
        """The summary; None before the first step is closed."""

    def parameters(self, member: int, number: int) -> Parameters | None:
        """Returns the parameters of a subroutine; None if its learner has none to show."""

    def updates(self, member: int) -> Ints | None:
        """The number of steps that each subroutine of a member has learned."""

    def set_alarms(self, rules: Sequence[Rule], on_change: Callable[[Change], None] = ...) -> None:
        """Watches these rules; call it before `start`. Calls `on_change` for each change."""

    def changed_alarms(self) -> list[Change]:
        """Returns the alarms raised and cleared since the last call."""

    def note(self, events: Sequence[Event]) -> None:
        """Records the user's events, such as bookmarks, if `can_note`."""

    def start(self) -> None:
        """Starts following the run."""

    def stop(self, patience: float) -> bool:
        """Requests the end and waits up to `patience` seconds; returns whether it came."""

    def abandon(self) -> None:
        """Leaves the files intact if the run does not end; the process must end now."""

    def close(self) -> None:
        """Releases all resources; the run must have ended."""
