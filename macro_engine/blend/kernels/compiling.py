"""How the loops of the blend are compiled.

Division by zero is not looked for, which would keep loops from running side by side; sums keep
their order.
"""

from __future__ import annotations

from typing import Any

from macro_engine.core.compiling import compiler

_PLAIN = {"error_model": "numpy", "no_cfunc_wrapper": True}

# makes no arrays and hands none out: nobody counts who holds one
borrowing: Any = compiler(_nrt=False, **_PLAIN)
# the parts of it are compiled where they are used, and nowhere else
inlined: Any = compiler(inline="always", error_model="numpy")
# the same, for what is never called from Python
part: Any = compiler(_nrt=False, no_cpython_wrapper=True, **_PLAIN)
