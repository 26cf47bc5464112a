"""Curves as braille dots: two columns and four rows of dots to a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ACROSS, DOWN = 2, 4
_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]], np.uint8)
_BRAILLE = 0x2800


@dataclass(frozen=True)
class Stroke:
    """The stroke of a curve: the inked dot columns of a period, and the thickness in dots."""

    dashes: tuple[bool, ...] = (True,)
    thickness: int = 1


@dataclass(frozen=True)
class RasterCells:
    """For every cell its character as a code point, and which curve has its colour, or -1."""

    characters: NDArray[np.uint32]
    owners: NDArray[np.int64]


def fitted(values: NDArray[Any], columns: int, missing: float) -> NDArray[Any]:
    """The values in exactly so many columns: the rest cut off at the right, or missing there.

    >>> fitted(np.array([1.0, 2.0]), 3, missing=0)
    array([1., 2., 0.])
    """
    values = np.asarray(values)[..., :columns]
    lacking = columns - values.shape[-1]
    padding = [(0, 0)] * (values.ndim - 1) + [(0, lacking)]
    return np.pad(values, padding, constant_values=missing) if lacking else values


def rows_of(values: Floats, low: float, high: float, rows: int) -> NDArray[np.int64]:
    """The row of each value, 0 at the top; what lies outside is drawn at the edge, NaN is -1."""
    share = np.clip((high - values) / (high - low), 0.0, 1.0)
    return np.where(np.isnan(share), -1, np.rint(np.nan_to_num(share) * (rows - 1))).astype(int)


def inked(values: Floats, low: float, high: float, rows: int) -> NDArray[np.bool_]:
    """Series x rows x columns: each value joined to the one before it by a vertical run.

    A column depends on itself and the column before, so that appending never changes old ones.
    """
    here = rows_of(values, low, high, rows)
    before = np.concatenate([np.full((len(here), 1), -1), here[:, :-1]], axis=1)
    before = np.where(before < 0, here, before)
    top = np.where(before < here, before + 1, here)
    bottom = np.where(before > here, before - 1, here)
    row = np.arange(rows)[None, :, None]
    return (row >= top[:, None]) & (row <= bottom[:, None]) & (here >= 0)[:, None]


def braille(
    values: Floats, strokes: Sequence[Stroke], low: float, high: float, width: int, height: int
) -> RasterCells:
    """One value for each dot column of each series; the first series lies on top."""
    dots = inked(fitted(values, ACROSS * width, np.nan), low, high, DOWN * height)
    for curve, stroke in zip(dots, strokes, strict=True):
        for _ in range(stroke.thickness - 1):
            curve[1:] |= curve[:-1].copy()
        curve &= np.resize(np.array(stroke.dashes), ACROSS * width)
    bits = np.zeros((len(values), height, width), np.uint8)
    for (down, across), bit in np.ndenumerate(_BITS):
        bits |= np.where(dots[:, down::DOWN, across::ACROSS], bit, np.uint8(0))
    together = np.bitwise_or.reduce(bits, axis=0)
    characters = np.where(together > 0, _BRAILLE + together.astype(np.uint32), ord(" "))
    return RasterCells(characters.astype(np.uint32), _first(bits > 0))


def filled(values: Floats, unit: float, above: int, below: int) -> RasterCells:
    """Dots from zero to each value of one series: zero is the edge below the rows `above` it.

    A row of cells is worth a `unit`. What is known has a dot at least. Owner 0 is above zero,
    owner 1 below it.
    """
    known = np.isfinite(values)
    dots = np.rint(np.nan_to_num(values, posinf=0.0, neginf=0.0) / unit * DOWN).astype(int)
    dots = np.where(known & (dots == 0), np.where(values < 0, -1, 1), dots)
    height = np.arange(DOWN * above, -DOWN * below, -1)[:, None]  # of the upper edge of a dot
    drawn = np.where(height > 0, dots >= height, dots < height) & known
    bits = np.zeros((above + below, len(values) // ACROSS), np.uint8)
    for (down, across), bit in np.ndenumerate(_BITS):
        bits |= np.where(drawn[down::DOWN, across::ACROSS], bit, np.uint8(0))
    characters = np.where(bits > 0, _BRAILLE + bits.astype(np.uint32), ord(" "))
    side = (np.arange(above + below) >= above).astype(int)[:, None]
    return RasterCells(characters.astype(np.uint32), np.where(bits > 0, side, -1))


def by_weight(characters: NDArray[np.uint32], signs: str) -> NDArray[np.uint32]:
    """For each character of dots a sign, from the lightest to the heaviest, by how many it has."""
    dots = np.bitwise_count(np.maximum(characters, _BRAILLE) - _BRAILLE)
    places = (dots.astype(int) * len(signs) - 1) // (ACROSS * DOWN)
    weighed: NDArray[np.uint32] = np.array([*map(ord, signs)], np.uint32)[np.maximum(places, 0)]
    return weighed


def letters(
    values: Floats, glyphs: Sequence[str], low: float, high: float, width: int, height: int
) -> RasterCells:
    """The same in one character a cell, another for each series."""
    pairs = fitted(values, ACROSS * width, np.nan).reshape(len(values), width, ACROSS)
    last = np.where(np.isnan(pairs[..., 1]), pairs[..., 0], pairs[..., 1])
    owners = _first(inked(last, low, high, height))
    codes = np.array([*map(ord, glyphs), ord(" ")], np.uint32)  # owner -1 is the last: a blank
    return RasterCells(codes[owners], owners)


def _first(drawn: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The first series that draws in each cell."""
    if not len(drawn):
        return np.full(drawn.shape[1:], -1)
    return np.where(drawn.any(axis=0), drawn.argmax(axis=0), -1)
