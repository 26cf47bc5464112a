"""The blend as a strategy whose columns and classes may grow."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from macro_engine.blend.blend import Blend
from macro_engine.blend.compiled import CompiledBlend
from macro_engine.blend.growth import with_class, with_columns
from macro_engine.blend.memory import Memory
from macro_engine.blend.shape import BlendShape, Evidence
from macro_engine.estimator.growing_columns import CODED, GrowingColumns
from macro_engine.strategies.base import Setup
from macro_engine.strategies.blend import BlendStrategy
from macro_engine.strategies.forecasts import Forecasts

AnyBlend = TypeVar("AnyBlend", bound=Blend | CompiledBlend)


class GrowingBlend(BlendStrategy):
    """Its tiles see the columns of the first row, its linear expert all of them.

    `Rows.units` are what the tiles see: numbers in [0, 1], then the codes of categories. The linear
    expert has these categories by their codes too, and any other text as a number that is 1.
    """

    def __init__(self, setup: Setup, layout: GrowingColumns) -> None:
        self.layout = layout
        super().__init__(setup)

    def grow(self, setup: Setup) -> None:
        """Adds new classes of the setup and new columns of the layout."""
        self.setup = setup
        self.blend = grown(self.blend, len(self.layout.kinds), setup.classes)
        self.shape = self.blend.shape

    def _shape(self) -> BlendShape:
        layout = self.layout
        units, categories = len(layout.units), len(layout.categories)
        return BlendShape(
            self.setup.classes, len(layout.kinds), categories, self.members, units + categories,
            units,
        )  # fmt: skip

    def _evidence(self, forecasts: Forecasts) -> Evidence:
        given, rows = super()._evidence(forecasts), forecasts.rows
        place = {name: i for i, name in enumerate(rows.columns.numbers)}
        numbers = np.zeros((len(rows), len(self.layout.kinds)))
        for a, (name, kind) in enumerate(self.layout.kinds.items()):
            if kind != CODED:
                numbers[:, a] = rows.numbers[:, place[name]]
        return Evidence(
            numbers,
            given.units[:, : self.shape.units],
            given.units[:, self.shape.units :].astype(np.int64),
            given.marginal,
            given.unchanged,
            given.members,
        )


def grown(blend: AnyBlend, numbers: int, classes: int) -> AnyBlend:
    """A blend that has learned the same, over so many columns and classes."""
    shape = blend.shape
    if numbers <= shape.numbers and classes <= shape.classes:
        return blend
    memory = with_columns(Memory.restored(blend.state(), shape), max(numbers - shape.numbers, 0))
    while memory.shape.classes < classes:
        memory = with_class(memory)
    found = type(blend)(memory.shape)
    found.restore(memory.state())
    return found
