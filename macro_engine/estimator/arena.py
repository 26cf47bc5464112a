"""The two arrays that hold the state of the compiled path, and how they grow."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from macro_engine.core.rows import Floats, Ints
from macro_engine.estimator.kernels import parts as k

_FIRST_OF_FLOATS = k.INPUT


@dataclass(frozen=True)
class Sizes:
    """The capacity of the arrays.

    Attributes
    ----------
    width
        Columns of one row.
    rows, entries
        Rows of the open step, and their values other than 0.
    longest
        Steps of the longest history.
    """

    lines: int
    histories: int
    longest: int
    classes: int = 2
    columns: int = 16
    width: int = 16
    rows: int = 4
    entries: int = 64
    places: int = 32
    subroutines: int = 4
    references: int = 4

    def shapes(self) -> dict[int, tuple[int, ...]]:
        """The sides of each part."""
        return {
            k.LINE: (self.lines, 5),
            k.SUBROUTINE: (self.lines, self.subroutines, 3),
            k.LEARNER: (self.places, k.FIRST_CLASS + self.classes),
            k.RANK: (self.columns,),
            k.OPEN_ROW: (self.rows + 1, 2),
            k.OPEN_COLUMN: (self.entries,),
            k.ROW_COLUMN: (self.width,),
            k.REFERENCES: (self.histories, 2),
            k.EMPTY: (self.histories, self.references),
            k.RING: (max(self.longest, 1), self.classes),
            k.WINDOW: (self.histories, self.classes),
            k.KIND: (self.columns,),
            k.TILE: (self.columns,),
            k.INPUT: (2 * self.width,),
            k.OUTPUT: (3 * self.classes,),
            k.NUMBERS: (5,),
            k.LINE_NUMBER: (self.lines, 4),
            k.WEIGHT: (self.places, self.classes + 1, self.columns + 1),
            k.OPEN_VALUE: (self.entries,),
            k.ROW_VALUE: (self.width,),
            k.DISTANCE: (self.histories, self.references),
            k.SHARE: (self.histories, self.references, self.classes),
            k.OPEN_RAW: (self.entries,),
            k.ROW_RAW: (self.width,),
            k.SCALE: (self.columns, 4),
        }


class Arena:
    """Parts of known shapes, one after the other, in an array of integers and one of floats.

    Parameters
    ----------
    sizes
        For how much there is room at first.
    """

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self._lay()

    def part(self, part: int) -> Any:
        """A view of a part, which holds until the arena grows."""
        shape = self._shapes[part]
        flat = self.ints if part < _FIRST_OF_FLOATS else self.floats
        at = int(self.ints[k.SIDES + 4 * part])
        return flat[at : at + math.prod(shape)].reshape(shape)

    def make_room(self, **needed: int) -> bool:
        """Ensures a capacity; doubles it if it is not enough.

        Returns whether parts stand elsewhere now.
        """
        short = {name: n for name, n in needed.items() if n > getattr(self.sizes, name)}
        if not short:
            return False
        before = {part: self.part(part) for part in self._shapes}
        header = self.ints[: k.SIDES].copy()
        grown = {name: max(n, 2 * getattr(self.sizes, name)) for name, n in short.items()}
        self.sizes = replace(self.sizes, **grown)
        self._lay()
        self.ints[: k.SIDES] = header
        for part, kept in before.items():
            self.part(part)[tuple(map(slice, kept.shape))] = kept
        return True

    def _lay(self) -> None:
        shapes = self._shapes = self.sizes.shapes()
        lengths = {part: math.prod(shape) for part, shape in shapes.items()}
        first = k.SIDES + 4 * k.PARTS
        self.ints: Ints = np.zeros(first + sum(_of(lengths, floats=False)), np.int64)
        self.floats: Floats = np.zeros(sum(_of(lengths, floats=True)))
        at = {False: first, True: 0}
        for part in sorted(shapes):
            is_float = part >= _FIRST_OF_FLOATS
            side = k.SIDES + 4 * part
            self.ints[side] = at[is_float]
            self.ints[side + 1 : side + 1 + len(shapes[part])] = shapes[part]
            at[is_float] += lengths[part]


def _of(lengths: dict[int, int], floats: bool) -> list[int]:
    return [n for part, n in lengths.items() if (part >= _FIRST_OF_FLOATS) == floats]
