"""MACRO, a meta-algorithm for conditional risk minimization, over live and recorded streams."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from macro_engine.algorithm.macro import Macro
    from macro_engine.core.errors import MacroError, UsageError
    from macro_engine.estimator import MacroClassifier
    from macro_engine.run.replaying import replay
    from macro_engine.run.result import RunResult, open_run
    from macro_engine.subroutines.nearest_mean_classifier import NearestMeanClassifier

__version__ = "0.2.0"

__all__ = [
    "Macro",
    "MacroClassifier",
    "MacroError",
    "NearestMeanClassifier",
    "RunResult",
    "UsageError",
    "open_run",
    "replay",
]

# loaded when they are asked for: a screen is painted before Polars, Numba and River are there
_MODULES = {
    "Macro": "algorithm.macro",
    "MacroClassifier": "estimator",
    "MacroError": "core.errors",
    "NearestMeanClassifier": "subroutines.nearest_mean_classifier",
    "RunResult": "run.result",
    "UsageError": "core.errors",
    "open_run": "run.result",
    "replay": "run.replaying",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
