"""Incremental storage of the tables: whole once, then the cells changed since the last commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from macro_engine.blend.memory import TileMemory
from macro_engine.blend.shape import BlendShape
from macro_engine.core.state import DamagedError, State, children

MOST_PARTS = 256


class Tables(Protocol):
    """The tables of a blend."""

    @property
    def touched(self) -> int:
        """The number of cells that were ever learned."""

    @property
    def changed(self) -> int:
        """The number of cells changed since the last call of `stored`."""

    def cells(self, only_changed: bool = False) -> list[State]:
        """The contents of the cells, by sets of tilings."""

    def stored(self) -> None:
        """Marks the current contents of the cells as stored."""


class Journal:
    """Says which parts to store.

    Part 0 has whole tables, the parts after it what changed. They are replaced by whole tables
    where those take less room.

    Attributes
    ----------
    cells
        How many each part has that is stored.
    """

    def __init__(self) -> None:
        self.cells: list[int] = []

    def parts(self, tables: Tables, whole: bool) -> dict[str, State | None]:
        """Returns the parts to store, by name; None for a part to delete.

        Parameters
        ----------
        whole
            Whether to store whole tables, so that what is stored does not depend on when it was.
        """
        touched, changed = tables.touched, tables.changed
        found: dict[str, State | None] = {}
        is_longer = sum(self.cells[1:]) + changed > touched or len(self.cells) == MOST_PARTS
        if whole or not self.cells or is_longer:
            found = {str(n): None for n in range(1, len(self.cells))}
            found["0"] = {"tiles": tables.cells()}
            self.cells = [touched]
        elif changed:
            found = {str(len(self.cells)): {"tiles": tables.cells(only_changed=True)}}
            self.cells.append(changed)
        tables.stored()
        return found

    def joined(self, parts: Mapping[str, State], shape: BlendShape) -> list[State]:
        """Returns the contents of the cells after all parts, for a new journal."""
        if {*parts} != {str(n) for n in range(len(parts))} or not parts:
            raise DamagedError("in its state the tables of the blend are incomplete")
        sets: list[TileMemory] = []
        for n in range(len(parts)):
            kept = children(parts[str(n)], "tiles", len(shape.tiling_sets))
            later = [TileMemory.restored(state, shape) for state in kept]
            self.cells.append(sum(len(part.index) for part in later))
            sets = [a.followed_by(b) for a, b in zip(sets, later, strict=True)] if n else later
        return [part.state() for part in sets]
