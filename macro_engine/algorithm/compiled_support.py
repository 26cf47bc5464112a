"""The settings that the compiled path supports."""

from __future__ import annotations

from collections.abc import Sequence

COMPILED_DISTANCES = ("features", "labels", "frames")
COMPILED_SUBROUTINES = ("logistic", "nearest-mean")


def has_compiled_path(
    distance: str, subroutine: str, output: str, histories: Sequence[int | None]
) -> bool:
    """Whether the compiled path supports these settings; the general path runs all others.

    A history of all steps is kept as counts of labels there, which is enough for that distance.
    """
    return (
        distance in COMPILED_DISTANCES
        and subroutine in COMPILED_SUBROUTINES
        and output == "last"
        and (None not in histories or distance == "labels")
    )
