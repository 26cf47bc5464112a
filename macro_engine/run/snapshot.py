"""Where a run stands, as one immutable value that may be looked at from any thread."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Snapshot:
    """The newest state of affairs.

    Attributes
    ----------
    state
        In a word: `starting`, `learning`, `running`, `quiet`, `paused`, `waiting`, `gone` (who
        writes the run file that is watched), `finished`, `stopped`, `failed`.
    words
        The same in a sentence for the user.
    steps, rows, time
        Closed steps, their rows, and the time of the newest row in microseconds since 1970.
    done
        The share of the input that has been played; None where there is no end.
    rate
        Rows a second, of late.
    speed
        How fast it is asked to play, in words.
    errors
        By strategy; with `threshold_errors` and `subroutines`, one for each threshold.
    came
        On a live feed: when rows last came, or it was begun, in seconds since 1970.
    open_rows, open_errors
        On a live feed: the rows of the open step so far, and the share of them that each strategy
        got wrong.
    said
        For the newest row of the open step: the label, and what each strategy said, by name.
    recording
        The state of the run file in words; empty where there is none to speak of.
    """

    state: str = "starting"
    words: str = "starting"
    steps: int = 0
    rows: int = 0
    time: int | None = None
    done: float | None = None
    rate: float = 0.0
    speed: str = "max"
    path: str = ""
    rejected: int = 0
    late: int = 0
    unanswered: int = 0
    references: int = 0
    distance_share: float = 0.0
    errors: dict[str, float] = field(default_factory=dict)
    threshold_errors: tuple[float, ...] = ()
    subroutines: tuple[int, ...] = ()
    came: float | None = None
    open_rows: int = 0
    open_errors: dict[str, float] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    recording: str = ""

    @property
    def has_ended(self) -> bool:
        return self.state in ("finished", "stopped", "failed")
