"""How the loops are compiled, and what is said of it."""

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


def compiler(**options: Any) -> Callable[[Any], Any]:
    """A decorator that compiles with some of Numba's options."""

    def decorate(function: Any) -> Any:
        dispatcher = numba.njit(nogil=True, **options)(function)
        if _folder is not None:
            with suppress(RuntimeError):  # the folder is gone: Numba has no place for it
                dispatcher._cache = KernelCache(function)
        return dispatcher

    return decorate


_folder, _why = _found_folder()
if _folder is not None:
    setattr(numba.config, "CACHE_DIR", str(_folder))  # noqa: B010 (it has no stubs)

compiled: Any = compiler()
# for what runs once a row and learner: a call would cost as much as the work
inlined: Any = compiler(inline="always")
# for the parts of a step, which are handed many arrays
part_of_step: Any = compiler(forceinline=True)
# for what makes no arrays and hands none out: counting who holds one would take a fifth of the time
borrowing: Any = compiler(_nrt=False)
