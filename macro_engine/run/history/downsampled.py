"""The totals of a run at every n-th step, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from macro_engine.core.names import Names
from macro_engine.core.rows import Floats, Ints
from macro_engine.core.steps import Steps
from macro_engine.core.tally import numbers


@dataclass(frozen=True, eq=False)
class Points:
    """Values at some moments; a moment is the number of steps before it.

    Attributes
    ----------
    moments
        Rising.
    rows
        Of all steps before.
    wrong
        Predictors by moments: rows that each got wrong before.
    losses
        Members by moments: summed losses before.
    sums
        Of `Tally`, by moments: those of the rows before.
    subroutines, active
        Members by moments, of the last step before: how many there were, and which one
        predicted; 0 at the very beginning.
    leader
        The index of the member that is shown of the last step before, as `Steps.shown_members`.
    times
        Of the first row of the last step before; None where the stream has none.
    shown
        By `Names.shown` and moments: what strategies showed in the last step before; NaN at the
        very beginning.
    """

    moments: Ints
    rows: Ints
    wrong: Ints
    losses: Floats
    sums: Floats
    subroutines: Ints
    active: Ints
    leader: Ints
    times: Ints | None
    shown: Floats

    @staticmethod
    def beginning(names: Names, has_times: bool) -> Points:
        """The one moment before anything happened."""
        k = len(names.members)
        return Points(
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros((names.predictors, 1), np.int64),
            np.zeros((k, 1)),
            np.zeros((numbers(names), 1)),
            np.zeros((k, 1), np.int64),
            np.zeros((k, 1), np.int64),
            np.full(1, k - 1),
            np.zeros(1, np.int64) if has_times else None,
            np.full((len(names.shown), 1), np.nan),
        )

    @staticmethod
    def before(results: Steps) -> Points:
        """The one moment before the first of some steps."""
        if not results.first_step:
            return Points.beginning(results.names, results.times is not None)
        times = results.first_times
        return Points(
            np.array([results.first_step]),
            np.array([results.before.rows]),
            results.before.wrong[:, None],
            results.before.losses[:, None],
            results.before.sums[:, None],
            results.subroutines[:, :1].astype(np.int64) - results.born[:, :1],
            np.zeros((len(results.active), 1), np.int64),
            results.shown_members[:1],
            None if times is None else times[:1],
            _shown(results, np.zeros(1, np.int64)),
        )

    @staticmethod
    def after_steps(results: Steps, chosen: Ints) -> Points:
        """The moments after some of the steps, which are counted within the results."""
        summed_wrong = np.cumsum(results.wrong, axis=1, dtype=np.int64)
        times = results.first_times
        return Points(
            results.first_step + chosen + 1,
            results.before.rows + np.cumsum(results.judged, dtype=np.int64)[chosen],
            results.before.wrong[:, None] + summed_wrong[:, chosen],
            results.losses_after[:, chosen],
            results.sums_after(chosen),
            results.subroutines[:, chosen].astype(np.int64),
            results.active[:, chosen].astype(np.int64),
            results.shown_members[chosen],
            None if times is None else times[chosen],
            _shown(results, chosen),
        )

    def take(self, places: Ints) -> Points:
        return Points(
            self.moments[places],
            self.rows[places],
            self.wrong[:, places],
            self.losses[:, places],
            self.sums[:, places],
            self.subroutines[:, places],
            self.active[:, places],
            self.leader[places],
            None if self.times is None else self.times[places],
            self.shown[:, places],
        )

    def put(self, places: Ints, others: Points) -> None:
        """Overwrites the values at some indices."""
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(others, field.name)
            if mine is not None:
                mine[..., places] = theirs

    @staticmethod
    def join(parts: list[Points]) -> Points:
        times = [part.times for part in parts if part.times is not None]
        return Points(
            np.concatenate([part.moments for part in parts]),
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.wrong for part in parts], axis=1),
            np.concatenate([part.losses for part in parts], axis=1),
            np.concatenate([part.sums for part in parts], axis=1),
            np.concatenate([part.subroutines for part in parts], axis=1),
            np.concatenate([part.active for part in parts], axis=1),
            np.concatenate([part.leader for part in parts]),
            np.concatenate(times) if times else None,
            np.concatenate([part.shown for part in parts], axis=1),
        )


def _shown(results: Steps, chosen: Ints) -> Floats:
    if results.shown is None:
        return np.full((len(results.names.shown), len(chosen)), np.nan)
    return results.shown[:, chosen].astype(np.float64)


class Downsampled:
    """Points at all multiples of a stride, which doubles when there are too many of them."""

    MOST, FEWEST = 16_384, 1_024
    NUMBERS = 1 << 20  # of sums, beyond which there are fewer points; it takes many classes

    def __init__(self, first: Steps) -> None:
        self.stride = 1
        room = max(self.NUMBERS // numbers(first.names), self.FEWEST)
        self.most = min(room, self.MOST)
        self.whole = Points.before(first)
        self.fresh: list[Points] = []  # not joined to the whole yet

    def append(self, results: Steps) -> None:
        moments = results.first_step + 1 + np.arange(results.steps)
        chosen = np.flatnonzero(moments % self.stride == 0)
        if len(chosen):
            self.fresh.append(Points.after_steps(results, chosen))
        if len(self.whole.moments) + sum(len(p.moments) for p in self.fresh) > self.most:
            self.points()
            while len(self.whole.moments) > self.most // 2 + 1:
                self.stride *= 2
                self.whole = self.whole.take(np.arange(0, len(self.whole.moments), 2))

    def points(self) -> Points:
        """All of them, from the beginning on."""
        if self.fresh:
            self.whole = Points.join([self.whole, *self.fresh])
            self.fresh = []
        return self.whole
