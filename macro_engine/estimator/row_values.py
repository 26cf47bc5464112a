"""Converts a row of River to numbers by name."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from macro_engine.core.rows import LARGEST


def numbers_of(x: dict[Any, Any]) -> dict[str, float]:
    """Features by name: numbers as they are, anything else as a feature that is 1.

    >>> numbers_of({"delay": 3, "origin": "ATL"})
    {'delay': 3.0, 'origin=ATL': 1.0}
    """
    found = {}
    for name, value in x.items():
        if not isinstance(value, numbers.Real | np.bool_):
            found[f"{name}={value}"] = 1.0
        elif _can_be_used(value):
            found[str(name)] = float(value)
        else:
            raise ValueError(
                f"the feature {name!r} is {str(value)[:20]}: a single one would spoil the model; "
                "leave it out of the row where it is missing"
            )
    return found


def _can_be_used(value: Any) -> bool:
    """Whether a number is finite, and small enough to be squared."""
    try:
        return abs(float(value)) < LARGEST  # which is no NaN either
    except OverflowError:  # an integer beyond all floats
        return False
