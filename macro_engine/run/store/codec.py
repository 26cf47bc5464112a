"""Encodes columns of `Steps` as bytes, and decodes them.

A part of a record is a JSON document and then the bytes of its columns. The document names each
column with its form, type, shape and length in bytes, so that a part explains itself: a column
that this program does not know is passed over, an optional one may be missing.

The bytes of a column may come from a stranger: shapes are compared with what the record must have
before anything is allocated, and values with their limits before anything uses them.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.names import Names
from macro_engine.core.smallest_type import smallest_unsigned
from macro_engine.core.state import DamagedError, from_json
from macro_engine.core.steps import COLUMNS, NEAREST, OPTIONAL, Axis, Codec, ResultColumn, Steps

_SAMPLE = 1 << 12  # bytes by which it is judged whether compressing pays
_PAYS = 0.95  # of the size, at most
_WORTH = 64  # bytes
_TYPES = {
    Codec.COUNTS: ("|u1", "<u2", "<u4", "<u8"),
    Codec.FLAGS: ("|b1",),
    Codec.TIMES: ("|u1", "<u2", "<u4", "<u8"),
    Codec.DOUBLES: ("<f8",),
    Codec.SINGLES: ("<f4",),
    Codec.PROBABILITIES: ("<f4",),
    Codec.DISTANCES: ("<f2", "<f4"),
}


def lengths_of(names: Names, steps: int, rows: int, lists: int) -> dict[Axis, int]:
    """Returns the length of each axis of a record."""
    return {
        Axis.STEP: steps,
        Axis.ROW: rows,
        Axis.LIST: lists,
        Axis.SERIES: len(names.series),
        Axis.MEMBER: len(names.members),
        Axis.PREDICTOR: names.predictors,
        Axis.CLASS: names.classes,
        Axis.NEAREST: NEAREST,
        Axis.SHOWN: len(names.shown),
    }


def encode(steps: Steps, part: str) -> bytes:
    """A part of a record."""
    told, blobs = [], []
    for name in steps.present:
        if COLUMNS[name].part == part:
            form, dtype, blob = _encoded(getattr(steps, name), COLUMNS[name].codec)
            shape = list(getattr(steps, name).shape)
            told.append([name, form, dtype, shape, len(blob)])
            blobs.append(blob)
    document = json.dumps(told, separators=(",", ":")).encode()
    return b"".join([len(document).to_bytes(4, "little"), document, *blobs])


def decode(data: bytes, part: str, lengths: Mapping[Axis, int]) -> dict[str, NDArray[Any]]:
    """The columns of a part that this program knows."""
    size = int.from_bytes(data[:4], "little")
    try:
        told = from_json(data[4 : 4 + size])
        columns, place = {}, 4 + size
        for name, form, dtype, shape, length in told:
            blob = data[place : place + length]
            place += length
            column = COLUMNS.get(name)
            if column is not None and column.part == part:
                columns[name] = _decoded(blob, form, dtype, _shape(column, lengths, shape), column)
                _check_limit(columns[name], column, lengths)
        if place != len(data):
            raise ValueError
    except (ValueError, TypeError, OverflowError, RecursionError, zlib.error):
        raise DamagedError(f"its part '{part}' cannot be read") from None
    needed = {n for n, c in COLUMNS.items() if c.part == part and n not in OPTIONAL}
    if missing := needed - columns.keys():
        raise DamagedError(f"its part '{part}' lacks '{min(missing)}'")
    return columns


def _encoded(values: NDArray[Any], codec: Codec) -> tuple[str, str, bytes]:
    """Form, type and bytes."""
    if codec is Codec.TIMES and values.size:
        first, above = _differences(values)
        return "differences", above.dtype.str, first + _squeezed(above)
    if codec is Codec.COUNTS:
        values = smallest_unsigned(values)
    if codec in (Codec.COUNTS, Codec.FLAGS) and values.size:
        least, most = values.min(), values.max()
        if least == most:
            return "constant", values.dtype.str, least.tobytes()
        if most == 1:
            return "bits", values.dtype.str, _squeezed(np.packbits(values))
    if codec is Codec.DOUBLES and values.ndim == 2:
        # members that chose alike have the same number: then equal ones stand side by side
        return "turned", values.dtype.str, _without_repeats(values.T.reshape(-1, 1))
    if codec is Codec.DISTANCES and values.ndim == 2:
        return "repeated", values.dtype.str, _without_repeats(values)
    if codec is Codec.PROBABILITIES:
        return "rest", values.dtype.str, _without_last(values)
    return "plain", values.dtype.str, _squeezed(values)


def _differences(times: NDArray[np.int64]) -> tuple[bytes, NDArray[Any]]:
    """The first one and the least difference, and how far each difference is above that."""
    steps = np.diff(times)
    least = steps.min(initial=np.iinfo(np.int64).max)
    return np.array([times[0], least]).tobytes(), smallest_unsigned((steps - least).view(np.uint64))


def _without_repeats(rows: NDArray[Any]) -> bytes:
    """For each row whether it is another than the one before, as bits, then those that are."""
    bits = np.ascontiguousarray(rows).view(f"<u{rows.itemsize}")
    is_new = np.ones(len(bits), np.bool_)
    is_new[1:] = bits[1:, 0] != bits[:-1, 0]
    for column in bits.T[1:]:  # few, where NumPy is slow to look along them
        is_new[1:] |= column[1:] != column[:-1]
    return _squeezed(np.packbits(is_new)) + _squeezed(bits[is_new])


def _with_repeats(blob: bytes, kind: np.dtype[Any], count: int, width: int) -> NDArray[Any]:
    """The rows again; raises ValueError where the bytes are not of so many rows."""
    packed, rest = _expanded(blob, np.dtype(np.uint8), -(-count // 8))
    is_new = np.unpackbits(packed, count=count).view(np.bool_)
    if count and not is_new[0]:
        raise ValueError
    found = _whole(rest, kind, int(np.count_nonzero(is_new)) * width).reshape(-1, width)
    rows: NDArray[Any] = found[np.cumsum(is_new) - 1]
    return rows


def _without_last(probabilities: NDArray[np.float32]) -> bytes:
    """All but the last class's, then by how many units in the last place that one is off the rest.

    A difference of either sign is stored as a small number: 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
    """
    others = probabilities[..., :-1]
    last = np.ascontiguousarray(probabilities[..., -1]).view(np.int32)
    off = last - _rest(others).view(np.int32)
    return _squeezed(others) + _squeezed((off << 1) ^ (off >> 31))


def _with_last(blob: bytes, kind: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The probabilities again; raises ValueError where the bytes are not of so many."""
    *rows, classes = shape
    others, blob = _expanded(blob, kind, math.prod(rows) * (classes - 1))
    others = others.reshape(*rows, classes - 1)
    folded = _whole(blob, np.dtype("<u4"), math.prod(rows)).reshape(rows)
    off = (folded >> 1).view(np.int32) ^ -(folded & 1).view(np.int32)
    last = (_rest(others).view(np.int32) + off).view(kind)
    return np.concatenate([others, last[..., None]], axis=-1)


