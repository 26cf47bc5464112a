"""How the loops are compiled, and where the result is kept so that this happens once."""

from __future__ import annotations

import hashlib
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any


def cache_folder() -> Path | None:
    """A folder for exactly these sources at this place; None where there is no home.

    Numba notices no change in a file that another one uses, and keeps files of another place apart.
    """
    here = Path(__file__).parent
    sources = [source.read_bytes() for source in sorted(here.glob("*.py"))]
    digest = hashlib.sha256(b"".join([str(here).encode(), *sources])).hexdigest()[:16]
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return None
    return base / "macro-tui" / f"kernels-{digest}"


def writable_cache() -> Path | None:
    """The folder, if kernels can be kept there; if not, that is no error."""
    folder = cache_folder()
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if folder is not None and os.access(folder, os.W_OK) else None


def announcement() -> str | None:
    """What to tell the user before the loops are compiled; None if they are kept ready."""
    folder = writable_cache()
    if folder is None:
        return (
            "compiling the fast path, which takes about 20 s; the cache folder cannot be written, "
            "so that every run does"
        )
    if not (folder / _warm()).exists():
        return "compiling the fast path, about 20 s this once; later runs take it from the cache"
    return None


def mark_as_warm() -> None:
    """Note that everything was compiled and kept."""
    folder = writable_cache()
    if folder is not None:
        (folder / _warm()).touch()


def _warm() -> str:
    """Compiled code is for one version of Python and of Numba."""
    python = ".".join(map(str, sys.version_info[:3]))
    return f"warm-{python}-{version('numba')}"


def _decorator(**options: Any) -> Any:
    import numba

    folder = writable_cache()
    if folder is not None:
        setattr(numba.config, "CACHE_DIR", str(folder))  # noqa: B010 (it has no stubs)
    return numba.njit(cache=folder is not None, nogil=True, **options)


compiled: Any = _decorator()
# for what runs once a row and learner: a call would cost as much as the work
inlined: Any = _decorator(inline="always")
# for the parts of a step, which are handed many arrays
part_of_step: Any = _decorator(forceinline=True)
# for what makes no arrays and hands none out: counting who holds one would take a fifth of the time
borrowing: Any = _decorator(_nrt=False)
