"""A table of the addresses and sizes of many arrays.

Unpacking a named tuple of arrays takes a tenth of a microsecond for each of them, at every call
from Python. A table of addresses is one array. Whoever makes it keeps the arrays alive.
"""

from __future__ import annotations

from typing import Any

import numba.core.cgutils
import numba.np.arrayobj
import numpy as np
from numba.core import types
from numba.extending import intrinsic

from macro_engine.core.rows import Ints

# they have no types
_arrays: Any = numba.np.arrayobj
_cgutils: Any = numba.core.cgutils
_typeof: Any = numba.typeof
_ENTRY = 4  # numbers for each array: its address, and up to three sides


def addresses_of(value: Any) -> Ints:
    """The table of the arrays in a tuple of arrays, or of such tuples."""
    return np.array(_entries(value), np.int64)


def _entries(value: Any) -> list[int]:
    if isinstance(value, tuple):
        return [number for item in value for number in _entries(item)]
    if not value.flags.c_contiguous:
        raise ValueError("an array that is not in one piece has no address")
    return [value.ctypes.data, *value.shape, *[0] * (_ENTRY - 1 - value.ndim)]


def reader_of(example: Any) -> Any:
    """A function for compiled code: from a table of addresses, a tuple like the example."""
    result = _typeof(example)

    def read(_typing: Any, table: Any) -> Any:
        def build(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            numbers = _arrays.make_array(table)(context, builder, args[0]).data
            return _built(context, builder, result, numbers, 0)[0]

        return result(table), build

    return intrinsic(read)


def _built(context: Any, builder: Any, kind: Any, numbers: Any, at: int) -> tuple[Any, int]:
    """A tuple or an array, given the place of its first entry; and the place behind its last."""
    if not isinstance(kind, types.Array):
        parts = []
        for item in kind.types:
            part, at = _built(context, builder, item, numbers, at)
            parts.append(part)
        return context.make_tuple(builder, kind, parts), at

    def number(place: int) -> Any:
        return builder.load(_cgutils.gep_inbounds(builder, numbers, at * _ENTRY + place))

    view = _arrays.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    sides = [number(1 + side) for side in range(kind.ndim)]
    strides = [context.get_constant(types.intp, size)]
    for side in reversed(sides[1:]):
        strides.insert(0, builder.mul(side, strides[0]))
    data_type = context.get_data_type(kind.dtype).as_pointer()
    _arrays.populate_array(
        view,
        data=builder.inttoptr(number(0), data_type),
        shape=sides,
        strides=strides,
        itemsize=context.get_constant(types.intp, size),
        meminfo=None,
        parent=None,
    )
    return view._getvalue(), at + 1
