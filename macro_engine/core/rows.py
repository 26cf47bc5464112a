"""Encoded rows of a stream, which distances compare and subroutines learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.declared import Array, Declared
from macro_engine.core.smallest_type import Counts as Counts
from macro_engine.core.state import DamagedError, State

if TYPE_CHECKING:
    from macro_engine.core.late_labels import Completions, Outcomes

SLOTS = 1024  # one-hot columns of a category at most
# From here on squares overflow in sums over many columns, and compiled sums need not be the others.
LARGEST = 1e150

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Columns:
    """The encoded columns, in the order in which every sum over them runs.

    A category has one column for each of its slots, named in `slots`: those known so far. Later
    rows may come with more of them, at the end of each category, and never with fewer. The last
    `made_numbers` and `made_categories` of them were made from the time, and no distance compares
    them.
    """

    numbers: tuple[str, ...]
    categories: tuple[str, ...] = ()
    slots: tuple[tuple[str, ...], ...] = ()
    made_numbers: int = 0
    made_categories: int = 0

    def state(self) -> State:
        return {"slots": [list(names) for names in self.slots]}

    def restored(self, state: State) -> Columns:
        """The same columns with the slots of a state."""
        slots = state.get("slots")
        if (
            not isinstance(slots, list)
            or len(slots) != len(self.categories)
            or not all(isinstance(names, list) and len(names) <= SLOTS for names in slots)
        ):
            raise DamagedError("in its state the categories are not those of the stream")
        return replace(self, slots=tuple(tuple(map(str, names)) for names in slots))

    @property
    def compared(self) -> Columns:
        """The columns that a distance may compare."""
        if not self.made_numbers and not self.made_categories:
            return self
        numbers = len(self.numbers) - self.made_numbers
        categories = len(self.categories) - self.made_categories
        return Columns(
            self.numbers[:numbers], self.categories[:categories], self.slots[:categories]
        )

    @property
    def widths(self) -> list[int]:
        """The number of numeric columns, then of those of each category."""
        return [len(self.numbers), *map(len, self.slots)]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows in stream order.

    Attributes
    ----------
    numbers
        The numeric columns as learners see them, scaled unless that is not wanted, rows by columns.
    slots
        For each category, which of its one-hot columns is 1, rows by categories.
    labels
        The index of each row's class in the class tuple.
    raw
        The numbers as they stand in the stream, where a distance wants them and `numbers` are not.
    units
        The numbers as tiles see them, in [0, 1]; None if not needed.
    """

    numbers: Floats
    slots: Ints
    labels: Ints
    columns: Columns
    raw: Floats | None = None
    units: Floats | None = None

    remembers: ClassVar = Declared(
        Array("labels", np.int64, ("rows",), low=0, below="classes", shared=True),
        Array("slots", np.int64, ("rows", "categories"), low=0, shared=True),
        Array("numbers", np.float64, ("rows", "columns"), shared=True),
    )

    def __len__(self) -> int:
        return len(self.labels)

    def cut(self, start: int, stop: int) -> Rows:
        return Rows(
            self.numbers[start:stop],
            self.slots[start:stop],
            self.labels[start:stop],
            self.columns,
            None if self.raw is None else self.raw[start:stop],
            None if self.units is None else self.units[start:stop],
        )

    def compared(self) -> Rows:
        """The rows as a distance compares them: with raw numbers, where it wants those."""
        numbers = self.numbers if self.raw is None else self.raw
        columns = self.columns.compared
        if columns is self.columns:
            return Rows(numbers, self.slots, self.labels, columns)
        return Rows(
            numbers[:, : len(columns.numbers)],
            self.slots[:, : len(columns.categories)],
            self.labels,
            columns,
        )

    @staticmethod
    def join(parts: Sequence[Rows], columns: Columns) -> Rows:
        """All rows of the parts, in order; no parts give no rows."""
        if not parts:
            return Rows(
                np.empty((0, len(columns.numbers))),
                np.empty((0, len(columns.categories)), np.int64),
                np.empty(0, np.int64),
                columns,
            )
        return Rows(
            np.concatenate([part.numbers for part in parts]),
            np.concatenate([part.slots for part in parts]),
            np.concatenate([part.labels for part in parts]),
            columns,
            joined([part.raw for part in parts]),
            joined([part.units for part in parts]),
        )

    def relaid(self, columns: Columns) -> Rows:
        """The rows over more numeric columns, 0 in those that they did not have."""
        numbers = np.zeros((len(self), len(columns.numbers)))
        place = {name: i for i, name in enumerate(columns.numbers)}
        numbers[:, [place[name] for name in self.columns.numbers]] = self.numbers
        return Rows(numbers, self.slots, self.labels, columns)

    def labelled(self, labels: Ints) -> Rows:
        """The rows whose labels are known, given all of them and -1 where one is not."""
        known = labels >= 0
        if known.all():
            return replace(self, labels=labels)
        return Rows(
            self.numbers[known],
            self.slots[known],
            labels[known],
            self.columns,
            None if self.raw is None else self.raw[known],
            None if self.units is None else self.units[known],
        )

    def state(self) -> State:
        return self.remembers.state_of(self)

    @staticmethod
    def restored(state: State, columns: Columns, classes: int) -> Rows:
        """The rows of a state, which have these columns and so many classes."""
        rows = Rows(
            columns=columns,
            **Rows.remembers.read(
                state,
                classes=classes,
                categories=len(columns.categories),
                columns=len(columns.numbers),
            ),
        )
        return rows.within_columns()

    def within_columns(self) -> Rows:
        """The same rows; an error if a category has a value that the columns do not have."""
        known = [len(names) for names in self.columns.slots]
        if len(self) and (self.slots >= known).any():
            raise DamagedError("in its state a category is out of range")
        return self

    @cached_property
    def dicts(self) -> list[dict[str, Any]]:
        """The rows as River models take them: numbers by name, and the one-hot columns that are 1.

        A key that is absent stands for 0, as in River's sparse models.
        """
        names = self.columns.numbers
        rows = [dict(zip(names, numbers, strict=True)) for numbers in self.numbers.tolist()]
        for c, (category, known) in enumerate(
            zip(self.columns.categories, self.columns.slots, strict=True)
        ):
            for row, slot in zip(rows, self.slots[:, c].tolist(), strict=True):
                row[f"{category}={known[slot]}"] = 1.0
        return rows

    @cached_property
    def dense(self) -> Floats:
        """Every encoded column, zeros included, rows by columns."""
        parts = [self.numbers]
        for c, known in enumerate(self.columns.slots):
            one_hot = np.zeros((len(self), len(known)))
            one_hot[np.arange(len(self)), self.slots[:, c]] = 1.0
            parts.append(one_hot)
        return np.concatenate(parts, axis=1)


