"""The arrays of the blend on the compiled path, with room for new classes and columns."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from macro_engine.algorithm.persistence import Persistence
from macro_engine.blend.compiled import CompiledBlend
from macro_engine.blend.kernels.arrays import (
    AnswerArrays,
    BlendConstants,
    EvidenceArrays,
    MemoryArrays,
    Scratch,
    ShownArrays,
)
from macro_engine.blend.shape import BlendShape
from macro_engine.core.rows import Floats, Ints
from macro_engine.estimator.growing_blend import grown
from macro_engine.estimator.growing_columns import GrowingColumns
from macro_engine.estimator.kernels.addresses import addresses_of


class BlendArrays(NamedTuple):
    """The arrays of the blend, and the counts of the no-change expert."""

    given: EvidenceArrays
    constants: BlendConstants
    parts: MemoryArrays
    record: AnswerArrays
    scratch: Scratch
    shown: ShownArrays
    pairs: Floats
    labels: Floats
    stay_go: Floats
    unchanged: Floats  # what that expert says of every row of the open step


class OpenBlend:
    """A compiled blend for the rows of an open step.

    Parameters
    ----------
    shape
        Its numbers may be more than there are columns: those that are not there yet are 0.
    rows
        How many rows of a step there is room for.

    Attributes
    ----------
    addresses
        Where compiled code finds everything.
    """

    def __init__(self, shape: BlendShape, rows: int) -> None:
        self.blend = CompiledBlend(shape)
        self.persistence = Persistence(shape.classes)
        self.unchanged = np.full(shape.classes, 1.0 / shape.classes)
        self._lay(rows)

    @staticmethod
    def over(layout: GrowingColumns, members: int, columns: int, rows: int) -> OpenBlend:
        """One whose tiles see the columns of the first row; two classes are the least."""
        units, categories = len(layout.units), len(layout.categories)
        return OpenBlend(
            BlendShape(2, columns, categories, members, units + categories, units), rows
        )

    def make_room(self, rows: int, columns: int, classes: int) -> None:
        """Ensures a capacity; the no-change expert must then be set again by classes."""
        shape = self.blend.shape
        if columns > shape.numbers or classes > shape.classes:
            self.blend = grown(self.blend, columns, classes)
            self.persistence.grow(self.blend.shape.classes)
            self.unchanged = np.empty(self.blend.shape.classes)
        self._lay(max(rows, self.rows))

    def put_codes(self, codes: Sequence[list[int]], learns: bool = False) -> None:
        """The codes of the categories of rows from the first one on; what is new weighs 0."""
        before, found = self.blend.parts, np.array(codes, np.int64)
        self.blend._make_room(found)
        if learns:
            self.blend.codes = max(self.blend.codes, 1 + int(found.max()))
        if self.blend.parts is not before:
            self._lay(self.rows)
        self._arrays.given.codes[: len(found)] = found

    def probabilities(self) -> tuple[float, ...]:
        """The probabilities of the first row."""
        return self._read(self._memory)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "shape": self.blend.shape,
            "rows": self.rows,
            "blend": self.blend.state(),
            "persistence": self.persistence,
            "unchanged": self.unchanged,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.blend = CompiledBlend(state["shape"])
        self.blend.restore(state["blend"])
        self.persistence, self.unchanged = state["persistence"], state["unchanged"]
        self._lay(state["rows"])

    def _lay(self, rows: int) -> None:
        self.rows = rows
        blend, table = self.blend, self.persistence
        record = blend._record(2, rows)
        shown = ShownArrays(
            np.empty((1, blend.shape.experts + 2)), np.empty((1, blend.shape.experts))
        )
        self._arrays = BlendArrays(
            _given(blend.shape, rows), blend.constants, blend.parts, record, blend.scratch, shown,
            table.pairs, table.labels, table.stay_go, self.unchanged,
        )  # fmt: skip
        self.addresses: Ints = addresses_of(self._arrays)
        self._memory = memoryview(record.probabilities[0].data)
        self._read = struct.Struct(f"={blend.shape.classes}d").unpack_from


def example() -> BlendArrays:
    """Arrays of the types that any blend has."""
    return OpenBlend(BlendShape.of(2, 1, 1, 1), 1)._arrays


def _given(shape: BlendShape, rows: int) -> EvidenceArrays:
    return EvidenceArrays(
        np.zeros((rows, shape.numbers)),
        np.zeros((rows, shape.units)),
        np.zeros((rows, shape.categories), np.int64),
        np.zeros((rows, shape.classes)),
        np.zeros((rows, shape.classes)),
        np.zeros((shape.members, rows, shape.classes)),
        np.zeros(rows, np.int64),
        np.array([0, 1]),
    )
