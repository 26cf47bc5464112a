"""A stormy week of a shipped recording, for `macro-tui demo`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_LAST_STEPS = 3_600_000_000  # before the rows at a pace, of which the last is not closed yet


@dataclass(frozen=True)
class Storm:
    """Some days of a recording.

    Attributes
    ----------
    begins
        From here on rows come at their pace.
    days
        How many are played.
    before
        How many days before are written at once, so that there is a past to compare with.
    """

    begins: datetime = datetime(2001, 4, 4, 12)
    days: float = 7.0
    before: float = 93.5

    @property
    def first(self) -> datetime:
        return self.begins - timedelta(days=self.before)

    @property
    def last(self) -> datetime:
        return self.begins + timedelta(days=self.days)

    def is_reached(self, time: int | None) -> bool:
        """Whether a run at this time, in microseconds since 1970, has read what lies before."""
        return time is not None and time >= self.microseconds - _LAST_STEPS

    @property
    def microseconds(self) -> int:
        """When it begins, since 1970."""
        return round(self.begins.replace(tzinfo=UTC).timestamp() * 1e6)
