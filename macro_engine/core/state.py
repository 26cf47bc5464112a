"""The state of a run: nested dictionaries of arrays and JSON values, as bytes.

A state may come from a file that a stranger wrote. Reading it executes nothing, allocates no more
than the bytes themselves hold, and every value is taken out through a check.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.errors import MacroError

State: TypeAlias = dict[str, Any]
# a part of a state, what makes it where it is written, or None for one that is no more
Part: TypeAlias = State | Callable[[], State] | None

_ARRAY = "$array"
_TYPES = ("<f8", "<f4", "<i8", "|b1", "|u1", "<u2", "<i4", "<u4")
_SCALARS = frozenset({str, int, float, bool, type(None)})
_LARGEST = 1 << 64


class DamagedError(MacroError):
    """A state that cannot be what this program wrote."""


def pack(state: State) -> bytes:
    """The state as bytes: a JSON document in which arrays are named, then these in that order.

    >>> unpack(pack({"leader": 3, "losses": np.array([0.5, 2.0])}))
    {'leader': 3, 'losses': array([0.5, 2. ])}
    """
    parts: list[bytes] = []

    def plain(value: Any) -> Any:
        if type(value) in _SCALARS:
            return value
        if isinstance(value, np.ndarray):
            if value.dtype.str not in _TYPES:
                raise TypeError(f"an array of type {value.dtype} is not stored")
            parts.append(np.ascontiguousarray(value).tobytes())
            return {_ARRAY: [value.dtype.str, list(value.shape)]}
        if isinstance(value, Mapping):
            return {name: plain(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            if {*map(type, value)} <= _SCALARS:  # there may be hundreds of thousands of keys
                return value
            return [plain(item) for item in value]
        return value

    document = json.dumps(plain(state), separators=(",", ":"), allow_nan=False).encode()
    return b"".join([len(document).to_bytes(8, "little"), document, *parts])


def from_json(text: str | bytes) -> Any:
    """The values of a JSON document, the numbers of which fit in 64 bits and are finite.

    Raises `ValueError` for any other, so that no code that takes a number out of it fails later.
    """
    return json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_finite)


def _whole(text: str) -> int:
    value = int(text)
    if abs(value) > _LARGEST:
        raise ValueError(f"the number {text[:20]}... is too large")
    return value


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is not a finite number")
    return value


def unpack(data: bytes) -> State:
    """The state that was packed; raises `DamagedError` where it was not."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8:
        raise DamagedError("its state is cut off")
    try:
        document = from_json(data[8 : 8 + size])
        arrays = memoryview(data)[8 + size :]
        state, end = _restored(document, arrays, 0)
        if end != len(arrays):
            raise ValueError
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise DamagedError(f"its state cannot be read ({type(error).__name__})") from None
    if not isinstance(state, dict):
        raise DamagedError("its state is not a dictionary")
    return state


def _restored(value: Any, data: memoryview, place: int) -> tuple[Any, int]:
    """The value with its arrays, the first of which starts at a place; and where the next does."""
    if isinstance(value, list):
        items = []
        for item in value:
            found, place = _restored(item, data, place)
            items.append(found)
        return items, place
    if not isinstance(value, dict):
        return value, place
    if _ARRAY not in value:
        named = {}
        for name, item in value.items():
            named[name], place = _restored(item, data, place)
        return named, place
    dtype, shape = value[_ARRAY]
    if dtype not in _TYPES or not all(isinstance(n, int) and n >= 0 for n in shape):
        raise ValueError
    count = math.prod(shape)
    end = place + count * np.dtype(dtype).itemsize
    if end > len(data):
        raise ValueError
    array = np.frombuffer(data, dtype, count, place) if count else np.empty(0, dtype)
    return array.reshape(shape).copy(), end


def child(state: State, name: str) -> State:
    value = state.get(name)
    if not isinstance(value, dict):
        raise DamagedError(f"its state lacks '{name}'")
    return value


def children(state: State, name: str, count: int | None = None) -> list[State]:
    """A list of dictionaries, `count` of them unless any number will do."""
    value = state.get(name)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise DamagedError(f"its state lacks the list '{name}'")
    if count is not None and len(value) != count:
        raise DamagedError(f"its state has {len(value)} of '{name}', not {count}")
    return value


def array(state: State, name: str, dtype: type, shape: Sequence[int | None]) -> NDArray[Any]:
    """An array of a type and shape; None allows any length along an axis."""
    value = state.get(name)
    if (
        not isinstance(value, np.ndarray)
        or value.dtype != np.dtype(dtype)
        or len(value.shape) != len(shape)
        or any(want is not None and n != want for n, want in zip(value.shape, shape, strict=True))
    ):
        raise DamagedError(f"in its state '{name}' is invalid")
    return value


def indices(state: State, name: str, shape: Sequence[int | None], limit: int) -> NDArray[Any]:
    """An array of whole numbers from 0 up to a limit that is not reached."""
    found = state.get(name)
    dtype: type = np.int64
    if isinstance(found, np.ndarray) and found.dtype.kind in "iu":
        dtype = found.dtype.type
    value = array(state, name, dtype, shape).astype(np.int64, copy=False)
    if value.size and (value.min() < 0 or value.max() >= limit):
        raise DamagedError(f"in its state '{name}' is out of range")
    return value


def boundaries(state: State, name: str, last: int) -> NDArray[Any]:
    """Where parts start, from 0, and at the end `last`."""
    value = array(state, name, np.int64, (None,))
    if not len(value) or value[0] != 0 or value[-1] != last or (np.diff(value) < 0).any():
        raise DamagedError(f"in its state '{name}' does not rise from 0 to {last}")
    return value


def whole(state: State, name: str, low: int = 0, high: int = 1 << 62) -> int:
    value = state.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise DamagedError(f"in its state '{name}' is not a whole number from {low} to {high}")
    return value


def number(state: State, name: str) -> float:
    value = state.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise DamagedError(f"in its state '{name}' is not a number")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise DamagedError(f"in its state '{name}' is not a finite number")
    return found


def flag(state: State, name: str) -> bool:
    value = state.get(name)
    if not isinstance(value, bool):
        raise DamagedError(f"in its state '{name}' is neither true nor false")
    return value


def texts(state: State, name: str) -> list[str]:
    value = state.get(name)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise DamagedError(f"in its state '{name}' is not a list of texts")
    return value


def octets(state: State, name: str) -> bytes:
    """Bytes that stand as hexadecimal digits."""
    try:
        return bytes.fromhex(state[name])
    except (KeyError, TypeError, ValueError):
        raise DamagedError(f"in its state '{name}' is not a sequence of bytes") from None
