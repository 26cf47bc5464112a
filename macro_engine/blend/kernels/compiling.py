"""The decorator that compiles the kernels of the blend."""

from __future__ import annotations

from typing import Any

from macro_engine.core.compiling import compiler

# makes no arrays, hands none out and is never called from Python
part: Any = compiler(_nrt=False, no_cpython_wrapper=True)
