"""Converts the memory of the plain blend to arrays, and back."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from macro_engine.blend.linear import Linear
from macro_engine.blend.memory import Memory, TileMemory
from macro_engine.blend.tiles import Tiles
from macro_engine.core.rows import Floats

if TYPE_CHECKING:
    from macro_engine.blend.blend import Blend


def memory_of(blend: Blend) -> Memory:
    """Returns the memory without the tables."""
    shape, linear, family = blend.shape, blend.linear, blend.family
    return Memory(
        shape,
        np.array(linear.bias),
        np.array(linear.numbers).reshape(shape.models, shape.numbers),
        _codes(linear),
        np.array([linear.squares]),
        linear.rows,
        np.array(blend.class_shares.counts),
        np.array([] if family is None else family.weights),
        np.array(blend.fixed_share.weights),
        np.array([f.weights for f in blend.filters]),
        np.array([f.covariance for f in blend.filters]),
        np.array([f.restarts for f in blend.filters]),
        np.array(blend.pulls.mean),
        blend.pulls.steps,
    )


def restore(blend: Blend, memory: Memory) -> None:
    linear = blend.linear
    linear.bias = memory.linear_bias.tolist()
    linear.numbers = memory.linear_numbers.tolist()
    for j, by_code in enumerate(memory.linear_codes.tolist()):
        for code, by_model in enumerate(by_code):
            for m, weight in enumerate(by_model):
                linear.codes[m][j][code] = weight
    linear.squares = float(memory.lengths[0])
    linear.rows = memory.rows
    blend.class_shares.counts = memory.class_shares.tolist()
    if blend.family is not None:
        blend.family.weights = memory.members.tolist()
    blend.fixed_share.weights = memory.shares.tolist()
    for f, part in enumerate(blend.filters):
        part.weights = memory.filters[f].tolist()
        part.covariance = memory.covariances[f].tolist()
        part.restarts = int(memory.restarts[f])
    blend.pulls.mean = memory.pulls.tolist()
    blend.pulls.steps = memory.steps
    for tiles, kept in zip(blend.tiles, memory.tiles, strict=True):
        tiles.bias = kept.bias.tolist()
        for index, values in zip(kept.index.tolist(), kept.values.tolist(), strict=True):
            tiles.table[index] = [array("f", by_model) for by_model in values]


def _codes(linear: Linear) -> Floats:
    """Categories by codes by models."""
    models, categories = len(linear.codes), len(linear.codes[0])
    learned = [code for by_category in linear.codes for known in by_category for code in known]
    codes = np.zeros((categories, 1 + max(learned, default=-1), models))
    for m, by_category in enumerate(linear.codes):
        for j, known in enumerate(by_category):
            for code, weight in known.items():
                codes[j, code, m] = weight
    return codes


def cells_of(tiles: Tiles, only_changed: bool) -> TileMemory:
    """Returns the cells of a table that were touched, or that changed recently."""
    models = len(tiles.bias[0])
    index = np.array(sorted(tiles.changed if only_changed else tiles.table), np.int64)
    values = np.array([tiles.table[i] for i in index.tolist()], np.float32)
    return TileMemory(np.array(tiles.bias), index, values.reshape(len(index), 4, models))
