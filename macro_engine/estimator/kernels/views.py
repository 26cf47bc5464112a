"""Views of a flat array as tables; the general `reshape` takes long to compile.

A view holds nothing: the flat array must outlive it.
"""

from __future__ import annotations

from typing import Any

import numba.np.arrayobj
from numba.core import types
from numba.extending import intrinsic

_arrays: Any = numba.np.arrayobj  # it has no types


def _view(context: Any, builder: Any, flat: Any, result: Any, args: Any) -> Any:
    """An array over the numbers of a flat one, from one of them on, with the given sides."""
    source = _arrays.make_array(flat)(context, builder, args[0])
    view = _arrays.make_array(result)(context, builder)
    sides, size = args[2:], source.itemsize
    strides = [size]
    for side in reversed(sides[1:]):
        strides.insert(0, builder.mul(side, strides[0]))
    _arrays.populate_array(
        view,
        data=builder.gep(source.data, [args[1]]),
        shape=list(sides),
        strides=strides,
        itemsize=size,
        meminfo=None,
        parent=None,
    )
    return view._getvalue()


def _table(_typing: Any, flat: Any, _at: Any, _a: Any, _b: Any) -> Any:
    """Two sides."""
    result = types.Array(flat.dtype, 2, "C")

    def build(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _view(context, builder, flat, result, args)

    return result(flat, types.intp, types.intp, types.intp), build


def _cube(_typing: Any, flat: Any, _at: Any, _a: Any, _b: Any, _c: Any) -> Any:
    """Three sides."""
    result = types.Array(flat.dtype, 3, "C")

    def build(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _view(context, builder, flat, result, args)

    return result(flat, types.intp, types.intp, types.intp, types.intp), build


table: Any = intrinsic(_table)
cube: Any = intrinsic(_cube)