def joined(parts: Sequence[Floats | None], axis: int = 0) -> Floats | None:
    """Arrays that follow each other, as one; None where one is missing."""
    found = [part for part in parts if part is not None]
    return np.concatenate(found, axis=axis) if len(found) == len(parts) else None


@dataclass(frozen=True, eq=False)
class Block:
    """Whole steps in a row, as arrays.

    Attributes
    ----------
    starts
        Where each step begins in `rows`, and at the end the number of rows.
    times
        Microseconds since 1970 of each row; None where the stream has no time column.
    first_row, first_step
        The numbers, from 0 for the whole stream, of the first row and the first step.
    late, rejected
        By steps: how many of its rows came late, and how many rows were turned away while it was
        open. None if not counted.
    keys
        Of the rows; None where the stream has none.
    completions, outcomes
        Where labels come late: the steps that are complete before these open, and the labels that
        are known by their end.
    """

    rows: Rows
    starts: Ints
    times: Ints | None
    first_row: int
    first_step: int
    late: Ints | None = None
    rejected: Ints | None = None
    keys: Sequence[str] | None = None
    completions: Completions | None = None
    outcomes: Outcomes | None = None

    @property
    def steps(self) -> int:
        return len(self.starts) - 1

    def cut(self, start: int, stop: int) -> Block:
        """The steps from `start` up to `stop`, counted within the block."""
        a, b = int(self.starts[start]), int(self.starts[stop])
        return Block(
            self.rows.cut(a, b),
            self.starts[start : stop + 1] - a,
            None if self.times is None else self.times[a:b],
            self.first_row + a,
            self.first_step + start,
            None if self.late is None else self.late[start:stop],
            None if self.rejected is None else self.rejected[start:stop],
            None if self.keys is None else self.keys[a:b],
            None if self.completions is None else self.completions.cut(start, stop),
            None if self.outcomes is None else self._outcomes(start, stop),
        )

    def _outcomes(self, start: int, stop: int) -> Outcomes:
        """The labels that are known by the end of some steps, and not before them."""
        assert self.outcomes is not None
        first = self.first_row + int(self.starts[start]) if start else 0
        return self.outcomes.between(first, self.first_row + int(self.starts[stop]) - 1)

    def step(self, s: int) -> Rows:
        return self.rows.cut(int(self.starts[s]), int(self.starts[s + 1]))
