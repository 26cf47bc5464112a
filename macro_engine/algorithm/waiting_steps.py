"""Steps that are closed and wait for labels: in order, with all that was said of their rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from macro_engine.algorithm.closed_steps import ClosedSteps
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.algorithm.waiting_parts import WaitingParts
from macro_engine.core.rows import Block, Columns
from macro_engine.core.state import Part, State
from macro_engine.core.steps import Steps
from macro_engine.core.totals import Totals

_TOGETHER = 256  # rows up to which steps that came one after the other are kept as one


class WaitingSteps:
    """Opens and closes the steps of blocks, and completes them when their labels are known.

    Attributes
    ----------
    closed
        How many steps were closed.
    completed
        How many steps were completed.
    steps
        Those that wait, as they came in blocks; the first ones of the first may be complete.
    fresh
        Those that the last block brought.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.completed = 0
        self.steps: deque[ClosedSteps] = deque()
        self.fresh: ClosedSteps | None = None
        self.parts = WaitingParts(ensemble)

    @property
    def closed(self) -> int:
        return self.ensemble.family.step

    def run(self, block: Block, totals: Totals) -> Steps | None:
        """Take a block of steps in; the steps that are complete by then, if there are any.

        Parameters
        ----------
        totals
            Those before the first step that is not complete yet.
        """
        completions = block.completions
        assert completions is not None
        first, last = self.completed, int(completions.before[-1])
        self.fresh = None
        if not block.steps and last <= first:  # only labels have come, and no step has all of its
            return None
        labels = completions.labels_between(first, last)
        own = max(last - block.first_step, 0)
        earlier = self._between(first, last - own)
        self.fresh, done = self.ensemble.run_late(
            replace(block, completions=None, outcomes=None),
            earlier,
            labels,
            np.maximum(completions.before - first, 0),
            totals,
        )
        if self.fresh is not None:
            self._append(self.fresh)
        self.completed = max(last, first)
        while self.steps and self.steps[0].stop <= self.completed:
            self.steps.popleft()
        return done

    def _append(self, steps: ClosedSteps) -> None:
        """Take steps in; few rows are kept together with those before them, which needs less."""
        while self.steps and (n := len(self.steps[-1].block.rows)) <= len(steps.block.rows):
            if n + len(steps.block.rows) > _TOGETHER:
                break
            steps = ClosedSteps.join([self.steps.pop(), steps])
        self.steps.append(steps)

    def _between(self, start: int, stop: int) -> list[ClosedSteps]:
        """The steps that wait, from one number up to another."""
        found: list[ClosedSteps] = []
        if stop <= start:
            return found
        for part in self.steps:  # of which the first are asked for
            if part.first < stop and part.stop > start:
                found.append(part.cut(max(start, part.first), min(stop, part.stop)))
            elif found:
                break
        return found

    def commit(self, is_whole: bool) -> dict[str, Part]:
        """The parts to store now, by name; None for one that is no more."""
        return self.parts.commit(self.steps, self.completed, is_whole)

    def restore(self, parts: Mapping[str, State], columns: Columns, completed: int) -> None:
        """Go on from what was stored; the ensemble is restored already."""
        self.completed = completed
        self.steps = self.parts.restored(parts, columns, completed, self.closed)
