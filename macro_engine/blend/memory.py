"""The memory of a blend as arrays: the same for the definition and the compiled version.

Tables are kept as the cells that were touched. Everything that comes from a state is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from macro_engine.blend.shape import BlendShape
from macro_engine.blend.tilings import CELLS
from macro_engine.core.declared import Array, Declared, Integer
from macro_engine.core.errors import MacroError
from macro_engine.core.rows import SLOTS, Floats, Ints
from macro_engine.core.state import DamagedError, State, children

Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TileMemory:
    """Of a set of tilings: some cells of its table, rising, and what they hold."""

    bias: Floats  # learners by models
    index: Ints
    values: Singles  # cells by learners by models

    remembers: ClassVar = Declared(
        Array("bias", np.float64, (4, "models"), shared=True),
        Array("index", np.int64, ("cells",), low=0, below=CELLS, shared=True),
        Array("values", np.float32, ("cells", 4, "models"), shared=True),
    )

    def state(self) -> State:
        return self.remembers.state_of(self)

    @staticmethod
    def restored(state: State, shape: BlendShape) -> TileMemory:
        kept = TileMemory(**TileMemory.remembers.read(state, models=shape.models))
        if (np.diff(kept.index) <= 0).any():
            raise DamagedError("in its state the cells of a table do not rise")
        return kept

    def followed_by(self, later: TileMemory) -> TileMemory:
        """These cells with those that changed since."""
        index = np.union1d(self.index, later.index)
        values = np.empty((len(index), *self.values.shape[1:]), np.float32)
        values[np.searchsorted(index, self.index)] = self.values
        values[np.searchsorted(index, later.index)] = later.values
        return TileMemory(later.bias, index, values)


@dataclass(frozen=True, eq=False)
class Memory:
    """The parts of a blend; nobody changes their arrays.

    Attributes
    ----------
    linear_codes
        Categories by codes by models, for the codes that were ever learned.
    lengths
        The sum of the rows' squared lengths, of which `rows` were seen.
    shares
        Of the experts and the two filters, and `members` of the family's members.
    pulls
        The mean pull of each expert over the last steps, of which `steps` were seen.
    tiles
        By sets of tilings; none in a memory without the tables.
    """

    shape: BlendShape
    linear_bias: Floats
    linear_numbers: Floats
    linear_codes: Floats
    lengths: Floats
    rows: int
    class_shares: Floats
    members: Floats
    shares: Floats
    filters: Floats
    covariances: Floats
    restarts: Ints
    pulls: Floats
    steps: int
    tiles: Sequence[TileMemory] = ()

    remembers: ClassVar = Declared(
        Array("linear_bias", np.float64, ("models",), shared=True),
        Array("linear_numbers", np.float64, ("models", "numbers"), shared=True),
        Array("linear_codes", np.float64, ("categories", None, "models"), shared=True),
        Array("lengths", np.float64, (1,), shared=True),
        Integer("rows"),
        Array("class_shares", np.float64, ("classes",), shared=True),
        Array("members", np.float64, ("members",), shared=True),
        Array("shares", np.float64, ("forecasters",), shared=True),
        Array("filters", np.float64, (2, "experts"), shared=True),
        Array("covariances", np.float64, (2, "experts", "experts"), shared=True),
        Array("restarts", np.int64, (2,), low=0, shared=True),
        Array("pulls", np.float64, ("experts",), shared=True),
        Integer("steps"),
    )

    def state(self) -> State:
        """What is remembered, the tables among it where there are any."""
        shape = self.shape
        state: State = {
            "sizes": _sizes(shape),
            "seeds": [tiling_set.seed for tiling_set in shape.tiling_sets],
        }
        state |= self.remembers.state_of(self)
        return state | {"tiles": [part.state() for part in self.tiles]}

    @staticmethod
    def restored(state: State, shape: BlendShape) -> Memory:
        """The memory of a state, for a blend of this shape."""
        if state.get("sizes") != _sizes(shape):
            raise MacroError("the state of the blend is of a stream with other columns or classes")
        if state.get("seeds") != [tiling_set.seed for tiling_set in shape.tiling_sets]:
            raise MacroError("the state of the blend is of tilings drawn from another seed")
        values = Memory.remembers.read(
            state,
            models=shape.models,
            numbers=shape.numbers,
            categories=shape.categories,
            classes=shape.classes,
            members=shape.members,
            experts=shape.experts,
            forecasters=shape.experts + 2,
        )
        if values["linear_codes"].shape[1] > SLOTS:
            raise DamagedError("in its state a category has too many codes")
        kept = children(state, "tiles", len(shape.tiling_sets))
        return Memory(shape, **values, tiles=[TileMemory.restored(part, shape) for part in kept])


def _sizes(shape: BlendShape) -> list[int]:
    """By which a state is told from that of another stream."""
    return [
        shape.classes, shape.numbers, shape.categories, shape.members, shape.tiled, shape.units,
    ]  # fmt: skip
