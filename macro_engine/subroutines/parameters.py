"""The parameters of a learner, for display."""

from __future__ import annotations

from dataclasses import dataclass

from macro_engine.core.rows import Columns, Floats

WEIGHTS, MEANS = "weights", "means"


@dataclass(frozen=True, eq=False)
class Parameters:
    """Numbers for each encoded column.

    Attributes
    ----------
    kind
        `weights`, of one model for the second of two classes or of one a class; or `means`, one a
        class.
    values
        Models, or classes, by columns.
    intercepts
        One a model; empty for means.
    """

    kind: str
    columns: tuple[str, ...]
    values: Floats
    intercepts: Floats


def column_names(columns: Columns, widths: list[int]) -> tuple[str, ...]:
    """The names of the encoded columns, as far as parts of these widths have them."""
    names = list(columns.numbers)
    for category, slots, width in zip(columns.categories, columns.slots, widths[1:], strict=True):
        names += [f"{category}={slot}" for slot in slots[:width]]
    return tuple(names)
