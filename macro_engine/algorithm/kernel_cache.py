"""Where compiled kernels are kept, so that they are compiled once and not at every start."""

from __future__ import annotations

import os
from pathlib import Path

from macro_engine import __version__


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "macro-tui" / f"kernels-{__version__}"


def use_cache() -> bool:
    """Point Numba to the folder; False where it cannot be written, which is no error."""
    import numba

    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    if not os.access(folder, os.W_OK):
        return False
    setattr(numba.config, "CACHE_DIR", str(folder))  # noqa: B010 (it has no stubs)
    return True


def is_cold() -> bool:
    """Whether the kernels must be compiled first, which takes a while."""
    return not any(cache_folder().rglob("*.nbi"))
