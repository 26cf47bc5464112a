"""Labels that become known after their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from macro_engine.core.rows import Ints

NEVER = 1 << 62


@dataclass(frozen=True, eq=False)
class Completions:
    """Steps that are complete before the steps of a block open.

    Attributes
    ----------
    first_step
        The number of the first of them.
    before
        For each step of the block: how many steps of the stream are complete before it opens. One
        more at the end: how many are after the block.
    starts, labels
        Where each of them begins in `labels`, which are class indices, -1 for one that never came.
    """

    first_step: int
    before: Ints
    starts: Ints
    labels: Ints

    @property
    def steps(self) -> int:
        return len(self.starts) - 1

    def labels_between(self, start: int, stop: int) -> Ints:
        """Returns the labels of the steps from one number up to another."""
        a, b = start - self.first_step, max(start, stop) - self.first_step
        return self.labels[self.starts[a] : self.starts[b]] if b > a else self.labels[:0]

    def cut(self, start: int, stop: int) -> Completions:
        """What holds for some steps of the block; the last one takes what comes after it."""
        before = self.before[start : stop + 1].copy()
        if stop < len(self.before) - 1:
            before[-1] = before[-2] if len(before) > 1 else self.first_step
        return Completions(self.first_step, before, self.starts, self.labels)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Labels that are known now.

    Attributes
    ----------
    rows, steps
        The numbers of their rows in the stream, and of the steps.
    known
        The number of the row at which each was known.
    """

    rows: Ints
    known: Ints
    steps: Ints
    times: Ints | None
    keys: Sequence[str] | None
    labels: Ints

    def __len__(self) -> int:
        return len(self.rows)

    def between(self, first: int, last: int) -> Outcomes:
        """Returns the outcomes known from one row up to another."""
        return self.where(np.flatnonzero((self.known >= first) & (self.known <= last)))

    def where(self, chosen: Ints) -> Outcomes:
        """Some of them, by their places."""
        return Outcomes(
            self.rows[chosen],
            self.known[chosen],
            self.steps[chosen],
            None if self.times is None else self.times[chosen],
            None if self.keys is None else [self.keys[i] for i in chosen.tolist()],
            self.labels[chosen],
        )
