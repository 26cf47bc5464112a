"""How the loops are compiled, and where the result is kept so that this happens once."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any


def cache_folder() -> Path:
    """A folder for exactly these sources: Numba notices no change in a file that another uses."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "macro-tui" / f"kernels-{digest[:16]}"


def is_cold() -> bool:
    """Whether the loops must be compiled first, which takes a while."""
    return not any(cache_folder().rglob("*.nbi"))


def _use_cache() -> bool:
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


def _decorator(**options: Any) -> Any:
    from numba import njit

    return njit(cache=_use_cache(), nogil=True, **options)


compiled: Any = _decorator()
# for what runs once a row and learner: a call would cost as much as the work
inlined: Any = _decorator(inline="always")
