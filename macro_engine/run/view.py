"""What anything may know of a run: a screen, a summary, a web page or a test.

`Session` is the view of a run in this process, `WatchedRun` that of a run file. The types of the
data that a view hands out are exported from here; whoever shows a run needs nothing else of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from macro_engine.core.metrics import METRICS, Metric, measured, rarest
from macro_engine.core.rows import Ints
from macro_engine.core.tally import Tally
from macro_engine.run.alarms.alarms import Alarms, Change, Rule, parse
from macro_engine.run.events import KINDS, Event, leaders_told
from macro_engine.run.history.downsampled import Points
from macro_engine.run.history.history import Birth, History, Moment, Situation
from macro_engine.run.history.usage import Usage
from macro_engine.run.playing.pace import Destination
from macro_engine.run.playing.speed import Speed
from macro_engine.run.pulls import PART_NAMES
from macro_engine.run.rejected import RejectedReason
from macro_engine.run.score.lead import situation_text, standing
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.store.runfile import DroppedError
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
    "DroppedError",
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
    "leaders_told",
    "macro_of",
    "measured",
    "parse",
    "prediction_of",
    "rarest",
    "situation_text",
    "standing",
]


class Controls(Protocol):
    """How a recording is played.

    Attributes
    ----------
    paused
        Whether it is held.
    target
        Where it goes at full speed; None if nowhere.
    speed
        None until the recording is known well enough to choose one.
    """

    paused: bool
    target: Destination | None
    speed: Speed | None

    def pause(self, paused: bool) -> None:
        """Holds the run, or lets it go on."""

    def step(self) -> None:
        """Runs one step, then holds the run."""

    def set_speed(self, speed: Speed) -> None:
        """Plays at another speed."""

    def go_to(self, target: Destination | None) -> None:
        """Runs at full speed to a place, then holds the run; None drops the target."""


class RunView(Protocol):
    """A run, as far as others may know of it.

    Attributes
    ----------
    no_controls
        Why nobody here can play the run; empty for a recording that this process plays.
    can_note
        Whether `note` records anything.
    remarks
        Lines about the stream and the run file that the user should read, in order.
    headline
        Which label was guessed, and why; empty where it was named.
    known_steps
        How many steps were recorded before this view was opened.
    error
        What the run failed with.
    alarms
        The rules that are watched, and which of them call.
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
        """Those in force, by the names of the options; empty until they are known."""

    @property
    def guessed(self) -> list[str]:
        """The names of those that nobody chose, as they are shown; empty until they are known."""

    @property
    def snapshot(self) -> Snapshot:
        """Where the run stands."""

    @property
    def history(self) -> History | None:
        """The past of the run; None until there is one."""

    @property
    def controls(self) -> Controls | None:
        """How it is played; None until the run is ready, and where `no_controls` says why."""

    @property
    def is_running(self) -> bool:
        """Whether the view still follows the run."""

    @property
    def after_leaving(self) -> str:
        """What becomes of the run when its viewer leaves; empty if leaving ends nothing."""

    @property
    def writing_seconds(self) -> float:
        """For how long a stop may have to wait for result files; 0 if there are none."""

    def events(
        self, kinds: Sequence[str] | None = None, text: str = "", after: int = -1
    ) -> list[tuple[int, Event]]:
        """Events with their numbers, in order: those after a number, of some kinds, with a text."""

    def rejected(self) -> list[RejectedReason]:
        """Why rows were turned away, the most frequent reason first."""

    def summary(self) -> Summary | None:
        """The run in numbers; None before the first step is closed."""

    def parameters(self, member: int, number: int) -> Parameters | None:
        """What a subroutine knows, where its learner can tell."""

    def updates(self, member: int) -> Ints | None:
        """How many steps each subroutine of a member has learned."""

    def set_alarms(self, rules: Sequence[Rule], on_change: Callable[[Change], None] = ...) -> None:
        """Watches for these rules; before `start`. `on_change` is told of each that changes."""

    def changed_alarms(self) -> list[Change]:
        """What was raised and cleared since the last call."""

    def note(self, events: Sequence[Event]) -> None:
        """Records events of the user's, such as a bookmark, if `can_note`."""

    def start(self) -> None:
        """Starts to follow the run."""

    def stop(self, patience: float) -> bool:
        """Asks for an end and waits for it so many seconds; whether it came."""

    def abandon(self) -> None:
        """Leaves whole files behind where the run does not end; the process must end now."""

    def close(self) -> None:
        """Lets go of everything; the run must have ended."""
