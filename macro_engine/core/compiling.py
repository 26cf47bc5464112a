"""The decorator that compiles and caches a kernel.

What a user waits for at the first start is the compiler, so kernels are cut by what a run needs:

- A *kernel* is what Python calls: `borrowing`, or `compiled` if it makes arrays. It takes arrays to
  fill, which costs less to compile than making them. A run with other settings needs another one:
  where parts differ by setting, a function is given the parts of one setting and makes the kernel
  of it, with a `__qualname__` of its own, under which it is kept (`algorithm/kernels/steps.py`). A
  branch on a setting inside of a kernel compiles both sides.
- A *part* that is used in one place, or runs once a row and learner, is `inlined`: alone it is
  never compiled. Numba copies an inlined part once for every level of nesting: keep it small and
  nesting shallow.
- A large part is `borrowing` and takes plain arrays: it is compiled once for all its callers. A
  named tuple is taken apart at every call that is not inlined, and a constant as an argument
  (`f(x, 1)`) compiles a part once more for that constant: give it `len(array)` or an item instead.

`python tests/benchmarks/cold.py` tells what each setting costs.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import CellType, FunctionType
from typing import Any

import numba
from numba.core.dispatcher import Dispatcher

from macro_engine.core.cache_notes import found_folder
from macro_engine.core.kernel_cache import KernelCache, trouble
from macro_engine.core.without_blas import load_numba_without_blas

_OBJECTS_BETWEEN = 20_000


def tell_of_trouble(say: Callable[[str], None]) -> None:
    """Sets the listener for problems with the cache."""
    trouble.tell(say)


@contextmanager
def rare_gc() -> Iterator[None]:
    """Collects garbage less often for a while: most of what a compiler makes stays in use.

    This takes 6 % less time and 10 MB more memory.
    """
    usual = gc.get_threshold()
    gc.set_threshold(_OBJECTS_BETWEEN, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def interpreted(kernel: Any, twins: Mapping[Any, Callable[..., Any]]) -> Callable[..., Any]:
    """The function of a kernel without a compiler, and those of all its parts.

    Parameters
    ----------
    kernel
        What `compiler` made of a function.
    twins
        Functions that stand for parts which would take too long.
    """
    if kernel in twins:
        return twins[kernel]

    def plain(value: Any) -> Any:
        return interpreted(value, twins) if isinstance(value, Dispatcher) else value

    function = kernel.py_func
    used = {n: v for n, v in function.__globals__.items() if n in function.__code__.co_names}
    names = {name: plain(value) for name, value in used.items()}
    cells = tuple(CellType(plain(cell.cell_contents)) for cell in function.__closure__ or ())
    return FunctionType(function.__code__, names, function.__name__, None, cells or None)


# C code never calls a loop; to look for divisions by zero keeps loops from running side by side
_ALWAYS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}


def compiler(**options: Any) -> Callable[[Any], Any]:
    """A decorator that compiles with some of Numba's options."""

    def decorate(function: Any) -> Any:
        dispatcher = numba.njit(**(_ALWAYS | options))(function)
        if _folder is not None:
            with suppress(RuntimeError):  # the folder is gone: Numba has no place for it
                dispatcher._cache = KernelCache(function)
        return dispatcher

    return decorate


load_numba_without_blas()
_folder, _ = found_folder()
if _folder is not None:
    setattr(numba.config, "CACHE_DIR", str(_folder))  # noqa: B010 (it has no stubs)

compiled: Any = compiler()
# a call would cost as much as the work
inlined: Any = compiler(inline="always")
# for what makes no arrays and hands none out: counting who holds one would take a fifth of the time
borrowing: Any = compiler(_nrt=False)
