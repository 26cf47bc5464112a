"""The kernels that a run needs, and how to compile or load all of them at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from macro_engine.algorithm.any_family import AnyFamily
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.algorithm.family import Family
from macro_engine.core.compiling import rare_gc
from macro_engine.core.members import grid
from macro_engine.core.rows import Block, Columns, Rows
from macro_engine.core.totals import Totals
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.subroutines.nearest_mean import NearestMean

# CPU seconds, about
_TO_COMPILE = {"labels": 5.0, "features": 8.5, "frames": 4.5, "blend": 7.0}
_TO_START, _FOR_STRATEGIES, _TO_LOOK_AHEAD, _TO_SCALE = 1.5, 1.5, 1.0, 1.5

_loaded: set[str] = set()  # of this process, by name


@dataclass(frozen=True)
class NeededKernels:
    """Settings that make a difference to which kernels are needed.

    Neither the columns nor the classes do: arrays of any size are of one type. Where the family
    takes no kernels distance and subroutine are None; where strategies take none they are not
    named.
    """

    distance: str | None
    subroutine: str | None
    strategies: tuple[str, ...]
    with_probabilities: bool
    looks_ahead: bool
    scales: bool
    late: bool = False  # whether labels come late
    at_once: bool = True  # whether steps are run whose labels are known at once

    @property
    def name(self) -> str:
        """Under which it is noted that all of them are in the cache."""
        options = ("probabilities", self.with_probabilities), ("open", self.looks_ahead)
        chosen = [
            name for name, on in (*options, ("scale", self.scales), ("late", self.late)) if on
        ]
        chosen += [] if self.at_once else ["only"]
        family = [name for name in (self.distance, self.subroutine) if name]
        return ".".join([*family, *self.strategies, *chosen])

    @property
    def seconds(self) -> float:
        """About how long a compiler takes for all of them."""
        parts = sum(_TO_COMPILE.get(name, 0.0) for name in (self.distance or "", *self.strategies))
        parts += _FOR_STRATEGIES if self.strategies else 0.0
        parts += _TO_LOOK_AHEAD if self.looks_ahead and self.distance else 0.0
        if self.late and self.at_once:
            parts += _TO_COMPILE.get(self.distance or "", 0.0)
        return _TO_START + parts + (_TO_SCALE if self.scales else 0.0)

    def load(self) -> None:
        """Runs a row through all kernels, once a process, to compile or load them."""
        if self.name in _loaded:
            return
        with rare_gc():
            self._load()
        _loaded.add(self.name)

    def _load(self) -> None:
        columns = Columns(("number",), ("category",), (("value",),))
        numbers, ones = np.zeros((1, 1)), np.zeros((1, 1), np.int64)
        rows = Rows(numbers, ones, ones[0], columns, units=numbers)
        if self.scales:
            from macro_engine.stream.compiled_scale import CompiledScale

            scale = CompiledScale([False])
            scale.units(scale.run(numbers, np.array([0, 1])))
            scale.scale(numbers)
        if not self.strategies:
            return
        block = Block(rows, np.array([0, 1]), None, 0, 0)
        if self.at_once:
            self._ensemble(columns, late=False).learn(block)
        ensemble = self._ensemble(columns, self.late)
        if self.late:
            nothing = Totals.nothing(ensemble.names)
            ensemble.run_late(block, [], rows.labels, np.array([0, 1]), nothing)
        if self.looks_ahead:
            ensemble.look_ahead().predict(rows)

    def _ensemble(self, columns: Columns, late: bool) -> Ensemble:
        family = self._family(columns, late)
        return Ensemble(family, columns, self.strategies, self.with_probabilities, True)

    def _family(self, columns: Columns, late: bool) -> AnyFamily:
        members, shape = grid([1], [0.1]), Shape(2, 1, 1)
        if self.distance is None or self.subroutine is None:
            labels = DISTANCES["labels"].create(shape)
            return Family(members, labels, lambda: NearestMean(2), columns, 2)
        from macro_engine.algorithm.compiled_family import CompiledFamily, CompiledSettings

        return CompiledFamily(
            CompiledSettings(members, self.distance, shape, self.subroutine), columns, late=late
        )
