"""The contents of one transaction of a run file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from macro_engine.core.state import Part
from macro_engine.core.steps import Steps
from macro_engine.run.events import Event
from macro_engine.stream.table import Rejection


@dataclass
class Batch:
    """The contents of one transaction; parts of a later state replace earlier ones."""

    results: list[Steps] = field(default_factory=list)
    events: list[tuple[int, Event]] = field(default_factory=list)
    rejected: list[tuple[int, Rejection]] = field(default_factory=list)
    state: dict[str, Part] | None = None
    info: dict[str, Any] = field(default_factory=dict)
    nbytes: int = 0

    def add(self, later: Batch) -> None:
        self.results += later.results
        self.events += later.events
        self.rejected += later.rejected
        if later.state is not None:
            self.state = (self.state or {}) | later.state
        self.info |= later.info
        self.nbytes += later.nbytes
