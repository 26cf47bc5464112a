"""How loops are compiled, and where the result is kept so that this happens once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def compiler(sources: Iterable[Path], **options: Any) -> Callable[[Any], Any]:
    """A decorator for loops that stand in these sources and use no others.

    Numba notices no change in a file that another one uses: what is kept is for exactly these
    sources at this place. Division by zero is not looked for, which would keep loops from running
    side by side; sums keep their order.
    """
    import numba

    settings: Any = numba.config
    folder = _cache_for(sources)

    def compiled(function: Any) -> Any:
        before = settings.CACHE_DIR
        if folder is not None:
            settings.CACHE_DIR = str(folder)
        try:
            keep = folder is not None
            return numba.njit(cache=keep, nogil=True, error_model="numpy", **options)(function)
        finally:
            settings.CACHE_DIR = before

    return compiled


def _cache_for(sources: Iterable[Path]) -> Path | None:
    """A folder that can be written; None where there is none, which is no error."""
    parts = [part for path in sorted(sources) for part in (str(path).encode(), path.read_bytes())]
    digest = hashlib.sha256(b"".join(parts)).hexdigest()[:16]
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = base / "macro-tui" / f"kernels-{digest}"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None
