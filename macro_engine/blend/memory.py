"""All that a blend must remember to go on, as arrays: the same for the definition and its twin.

Tables are kept as the cells that were touched. Everything that comes from a state is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from macro_engine.blend.shape import Shape
from macro_engine.blend.tilings import CELLS
from macro_engine.core.errors import MacroError
from macro_engine.core.rows import SLOTS, Floats, Ints
from macro_engine.core.state import DamagedError, State, array, children, indices, whole

Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TileMemory:
    """Of a set of tilings: some cells of its table, rising, and what they hold."""

    bias: Floats  # learners by models
    index: Ints
    values: Singles  # cells by learners by models

    def followed_by(self, later: TileMemory) -> TileMemory:
        """These cells with those that changed since."""
        index = np.union1d(self.index, later.index)
        values = np.empty((len(index), *self.values.shape[1:]), np.float32)
        values[np.searchsorted(index, self.index)] = self.values
        values[np.searchsorted(index, later.index)] = later.values
        return TileMemory(later.bias, index, values)


@dataclass(frozen=True, eq=False)
class Memory:
    """The parts of a blend.

    Attributes
    ----------
    linear_codes
        Categories by codes by models, for the codes that were ever learnt.
    lengths
        The sum of the rows' squared lengths, of which `rows` were seen.
    shares
        Of the experts and the two filters, and `members` of the family's members.
    pulls
        The mean pull of each expert over the last steps, of which `steps` were seen.
    """

    shape: Shape
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
    tiles: Sequence[TileMemory]

    def followed_by(self, later: Memory) -> Memory:
        """What is remembered after `later`, which has only those cells that changed since."""
        tiles = [a.followed_by(b) for a, b in zip(self.tiles, later.tiles, strict=True)]
        return replace(later, tiles=tiles)

    def state(self) -> State:
        shape = self.shape
        sizes = (shape.classes, shape.numbers, shape.categories, shape.members)
        return {
            "sizes": [*sizes, shape.tiled, shape.units],
            "seeds": [plan.seed for plan in shape.plans],
            "linear_bias": self.linear_bias,
            "linear_numbers": self.linear_numbers,
            "linear_codes": self.linear_codes,
            "lengths": self.lengths,
            "rows": self.rows,
            "class_shares": self.class_shares,
            "members": self.members,
            "shares": self.shares,
            "filters": self.filters,
            "covariances": self.covariances,
            "restarts": self.restarts,
            "pulls": self.pulls,
            "steps": self.steps,
            "tiles": [
                {"bias": part.bias, "index": part.index, "values": part.values}
                for part in self.tiles
            ],
        }

    @staticmethod
    def restored(state: State, shape: Shape) -> Memory:
        """The memory of a state, for a blend of this shape."""
        sizes = [shape.classes, shape.numbers, shape.categories, shape.members]
        if state.get("sizes") != [*sizes, shape.tiled, shape.units]:
            raise MacroError("the state of the blend is of a stream with other columns or classes")
        if state.get("seeds") != [plan.seed for plan in shape.plans]:
            raise MacroError("the state of the blend is of tilings drawn from another seed")
        models, c, e = shape.models, shape.classes, shape.experts
        codes = _floats(state, "linear_codes", (shape.categories, None, models))
        if codes.shape[1] > SLOTS:
            raise DamagedError("in its state a category has too many codes")
        return Memory(
            shape,
            _floats(state, "linear_bias", (models,)),
            _floats(state, "linear_numbers", (models, shape.numbers)),
            codes,
            _floats(state, "lengths", (1,)),
            whole(state, "rows"),
            _floats(state, "class_shares", (c,)),
            _floats(state, "members", (shape.members,)),
            _floats(state, "shares", (e + 2,)),
            _floats(state, "filters", (2, e)),
            _floats(state, "covariances", (2, e, e)),
            indices(state, "restarts", (2,), 1 << 62),
            _floats(state, "pulls", (e,)),
            whole(state, "steps"),
            [_tiles(kept, models) for kept in children(state, "tiles", len(shape.plans))],
        )


def _tiles(state: State, models: int) -> TileMemory:
    index = indices(state, "index", (None,), CELLS)
    if (np.diff(index) <= 0).any():
        raise DamagedError("in its state the cells of a table do not rise")
    return TileMemory(
        _floats(state, "bias", (4, models)),
        index,
        array(state, "values", np.float32, (len(index), 4, models)),
    )


def _floats(state: State, name: str, shape: Sequence[int | None]) -> Floats:
    return array(state, name, np.float64, shape)
