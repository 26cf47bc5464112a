"""Converts the memory of the compiled blend to arrays without spare capacity, and back."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.blend.filters import START
from macro_engine.blend.fixed_share import blend_prior
from macro_engine.blend.kernels.arrays import MemoryArrays
from macro_engine.blend.memory import Memory, Singles, TileMemory
from macro_engine.blend.shape import BlendShape
from macro_engine.blend.tilings import CELLS, SQUARES
from macro_engine.core.rows import Bools

_LINE = 64  # bytes of a line of the processor's cache


def new_parts(shape: BlendShape) -> MemoryArrays:
    classes, models, experts = shape.classes, shape.models, shape.experts
    sets = len(shape.tiling_sets)
    return MemoryArrays(
        linear_bias=np.zeros(models),
        linear_numbers=np.zeros((models, shape.numbers)),
        linear_codes=np.zeros((shape.categories, 0, models)),
        lengths=np.zeros(1),
        rows=np.zeros(1, np.int64),
        class_shares=np.full(classes, 1.0 / classes),
        members=np.full(shape.members, 1.0 / max(shape.members, 1)),
        shares=np.array(blend_prior(experts)),
        filters=np.full((2, experts), 1.0 / experts),
        covariances=np.array([START * np.eye(experts)] * 2),
        restarts=np.zeros(2, np.int64),
        pulls=np.zeros(experts),
        steps=np.zeros(1, np.int64),
        biases=np.zeros((sets, 4 * models)),
        tables=_aligned_zeros(sets, CELLS, 4 * models),
        changed=np.zeros((sets, CELLS), np.bool_),
    )


def _aligned_zeros(*shape: int) -> Singles:
    """Where a cell begins with a line of the processor's cache, or in its middle."""
    room = np.zeros(math.prod(shape) + _LINE // 4, np.float32)
    start = -room.ctypes.data % _LINE // 4
    return room[start : start + math.prod(shape)].reshape(shape)


def touched_cells(shape: BlendShape, parts: MemoryArrays) -> Bools:
    """Sets by cells: whatever was learned has left its square."""
    touched: Bools = parts.tables[:, :, SQUARES * shape.models] != 0
    return touched


def cells_of(shape: BlendShape, parts: MemoryArrays, which: Bools) -> list[TileMemory]:
    """Some cells of each table, given sets by cells."""
    found = []
    for table, wanted, bias in zip(parts.tables, which, parts.biases, strict=True):
        index = np.flatnonzero(wanted)
        values = table[index].reshape(len(index), 4, shape.models)
        found.append(TileMemory(bias.reshape(4, shape.models).copy(), index, values))
    return found


def memory_of(shape: BlendShape, parts: MemoryArrays, codes: int) -> Memory:
    """Returns the memory without the tables, with the weights of so many codes."""
    return Memory(
        shape,
        parts.linear_bias.copy(),
        parts.linear_numbers.copy(),
        parts.linear_codes[:, :codes].copy(),
        parts.lengths.copy(),
        int(parts.rows[0]),
        parts.class_shares.copy(),
        parts.members.copy(),
        parts.shares.copy(),
        parts.filters.copy(),
        parts.covariances.copy(),
        parts.restarts.copy(),
        parts.pulls.copy(),
        int(parts.steps[0]),
    )


def restored_parts(memory: Memory) -> MemoryArrays:
    parts, models = new_parts(memory.shape), memory.shape.models
    for s, kept in enumerate(memory.tiles):
        parts.biases[s] = kept.bias.ravel()
        parts.tables[s, kept.index] = kept.values.reshape(len(kept.index), 4 * models)
    return parts._replace(
        linear_bias=memory.linear_bias,
        linear_numbers=memory.linear_numbers,
        linear_codes=memory.linear_codes,
        lengths=memory.lengths,
        rows=np.array([memory.rows]),
        class_shares=memory.class_shares,
        members=memory.members,
        shares=memory.shares,
        filters=memory.filters,
        covariances=memory.covariances,
        restarts=memory.restarts,
        pulls=memory.pulls,
        steps=np.array([memory.steps]),
    )
