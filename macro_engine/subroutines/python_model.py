"""`python:module:function`: a model factory of the user.

It runs the user's code, so it is taken from the command line only, never from a file.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.subroutines.base import Create, Subroutine
from macro_engine.subroutines.river_model import RiverModel
from macro_engine.subroutines.river_text import checked_for


def python_factory(path: str) -> Create:
    """How to start a subroutine around what the user's function returns."""
    module_name, _, function_name = path.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    if not module_name or not function_name:
        raise UsageError(f"python:{visible(path)} is not python:MODULE:FUNCTION")
    try:
        function = getattr(importlib.import_module(module_name), function_name)
    except Exception as error:  # the module is the user's: anything may happen in it
        raise UsageError(
            f"cannot import python:{visible(path)}: {type(error).__name__}: {visible(error, 200)}; "
            "it is python:MODULE:FUNCTION, and MODULE is looked for in the working folder too"
        ) from error

    if not callable(function):
        raise UsageError(f"python:{visible(path)} is a {type(function).__name__}, not a function")

    def create(classes: tuple[str, ...]) -> Subroutine:
        model = function()
        for method in ("predict_one", "learn_one"):
            if not callable(getattr(model, method, None)):
                raise UsageError(
                    f"python:{visible(path)} returned a {type(model).__name__} without {method}; "
                    "a model has River's predict_one(x) and learn_one(x, y)"
                )
        return RiverModel.over(checked_for(model, classes, f"python:{path}"), classes)

    return create
