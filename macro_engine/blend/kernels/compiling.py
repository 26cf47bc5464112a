"""How the loops of the blend are compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from macro_engine.compiling import compiler

_FOLDER = Path(__file__).parent
_CONSTANTS = [
    _FOLDER.parent / name
    for name in ("filters.py", "persistence.py", "pull.py", "share.py", "shares.py", "tilings.py")
]
_SOURCES = [*_FOLDER.glob("*.py"), *_CONSTANTS]

# makes no arrays and hands none out: nobody counts who holds one
borrowing: Any = compiler(_SOURCES, _nrt=False, no_cfunc_wrapper=True)
# the parts of it are compiled where they are used, and nowhere else
inlined: Any = compiler(_SOURCES, inline="always")
# the same, for what is never called from Python
part: Any = compiler(_SOURCES, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)
