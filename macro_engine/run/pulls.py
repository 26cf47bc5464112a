"""The part of a strategy's answer that pulls most, and its changes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from macro_engine.core.declared import Array, Declared
from macro_engine.core.escape import visible
from macro_engine.core.names import Names
from macro_engine.core.rows import Floats
from macro_engine.core.state import State
from macro_engine.core.steps import Steps
from macro_engine.strategies import PULL

_CLEARLY = 1.1  # times the pull of the part that leads, until another one takes the lead
PART_NAMES = {"macro": "MACRO"}  # as people write them


class PullLeads:
    """The leading part of the pull of each strategy.

    Attributes
    ----------
    leads
        By such strategies, the index of the part; -1 before any part pulls.
    """

    remembers = Declared(Array("leads", np.int64, ("strategies",), low=-1))

    def __init__(self, names: Names) -> None:
        self.lines = names.lines_of(PULL)
        self.parts = [one.part for one in names.shown]
        self.leads = np.full(len(self.lines), -1)

    def changes(self, results: Steps) -> dict[int, str]:
        """In words, by steps counted within the results, where another part takes a lead."""
        found: dict[int, list[str]] = {}
        if results.shown is None:
            return {}
        for i, (strategy, lines) in enumerate(self.lines.items()):
            pulls = np.nan_to_num(results.shown[lines].astype(np.float64))
            for s, before, now in _takeovers(pulls, int(self.leads[i])):
                self.leads[i] = now
                if before >= 0:
                    old, new = (_part_text(self.parts[lines[place]]) for place in (before, now))
                    text = f"{visible(strategy, 20)}: {new} takes the lead from {old}"
                    found.setdefault(s, []).append(text)
        return {s: "; ".join(texts) for s, texts in found.items()}

    def state(self) -> State:
        return self.remembers.state_of(self)

    def restore(self, state: State) -> None:
        if self.lines:  # else there may be one of a strategy that was left out
            self.remembers.restore(self, state, strategies=len(self.lines))


def _takeovers(pulls: Floats, lead: int) -> Iterator[tuple[int, int, int]]:
    """Steps at which another part leads, with the part before and the one from then on."""
    start, strongest = 0, pulls.max(axis=0)
    while start < len(strongest):
        before = pulls[lead, start:] if lead >= 0 else 0.0
        beaten = strongest[start:] > _CLEARLY * before
        if not beaten.any():
            return
        start += int(beaten.argmax())
        now = int(pulls[:, start].argmax())
        yield start, lead, now
        lead, start = now, start + 1


def _part_text(part: str) -> str:
    return PART_NAMES.get(part, visible(part, 20))