def _rest(others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns 1 minus the probabilities of the other classes, subtracted in their order."""
    rest = np.ones(others.shape[:-1])
    with np.errstate(all="ignore"):  # the bytes of a stranger may be no probabilities
        for c in range(others.shape[-1]):
            rest -= others[..., c]
        return rest.astype(np.float32)


def _squeezed(values: NDArray[Any]) -> bytes:
    """Numbers, the first byte of all, then the second, ..., each compressed where that pays.

    Of a floating-point number the last bytes look random; the first ones repeat.
    """
    by_number = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    planes = by_number.reshape(-1, values.itemsize).T
    stored = [_deflated(plane.tobytes()) for plane in planes]
    return np.array([len(plane) for plane in stored], "<u4").tobytes() + b"".join(stored)


def _expanded(blob: bytes, kind: np.dtype[Any], count: int) -> tuple[NDArray[Any], bytes]:
    """So many numbers again, and what follows them; a plane that is too short was compressed."""
    place = 4 * kind.itemsize
    planes = np.empty((count, kind.itemsize), np.uint8)
    for i, size in enumerate(np.frombuffer(blob, "<u4", kind.itemsize).tolist()):
        plane, place = blob[place : place + size], place + size
        if size < count:
            plane = zlib.decompressobj().decompress(plane, count + 1)
        if len(plane) != count:
            raise ValueError
        planes[:, i] = np.frombuffer(plane, np.uint8)
    return planes.reshape(-1).view(kind), blob[place:]


def _whole(blob: bytes, kind: np.dtype[Any], count: int) -> NDArray[Any]:
    """So many numbers again, and nothing after them."""
    values, rest = _expanded(blob, kind, count)
    if rest:
        raise ValueError
    return values


def _deflated(plane: bytes) -> bytes:
    """Compressed where a sample says that it pays."""
    if len(plane) < _WORTH:
        return plane
    middle = max(len(plane) - _SAMPLE, 0) // 2
    sample = plane[middle : middle + _SAMPLE]
    if len(zlib.compress(sample, 1)) > _PAYS * len(sample):
        return plane
    return min(plane, zlib.compress(plane, 1), key=len)


def _shape(column: ResultColumn, lengths: Mapping[Axis, int], shape: Any) -> tuple[int, ...]:
    """The shape that a column must have; raises ValueError where it says another."""
    expected = tuple(lengths[axis] for axis in column.axes)
    if tuple(shape) != expected:
        raise ValueError
    return expected


def _decoded(
    blob: bytes, form: str, dtype: str, shape: tuple[int, ...], column: ResultColumn
) -> NDArray[Any]:
    if dtype not in _TYPES[column.codec]:
        raise ValueError
    kind, count = np.dtype(dtype), math.prod(shape)
    if form == "turned":
        return _with_repeats(blob, kind, count, 1).reshape(shape[::-1]).T
    if form == "repeated":
        return _with_repeats(blob, kind, shape[0], shape[1])
    if form == "rest":
        return _with_last(blob, kind, shape)
    if form == "constant":
        if len(blob) != kind.itemsize:
            raise ValueError
        return np.full(shape, np.frombuffer(blob, kind)[0])
    if form == "bits":
        packed = _whole(blob, np.dtype(np.uint8), -(-count // 8))
        bits = np.unpackbits(packed, count=count).reshape(shape)
        return bits.view(np.bool_) if column.codec is Codec.FLAGS else bits
    if form == "differences":
        first, least = np.frombuffer(blob, "<i8", 2)
        above = _whole(blob[16:], kind, count - 1).astype(np.uint64).view(np.int64)
        return np.cumsum(np.concatenate([[first], above + least]))
    if form != "plain":
        raise ValueError
    return _whole(blob, kind, count).reshape(shape)


def _check_limit(values: NDArray[Any], column: ResultColumn, lengths: Mapping[Axis, int]) -> None:
    if column.below is not None and int(values.max(initial=0)) >= lengths[column.below]:
        raise ValueError
