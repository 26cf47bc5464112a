"""Prefetches memory from compiled code."""

from __future__ import annotations

from typing import Any

import numba.core.cgutils
import numba.np.arrayobj
from numba.core import types
from numba.extending import intrinsic

# they have no types
_arrays: Any = numba.np.arrayobj
_cgutils: Any = numba.core.cgutils
_ir: Any = _cgutils.ir
_READ, _KEEP, _DATA = 0, 3, 1


def _prefetch(_typing: Any, line: Any, index: Any) -> Any:
    """Prefetches an item of an array, without waiting."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        items = _arrays.make_array(signature.args[0])(context, builder, args[0]).data
        number, pointer = _ir.IntType(32), _ir.IntType(8).as_pointer()
        kind = _ir.FunctionType(_ir.VoidType(), [pointer, number, number, number])
        function = _cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        place = builder.bitcast(builder.gep(items, [args[1]]), pointer)
        builder.call(function, [place, *(number(n) for n in (_READ, _KEEP, _DATA))])
        return context.get_dummy_value()

    return types.void(line, index), build


prefetch: Any = intrinsic(_prefetch)
