"""The dimensions of a blend, and its inputs."""

from __future__ import annotations

from dataclasses import dataclass

from macro_engine.blend.tilings import TILING_SETS, TilingSet
from macro_engine.core.rows import Floats, Ints

MOST_CLASSES = 100
NO_LABEL = -1  # of a row whose label never came
GROUPS = ("linear", "shares", "persistence", "macro", "tiles")


@dataclass(frozen=True)
class BlendShape:
    """The dimensions of a blend.

    Attributes
    ----------
    classes
        At least 2.
    numbers, categories
        Columns of the linear expert.
    members
        Finite members of the run's family; without any, the family's expert is left out.
    tiled
        Columns of the tiles, all of them categories but the first `units`; without any, the
        experts on tiles are left out.
    units
        How many numbers the tiles have.
    """

    classes: int
    numbers: int
    categories: int
    members: int
    tiled: int
    units: int

    @staticmethod
    def of(classes: int, numbers: int, categories: int, members: int) -> BlendShape:
        """The shape of a run whose columns all feed the tiles."""
        return BlendShape(classes, numbers, categories, members, numbers + categories, numbers)

    @property
    def models(self) -> int:
        """The number of logistic models: one for two classes, else one for each class."""
        return 1 if self.classes == 2 else self.classes

    @property
    def tiling_sets(self) -> tuple[TilingSet, ...]:
        """Of the sets of tilings."""
        return TILING_SETS if self.tiled else ()

    @property
    def groups(self) -> tuple[str, ...]:
        """The group of each expert, in the order of the experts."""
        return (
            "linear",
            "linear",
            "shares",
            "persistence",
            *(("macro",) if self.members else ()),
            *(("tiles",) * 5 if self.tiled else ()),
        )

    @property
    def experts(self) -> int:
        return len(self.groups)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The inputs of the experts for some rows.

    Attributes
    ----------
    numbers
        As the learners see them, rows by columns.
    units
        As the tiles see them, in [0, 1].
    codes
        Categories, in order of first appearance, rows by categories.
    marginal
        Probabilities of the marginal baseline, rows by classes.
    unchanged
        Those of the baseline that expects no change.
    members
        Probabilities of the finite members, members by rows by classes.
    """

    numbers: Floats
    units: Floats
    codes: Ints
    marginal: Floats
    unchanged: Floats
    members: Floats

    def __len__(self) -> int:
        return len(self.marginal)

    def cut(self, start: int, stop: int) -> Evidence:
        return Evidence(
            self.numbers[start:stop],
            self.units[start:stop],
            self.codes[start:stop],
            self.marginal[start:stop],
            self.unchanged[start:stop],
            self.members[:, start:stop],
        )
