"""Extends the memory of a blend by a new class or new columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.blend.memory import Memory, TileMemory


def with_columns(memory: Memory, more: int) -> Memory:
    """More numbers for the linear expert; the tiles keep the columns that they have."""
    shape = memory.shape
    return replace(
        memory,
        shape=replace(shape, numbers=shape.numbers + more),
        linear_numbers=_extended(memory.linear_numbers, 1, 0.0, more),
    )


def with_class(memory: Memory) -> Memory:
    """One more class, with empty tables and a count of 1/C; filters keep their weights.

    The model that tells the second of two classes from the first becomes one for each of them:
    what speaks for one speaks against the other.
    """
    shape = memory.shape
    grown = replace(shape, classes=shape.classes + 1)
    count = 1.0 / grown.classes
    if shape.models == 1:
        memory = _one_model_a_class(memory)
    return replace(
        memory,
        shape=grown,
        linear_bias=_extended(memory.linear_bias, 0, 0.0),
        linear_numbers=_extended(memory.linear_numbers, 0, 0.0),
        linear_codes=_extended(memory.linear_codes, 2, 0.0),
        class_shares=_extended(memory.class_shares, 0, count),
        tiles=[
            TileMemory(_extended(t.bias, 1, 0.0), t.index, _extended(t.values, 2, 0.0))
            for t in memory.tiles
        ],
    )


def _one_model_a_class(memory: Memory) -> Memory:
    signs = np.array([-1.0, -1.0, -1.0, 1.0])  # the sum of squares has none
    return replace(
        memory,
        linear_bias=np.concatenate([-memory.linear_bias, memory.linear_bias]),
        linear_numbers=np.concatenate([-memory.linear_numbers, memory.linear_numbers]),
        linear_codes=np.concatenate([-memory.linear_codes, memory.linear_codes], axis=2),
        tiles=[
            TileMemory(
                np.concatenate([t.bias * signs[:, None], t.bias], axis=1),
                t.index,
                np.concatenate([t.values * signs[:, None].astype(np.float32), t.values], axis=2),
            )
            for t in memory.tiles
        ],
    )


def _extended(values: NDArray[Any], axis: int, value: float, more: int = 1) -> NDArray[Any]:
    shape = list(values.shape)
    shape[axis] = more
    return np.concatenate([values, np.full(shape, value, values.dtype)], axis=axis)
