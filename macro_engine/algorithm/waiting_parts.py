"""Divides the steps that wait for labels into parts, so that each step is stored once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from macro_engine.algorithm.closed_state import restored_steps, state_of
from macro_engine.algorithm.closed_steps import ClosedSteps
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.core.rows import Columns
from macro_engine.core.state import DamagedError, Part, State

ROWS = 256  # of the stream, the steps that begin in which are one part


@dataclass(frozen=True)
class StoredPart:
    """Where a part begins and ends, in steps of the stream."""

    name: str
    first: int
    stop: int


class WaitingParts:
    """Says which parts to store.

    The n-th part has the steps that begin in the n-th `ROWS` rows of the stream: which steps
    it has does not depend on when it was stored. Closed steps never change. So a part is written
    again only while steps are added to it, and dropped when all of them are complete.

    Attributes
    ----------
    parts
        Those that are stored, in order.
    stored
        Steps before this one are in a part, or complete.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.parts: deque[StoredPart] = deque()
        self.stored = 0
        self.is_resumed = False

    def commit(
        self, waiting: deque[ClosedSteps], completed: int, is_whole: bool
    ) -> dict[str, Part]:
        """Returns the parts to store, by name; None for a part to delete.

        A part is made where it is written, so that memory never holds all of them.

        Parameters
        ----------
        waiting
            The steps that wait; some of the first may be complete.
        completed
            How many steps are complete.
        is_whole
            Whether no part may have steps that are complete.
        """
        found: dict[str, Part] = {}
        if is_whole or self.is_resumed:
            found = {part.name: None for part in self.parts}
            self.parts.clear()
            self.stored, self.is_resumed = completed, False
        while self.parts and self.parts[0].stop <= completed:
            found[self.parts.popleft().name] = None
        fresh = by_parts(_from(waiting, max(self.stored, completed)))
        first = next(fresh, None)
        if first is not None and self.parts and self.parts[-1].name == first[0]:  # it grows
            begin = max(self.parts.pop().first, completed)
            fresh = by_parts(_from(waiting, begin))
            first = next(fresh)
        while first is not None:
            name, steps = first
            found[name] = partial(_stored, steps, self.ensemble)
            self.parts.append(StoredPart(name, steps[0].first, steps[-1].stop))
            self.stored = steps[-1].stop
            first = next(fresh, None)
        return found

    def restored(
        self, stored: Mapping[str, State], columns: Columns, completed: int, closed: int
    ) -> deque[ClosedSteps]:
        """The steps that wait, from what was stored; so many were complete, and closed."""
        waiting, stop = deque[ClosedSteps](), completed
        named = [
            (restored_steps(state, self.ensemble, columns), name) for name, state in stored.items()
        ]
        for steps, name in sorted(named, key=lambda pair: pair[0].first):
            is_next = steps.first == stop if waiting else steps.first <= stop
            if not is_next or steps.stop < stop:
                raise DamagedError("in its state the steps that wait for labels are incomplete")
            self.parts.append(StoredPart(name, steps.first, steps.stop))
            if steps.stop > completed:
                waiting.append(steps)
            stop = steps.stop
        if stop != closed:
            raise DamagedError("in its state the steps that wait for labels are incomplete")
        self.stored, self.is_resumed = closed, True
        return waiting


def by_parts(waiting: Sequence[ClosedSteps]) -> Iterator[tuple[str, list[ClosedSteps]]]:
    """The name of each part, and its steps, of steps that follow each other."""
    name, found = "", list[ClosedSteps]()
    for steps in waiting:
        block = steps.block
        numbers = (block.first_row + block.starts[:-1]) // ROWS
        edges = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), steps.steps]
        for a, b in pairwise(edges):
            if found and name != str(numbers[a]):
                yield name, found
                found = []
            name = str(numbers[a])
            found.append(steps.cut(steps.first + a, steps.first + b))
    if found:
        yield name, found


def _from(waiting: deque[ClosedSteps], first: int) -> list[ClosedSteps]:
    """The steps from one on."""
    found = deque[ClosedSteps]()
    for steps in reversed(waiting):  # of which the last are asked for
        if steps.stop <= first:
            break
        found.appendleft(steps.cut(max(first, steps.first), steps.stop))
    return [*found]


def _stored(steps: Sequence[ClosedSteps], ensemble: Ensemble) -> State:
    return state_of(ClosedSteps.join(steps), ensemble)
