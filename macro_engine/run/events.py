"""What happened in a run that an operator would want to know of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from macro_engine.algorithm.contest import Outcome
from macro_engine.rows import Block, Ints


@dataclass(frozen=True)
class Event:
    """Something that happened at a step, and its time if the stream has times."""

    step: int
    time: int | None
    text: str


class EventFinder:
    """Births and changes of the FTL leader, one event a step for each kind."""

    def __init__(self, thresholds: list[float]) -> None:
        self.thresholds = thresholds
        self.leader = len(thresholds) - 1

    def find(self, block: Block, outcome: Outcome) -> Iterator[Event]:
        born = outcome.family.born
        before = np.concatenate([[self.leader], outcome.leaders])
        changed = before[1:] != before[:-1]
        self.leader = int(before[-1])
        for s in np.flatnonzero(born.any(axis=0) | changed).tolist():
            step = block.first_step + s
            time = None if block.times is None else int(block.times[block.starts[s]])
            if changed[s]:
                old, new = self.thresholds[before[s]], self.thresholds[before[s + 1]]
                yield Event(step, time, f"FTL leader {old:g} -> {new:g}")
            if born[:, s].any():
                yield Event(step, time, self._births(outcome.family.active[:, s] * born[:, s]))

    def _births(self, numbers: Ints) -> str:
        """In words, given the number of each threshold's newborn, 0 where there is none."""
        everyone = "every threshold" if len(numbers) > 1 else f"{self.thresholds[0]:g}"
        newborns = []
        for number in np.unique(numbers[numbers > 0]).tolist():
            where = [self.thresholds[k] for k in np.flatnonzero(numbers == number)]
            at = ", ".join(f"{t:g}" for t in where) if len(where) < len(numbers) else everyone
            newborns.append(f"#{number} at {at}")
        return f"new subroutine {'; '.join(newborns)}"
