"""Distances between histories, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from macro_engine.discrepancy.base import Discrepancy
from macro_engine.discrepancy.features import Features
from macro_engine.discrepancy.iid import Iid
from macro_engine.discrepancy.labels import Labels

__all__ = ["DISTANCES", "Discrepancy", "Distance", "Features", "Iid", "Labels"]


@dataclass(frozen=True)
class Distance:
    """A distance as the user names it, with the paper's settings for it.

    `create` takes the number of classes, of numeric columns, and whether those are scaled.
    """

    create: Callable[[int, int, bool], Discrepancy[Any]]
    history: int
    thresholds: tuple[float, ...]


DISTANCES: dict[str, Distance] = {
    "features": Distance(
        create=Features,
        history=1,
        thresholds=(0.15, 0.17, 0.19, 0.22, 0.25, 0.28, 0.31, 0.34, 0.37, 0.4, 0.45, 0.47),
    ),
    "labels": Distance(
        create=lambda classes, _columns, _scaled: Labels(classes),
        history=1,
        thresholds=(0.005, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
    ),
    "iid": Distance(
        create=lambda _classes, _columns, _scaled: Iid(),
        history=0,
        thresholds=(0.0,),
    ),
}
