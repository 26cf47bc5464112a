"""Steps that are closed and wait for labels: in order, with all that was said of their rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from macro_engine.algorithm.closed_state import restored_steps, state_of
from macro_engine.algorithm.closed_steps import ClosedSteps, joined_blocks
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.algorithm.outcome import Outcome
from macro_engine.core.rows import Block, Columns
from macro_engine.core.state import DamagedError, State


class WaitingSteps:
    """Opens and closes the steps of blocks, and completes them when their labels are known.

    A part of the stored state has the steps that closed since the commit before. It is dropped when
    all of them are complete.

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
        self.parts: deque[tuple[int, int]] = deque()  # of each stored part: its name, last step
        self.stored = 0  # steps before this one are in a part
        self.next_part = 0

    @property
    def closed(self) -> int:
        return self.ensemble.family.step

    def run(self, block: Block) -> tuple[Block, Outcome] | None:
        """Take a block of steps in; the steps that are complete by then, if there are any."""
        completions = block.completions
        assert completions is not None
        first, last = self.completed, int(completions.before[-1])
        self.fresh = None
        if not block.steps and last <= first:  # only labels have come, and no step has all of its
            return None
        labels = completions.labels_between(first, last)
        steps = replace(block, completions=None, outcomes=None)
        own = max(last - block.first_step, 0)
        earlier = self._between(first, last - own)
        fresh, outcome = self.ensemble.run_late(
            steps, earlier, labels, np.maximum(completions.before - first, 0)
        )
        self.fresh = fresh
        if fresh is not None:
            self.steps.append(fresh)
        self.completed = max(last, first)
        while self.steps and self.steps[0].stop <= self.completed:
            self.steps.popleft()
        if outcome is None:
            return None
        parts = [part.block for part in earlier]
        done = joined_blocks([*parts, steps.cut(0, own)] if own else parts)
        return replace(done, rows=replace(done.rows, labels=labels)), outcome

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

    def commit(self, is_whole: bool) -> dict[str, State | None]:
        """The parts to store now, by name; None for one that is no more."""
        found: dict[str, State | None] = {}
        if is_whole:
            found = {str(name): None for name, _ in self.parts}
            self.parts.clear()
            self.stored = self.completed
        while self.parts and self.parts[0][1] < self.completed:
            found[str(self.parts.popleft()[0])] = None
        first, fresh = max(self.stored, self.completed), deque[ClosedSteps]()
        for part in reversed(self.steps):
            if part.stop <= first:
                break
            fresh.appendleft(part.cut(max(first, part.first), part.stop))
        if fresh:
            found[str(self.next_part)] = state_of(ClosedSteps.join([*fresh]), self.ensemble)
            self.parts.append((self.next_part, self.closed - 1))
            self.next_part += 1
        self.stored = self.closed
        return found

    def restore(self, parts: Mapping[str, State], columns: Columns, completed: int) -> None:
        """Go on from what was stored; the ensemble is restored already."""
        self.completed = stop = completed
        for name in sorted(parts, key=int):
            steps = restored_steps(parts[name], self.ensemble, columns)
            if not steps.first <= stop <= steps.stop:
                raise DamagedError("in its state the steps that wait for labels are not complete")
            if steps.stop > completed:
                self.steps.append(steps)
            stop = steps.stop
            self.parts.append((int(name), stop - 1))
        if stop != self.closed:
            raise DamagedError("in its state the steps that wait for labels are not complete")
        self.stored = self.closed
        self.next_part = self.parts[-1][0] + 1 if self.parts else 0
