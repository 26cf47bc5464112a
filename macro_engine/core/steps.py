"""The results of a sequence of steps, column by column.

A column is declared once, by the annotation of its attribute in `Steps`: along which axes it runs,
how its values are stored, and in which part of a record. Joining, cutting, storing, reading and
checking are driven by these declarations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.names import Names
from macro_engine.core.rows import Bools, Counts, Floats, Ints
from macro_engine.core.smallest_type import Narrow
from macro_engine.core.tally import tallied
from macro_engine.core.totals import Totals

NEAREST = 5  # subroutines in a list of the nearest
PIECE_STEPS = 4096  # that are stored together at most
PIECE_ROWS = 1 << 16  # likewise, unless a single step has more


class Axis(Enum):
    """The axes of a column."""

    STEP = "step"
    ROW = "row"
    LIST = "list"  # a list of the nearest, in the order of steps, then members
    SERIES = "series"
    MEMBER = "member"
    PREDICTOR = "predictor"  # the series, then the members
    CLASS = "class"
    NEAREST = "nearest"
    SHOWN = "shown"


class Codec(Enum):
    """The encoding of a column in a file."""

    COUNTS = "counts"  # whole numbers from 0 on
    FLAGS = "flags"  # true or false
    TIMES = "times"  # int64, stored as differences
    DOUBLES = "doubles"  # float64, to the last bit
    SINGLES = "singles"  # float32
    PROBABILITIES = "probabilities"  # float32, whose sum along the last axis is about 1
    DISTANCES = "distances"  # float16, or float32 where one is too large for that


GROWING = (Axis.STEP, Axis.ROW, Axis.LIST)


@dataclass(frozen=True)
class ResultColumn:
    """The declaration of a column.

    Attributes
    ----------
    axes
        Exactly one of them grows with the stretch: steps, rows or lists.
    part
        The part of a record that holds it, so that readers need not read everything.
    below
        An axis whose length the values do not reach.
    """

    axes: tuple[Axis, ...]
    codec: Codec
    part: str
    below: Axis | None = None

    @property
    def grows_along(self) -> int:
        """Which of its axes grows."""
        return next(i for i, axis in enumerate(self.axes) if axis in GROWING)


_S, _R, _L = Axis.STEP, Axis.ROW, Axis.LIST
_M, _P, _N = Axis.MEMBER, Axis.PREDICTOR, Axis.NEAREST
_COUNTS, _FLAGS = Codec.COUNTS, Codec.FLAGS


@dataclass(frozen=True, eq=False, kw_only=True)
class Steps:
    """Steps in succession.

    Attributes
    ----------
    before
        The totals before the first of the steps.
    lengths
        Rows of each step.
    leaders
        The index of the member that `Names.leading` followed; None where no strategy shows it.
    late, rejected
        By steps, as in `Block`.
    wrong
        Rows that each predictor got wrong.
    active, subroutines, born, close, distance
        Members by steps: the number of the active subroutine, from 1; how many there are, after a
        birth; whether the active one was born for the step; how many are within the threshold; the
        active one's distance, NaN at a birth.
    listed
        Members by steps: whether the nearest subroutines are listed. They are where the active
        one changes, and at the first step of what is stored or computed together.
    nearest, distances
        The lists: subroutines with the smallest distance before a birth, nearest first and 0 where
        there are fewer; about 3 digits of the distances, of which a negative one is a lower bound.
    times
        By rows, in microseconds since 1970; None where the stream has none.
    labels, predictions
        Class indices: by rows, and predictors by rows.
    probabilities
        Series by rows by classes, NaN where a series has none; None if not requested.
    shown
        By `Names.shown` and steps: what strategies show; None where none shows anything.
    labelled, known
        Where labels come late: how many rows of each step got a label, and which; the label of the
        others means nothing. None where all have one.
    """

    first_step: int
    first_row: int
    before: Totals
    lengths: Annotated[Counts, ResultColumn((_S,), _COUNTS, "steps")]
    late: Annotated[Counts, ResultColumn((_S,), _COUNTS, "steps")]
    rejected: Annotated[Counts, ResultColumn((_S,), _COUNTS, "steps")]
    wrong: Annotated[Counts, ResultColumn((_P, _S), _COUNTS, "steps")]
    active: Annotated[Counts, ResultColumn((_M, _S), _COUNTS, "steps")]
    subroutines: Annotated[Counts, ResultColumn((_M, _S), _COUNTS, "steps")]
    born: Annotated[Bools, ResultColumn((_M, _S), _FLAGS, "steps")]
    close: Annotated[Counts, ResultColumn((_M, _S), _COUNTS, "choices")]
    distance: Annotated[Floats, ResultColumn((_M, _S), Codec.DOUBLES, "choices")]
    listed: Annotated[Bools, ResultColumn((_M, _S), _FLAGS, "choices")]
    nearest: Annotated[Counts, ResultColumn((_L, _N), _COUNTS, "choices")]
    distances: Annotated[Narrow, ResultColumn((_L, _N), Codec.DISTANCES, "choices")]
    labels: Annotated[Counts, ResultColumn((_R,), _COUNTS, "rows", below=Axis.CLASS)]
    predictions: Annotated[Counts, ResultColumn((_P, _R), _COUNTS, "rows", below=Axis.CLASS)]
    times: Annotated[Ints | None, ResultColumn((_R,), Codec.TIMES, "rows")] = None
    leaders: Annotated[Counts | None, ResultColumn((_S,), _COUNTS, "steps", below=_M)] = None
    probabilities: Annotated[
        NDArray[np.float32] | None,
        ResultColumn((Axis.SERIES, _R, Axis.CLASS), Codec.PROBABILITIES, "rows"),
    ] = None
    shown: Annotated[
        NDArray[np.float32] | None, ResultColumn((Axis.SHOWN, _S), Codec.SINGLES, "steps")
    ] = None
    labelled: Annotated[Counts | None, ResultColumn((_S,), _COUNTS, "steps")] = None
    known: Annotated[Bools | None, ResultColumn((_R,), _FLAGS, "rows")] = None

    @property
    def names(self) -> Names:
        return self.before.names

    @property
    def steps(self) -> int:
        return len(self.lengths)

    @property
    def stop(self) -> int:
        """The number of the step after the last one."""
        return self.first_step + self.steps

    @property
    def rows(self) -> int:
        return len(self.labels)

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays."""
        return sum(getattr(self, name).nbytes for name in self.present)

    @property
    def present(self) -> list[str]:
        """The columns that it has: all but optional ones that were not computed."""
        return [name for name in COLUMNS if getattr(self, name) is not None]

    @property
    def starts(self) -> Ints:
        """Where each step begins among the rows, and at the end the number of rows."""
        return np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])

    @property
    def judged(self) -> Counts:
        """Rows of each step that have a label: errors are shares of these."""
        return self.lengths if self.labelled is None else self.labelled

    @property
    def label_counts(self) -> Ints:
        """Rows of each class."""
        return self.labels_between(self.first_step, self.stop)[1]

    def labels_between(self, start: int, stop: int) -> tuple[int, Ints]:
        """Rows with a label of the steps from one number up to another, and rows of each class."""
        begin = int(self.lengths[: start - self.first_step].sum(dtype=np.int64))
        rows = int(self.lengths[start - self.first_step : stop - self.first_step].sum())
        span = slice(begin, begin + rows)
        labels = self.labels[span] if self.known is None else self.labels[span][self.known[span]]
        return len(labels), np.bincount(labels, minlength=self.names.classes)

    @property
    def first_times(self) -> Ints | None:
        """The time of each step's first row."""
        return None if self.times is None else self.times[self.starts[:-1]]

    def wrong_of(self, series: str) -> Counts:
        """Rows that a strategy or baseline got wrong, by steps."""
        wrong: Counts = self.wrong[self.names.index(series)]
        return wrong

    @property
    def member_wrong(self) -> Counts:
        """Rows that each member got wrong, by steps."""
        return self.wrong[len(self.names.series) :]

    @property
    def shown_members(self) -> Ints:
        """The member that is shown of each step: the leader, or the last one without leaders."""
        if self.leaders is None:
            return np.full(self.steps, len(self.names.members) - 1)
        return self.leaders.astype(np.int64)

    @property
    def losses_after(self) -> Floats:
        """The summed losses after each step, members by steps, added one after the other."""
        losses = self.member_wrong / np.maximum(self.judged, 1)
        summed = np.cumsum(np.concatenate([self.before.losses[:, None], losses], 1), axis=1)
        return summed[:, 1:]

    @property
    def after(self) -> Totals:
        """The totals after the last of the steps."""
        return self.totals(self.stop)

    def totals(self, step: int) -> Totals:
        """The totals before a step."""
        n = step - self.first_step
        return Totals(
            self.names,
            self.before.rows + int(self.judged[:n].sum(dtype=np.int64)),
            self.before.wrong + self.wrong[:, :n].sum(axis=1, dtype=np.int64),
            self.losses_after[:, n - 1] if n else self.before.losses,
            self.sums_after(np.array([n - 1]))[:, 0] if n else self.before.sums,
        )

    def sums_after(self, chosen: Ints) -> Floats:
        """The sums of `Tally` after some of the steps, which rise and are counted from 0."""
        labels, predictions, probabilities = self.labels, self.predictions, self.probabilities
        stops = self.starts[chosen + 1]
        if self.known is not None:
            labels, predictions = labels[self.known], predictions[:, self.known]
            probabilities = None if probabilities is None else probabilities[:, self.known]
            stops = np.concatenate([[0], np.cumsum(self.known)])[stops]
        return tallied(self.names, labels, predictions, probabilities, stops, self.before.sums)

    @staticmethod
    def join(parts: Sequence[Steps]) -> Steps:
        """Parts that follow each other, as one; an optional column must be in all of them."""
        first = parts[0]
        if len(parts) == 1:
            return first
        columns: dict[str, Any] = {}
        for name, column in COLUMNS.items():
            arrays = [getattr(part, name) for part in parts]
            if all(array is not None for array in arrays):
                columns[name] = np.concatenate(arrays, axis=column.grows_along)
        return Steps(
            first_step=first.first_step, first_row=first.first_row, before=first.before, **columns
        )

    @staticmethod
    def between(start: int, stop: int, parts: Sequence[Steps]) -> Steps:
        """The steps from one number up to another, which are in parts that follow each other."""
        return Steps.join(
            [part.cut(max(start, part.first_step), min(stop, part.stop)) for part in parts]
        )

    def cut(self, start: int, stop: int) -> Steps:
        """The steps from one number up to another, both counted from the stream's beginning."""
        if (start, stop) == (self.first_step, self.stop):
            return self
        a, b = start - self.first_step, stop - self.first_step
        starts = self.starts
        lists = [int(np.count_nonzero(self.listed[:, :n])) for n in (a, b)]
        spans = {
            Axis.STEP: slice(a, b),
            Axis.ROW: slice(int(starts[a]), int(starts[b])),
            Axis.LIST: slice(*lists),
        }
        columns: dict[str, Any] = {}
        for name in self.present:
            along = COLUMNS[name].grows_along
            span = spans[COLUMNS[name].axes[along]]
            columns[name] = getattr(self, name)[(slice(None),) * along + (span,)]
        first_row = self.first_row + int(starts[a])
        return Steps(first_step=start, first_row=first_row, before=self.totals(start), **columns)

    def lists_at(self, step: int) -> tuple[Ints, Ints, Floats]:
        """The newest list of each member at a step: of which step it is, numbers and distances.

        The step is -1 where these steps have none.
        """
        known = self.listed[:, : step - self.first_step + 1]
        k, n = known.shape
        back = known[:, ::-1].argmax(axis=1)
        members, places = np.arange(k), n - 1 - back
        found = known[members, places]
        counts = known.sum(axis=0)
        before = np.cumsum(counts) - counts  # lists of the steps before each
        among: Ints = np.cumsum(known, axis=0) - known  # lists of the members before each
        entries = before[places] + among[members, places]
        nearest = np.zeros((k, NEAREST), np.int64)
        distances = np.full((k, NEAREST), np.nan)
        nearest[found] = self.nearest[entries[found]]
        distances[found] = self.distances[entries[found]]
        return np.where(found, self.first_step + places, -1), nearest, distances

    def with_fewer_lists(self) -> Steps:
        """Without the lists of steps at which the active one does not change, but for the first."""
        keep = self.listed & changes(self.active)
        if np.array_equal(keep, self.listed):
            return self
        kept = keep.T[self.listed.T]
        columns = {name: getattr(self, name) for name in self.present}
        columns |= {
            "listed": keep,
            "nearest": self.nearest[kept],
            "distances": self.distances[kept],
        }
        return Steps(
            first_step=self.first_step, first_row=self.first_row, before=self.before, **columns
        )


def _declared() -> dict[str, ResultColumn]:
    hints = get_type_hints(Steps, include_extras=True)
    return {n: h.__metadata__[0] for n, h in hints.items() if hasattr(h, "__metadata__")}


COLUMNS = _declared()
OPTIONAL = frozenset(name for name in COLUMNS if getattr(Steps, name, ...) is None)
PARTS = tuple(dict.fromkeys(column.part for column in COLUMNS.values()))


def changes(active: Counts) -> Bools:
    """Where the active one is another than at the step before; the first step counts as one."""
    changed = np.ones(active.shape, np.bool_)
    np.not_equal(active[:, 1:], active[:, :-1], out=changed[:, 1:])
    return changed


def piece_starts(lengths: Counts) -> list[int]:
    """Where pieces start that may be stored together, given the rows of steps in succession."""
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    found, a = [], 0
    while a < len(lengths):
        found.append(a)
        fits = int(np.searchsorted(starts, starts[a] + PIECE_ROWS, side="right")) - 1
        a = min(max(fits, a + 1), a + PIECE_STEPS)
    return found
