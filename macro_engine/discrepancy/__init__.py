"""Distances between histories, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from macro_engine.discrepancy.base import Discrepancy
from macro_engine.discrepancy.features import Features
from macro_engine.discrepancy.frames import Frames
from macro_engine.discrepancy.iid import Iid
from macro_engine.discrepancy.labels import Labels
from macro_engine.discrepancy.markov import Markov

__all__ = [
    "DISTANCES",
    "EMPTY_CLASS",
    "Discrepancy",
    "Distance",
    "Features",
    "Frames",
    "Iid",
    "Labels",
    "Markov",
    "Shape",
    "register",
]

EMPTY_CLASS = ("far", "zero", "skip")


@dataclass(frozen=True)
class Shape:
    """The properties of a stream that a distance may need.

    Attributes
    ----------
    classes, columns
        The numbers of classes and of numeric columns.
    history
        H, for a distance that uses it; None for all steps.
    scaled
        Whether the numeric columns are scaled, and not taken as they are.
    empty_class
        One of `EMPTY_CLASS`.
    """

    classes: int
    columns: int
    history: int | None
    scaled: bool = True
    empty_class: str = "far"


@dataclass(frozen=True)
class Distance:
    """A distance as the user names it, with the paper's settings for it.

    `takes_several_histories` says that a grid may have several H, `compares_raw` that numbers are
    compared as they stand in the stream, NaN where one is missing.
    """

    create: Callable[[Shape], Discrepancy[Any]]
    history: int
    thresholds: tuple[float, ...]
    takes_several_histories: bool = False
    compares_raw: bool = False


DISTANCES: dict[str, Distance] = {}


def register(name: str, distance: Distance) -> None:
    """Registers a distance under a name."""
    if not name.replace("-", "_").isidentifier() or name in DISTANCES:
        raise ValueError(f"'{name}' is taken or is not a valid name for a distance")
    numbers = [distance.history, *distance.thresholds] if isinstance(distance, Distance) else [""]
    if not all(isinstance(number, int | float) for number in numbers):
        raise TypeError(f"'{name}': a Distance(create, history=6, thresholds=(.1, .3)) is expected")
    DISTANCES[name] = distance


_OWN = {
    "features": Distance(
        create=lambda s: Features(s.classes, s.columns, s.scaled, s.empty_class),
        history=1,
        thresholds=(0.15, 0.17, 0.19, 0.22, 0.25, 0.28, 0.31, 0.34, 0.37, 0.4, 0.45, 0.47),
        takes_several_histories=True,
    ),
    "labels": Distance(
        create=lambda s: Labels(s.classes),
        history=1,
        thresholds=(0.005, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
        takes_several_histories=True,
    ),
    "frames": Distance(
        create=lambda s: Frames(s.history, s.columns),
        history=5,
        thresholds=(1.0, 5.0, 7.0, 10.0, 15.0, 17.0, 20.0, 25.0, 30.0, 35.0, 40.0),
    ),
    "markov": Distance(
        create=lambda _shape: Markov(),
        history=1,
        thresholds=(0.5,),
        compares_raw=True,
    ),
    "iid": Distance(
        create=lambda _shape: Iid(),
        history=0,
        thresholds=(0.0,),
    ),
}
for _name, _distance in _OWN.items():
    register(_name, _distance)
