"""Predictions and probabilities of code that is not this program's own: they may be anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible

_CLASS_KINDS = "biu"  # truth values and whole numbers
_ROUNDING = 1e-4


def check_predictions(who: str, said: Any, rows: int, classes: int) -> None:
    """Refuse what is no class for each row."""
    predictions = as_array(said)
    if predictions.shape != (rows,) or predictions.dtype.kind not in _CLASS_KINDS:
        raise MacroError(
            f"{who} answers predictions of shape {predictions.shape}, type {predictions.dtype}, "
            f"where whole numbers of shape ({rows},) are expected: a class for each row"
        )
    for wrong in predictions[(predictions < 0) | (predictions >= classes)][:1]:
        raise MacroError(f"{who} predicts class {wrong}, where there are 0 to {classes - 1}")


def check_probabilities(who: str, said: Any, rows: int, classes: int) -> None:
    """Refuse what is no probability for each row and class."""
    probabilities, expected = as_array(said), (rows, classes)
    if probabilities.shape != expected or probabilities.dtype.kind != "f":
        raise MacroError(
            f"{who} answers probabilities of shape {probabilities.shape}, type "
            f"{probabilities.dtype}, where numbers of shape {expected} are expected: rows by "
            "classes"
        )
    for row in probabilities[~are_shares(probabilities)][:1]:
        raise MacroError(
            f"{who} answers the probabilities {visible(row.tolist(), 60)}, where numbers from 0 "
            "to 1 with sum 1 are expected; or None, where it has none"
        )


def are_shares(lines: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the numbers of each line are not negative and have the sum 1."""
    with np.errstate(invalid="ignore", over="ignore"):
        is_one: NDArray[np.bool_] = np.abs(lines.sum(axis=1) - 1.0) <= _ROUNDING
        return is_one & (lines >= -_ROUNDING).all(axis=1)


def as_array(said: Any) -> NDArray[Any]:
    """What was said as an array; one of objects, where it is none."""
    try:
        return np.asarray(said)
    except ValueError:
        return np.array(None)


def class_of(thing: object) -> str:
    """The class of a thing, with the module in which it is looked for."""
    return f"{type(thing).__module__}.{type(thing).__qualname__}"
