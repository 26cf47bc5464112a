"""How the loops are compiled, and what is said of it.

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

import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba

from macro_engine.core.cache_folder import UnusableError, cache_folder
from macro_engine.core.kernel_cache import KernelCache, trouble


def announcement() -> str | None:
    """What to tell the user before the loops are compiled; None if they are kept ready."""
    if _folder is None:
        return f"compiling the fast path, which takes about 20 s; {_why}, so that every run does"
    if not (_folder / _warm()).exists():
        return "compiling the fast path, about 20 s this once; later runs take it from the cache"
    return None


def tell_of_trouble(say: Callable[[str], None]) -> None:
    """Tell somebody what goes wrong with the cache."""
    trouble.tell(say)


def mark_as_warm() -> None:
    """Note that everything was compiled and kept."""
    if _folder is not None and not trouble.cannot_write:
        with suppress(OSError):
            (_folder / _warm()).touch()


def _warm() -> str:
    """Compiled code is for one version of Python and of Numba."""
    python = ".".join(map(str, sys.version_info[:3]))
    return f"warm-{python}-{version('numba')}"


def _found_folder() -> tuple[Path | None, str]:
    """The folder for compiled loops, or why there is none, which is no error."""
    try:
        return cache_folder(), ""
    except UnusableError as error:
        return None, str(error)


# C code never calls a loop
_ALWAYS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}


def compiler(**options: Any) -> Callable[[Any], Any]:
    """A decorator that compiles with some of Numba's options."""

    def decorate(function: Any) -> Any:
        dispatcher = numba.njit(**(_ALWAYS | options))(function)
        if _folder is not None:
            with suppress(RuntimeError):  # the folder is gone: Numba has no place for it
                dispatcher._cache = KernelCache(function)
        return dispatcher

    return decorate


_folder, _why = _found_folder()
if _folder is not None:
    setattr(numba.config, "CACHE_DIR", str(_folder))  # noqa: B010 (it has no stubs)

compiled: Any = compiler()
# a call would cost as much as the work
inlined: Any = compiler(inline="always")
# for what makes no arrays and hands none out: counting who holds one would take a fifth of the time
borrowing: Any = compiler(_nrt=False)
