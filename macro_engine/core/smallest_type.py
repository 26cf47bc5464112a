"""Converts integers to the smallest type that holds them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Counts: TypeAlias = NDArray[Any]  # whole numbers from 0 on, in the smallest type that holds them
Narrow: TypeAlias = NDArray[np.float16] | NDArray[np.float32]

_MOST_NARROW = 60_000.0  # of a distance that is kept in two bytes


def counts_type(most: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type for whole numbers from 0 up to the largest of them."""
    for dtype in (np.uint8, np.uint16, np.uint32):
        if most <= np.iinfo(dtype).max:
            return dtype
    return np.uint64


def smallest_unsigned(values: NDArray[Any]) -> Counts:
    """Whole numbers from 0 on, in the smallest type that holds them."""
    if values.dtype == np.uint8:
        return values
    return values.astype(counts_type(int(values.max(initial=0))), copy=False)


def as_float16(distances: NDArray[np.float32]) -> Narrow:
    """In two bytes each, unless one of them is too large for that.

    NumPy's own cast takes one number after the other, which is a good part of what results cost.
    """
    largest = np.fmax.reduce(np.abs(distances), axis=None, initial=0.0)
    if np.isinf(largest):
        largest = np.abs(distances[np.isfinite(distances)]).max(initial=0.0)
    if largest >= _MOST_NARROW:
        return distances
    bits = (distances * np.float32(2.0**-112)).view(np.uint32)  # with the exponents of float16
    signs = bits >> 16 & 0x8000
    bits += 0x1000  # to the nearest
    bits >>= 13
    bits &= 0x7FFF
    bits |= signs
    return bits.astype(np.uint16).view(np.float16)
