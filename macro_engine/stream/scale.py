"""Scales the numbers of a stream: by bounds, by running mean and deviation, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from macro_engine.core.declared import Array, Declared, Integer
from macro_engine.core.escape import visible
from macro_engine.core.rows import Bools, Floats, Ints, Rows
from macro_engine.core.state import State, child
from macro_engine.stream.running_scale import CLIP, RunningScale, are_many
from macro_engine.stream.spec import MEAN, StreamSpec

_MANY_VALUES = 200_000  # take half a second without a compiler


class Scale:
    """Scales whole steps, each by the steps before it.

    A column with bounds is brought to [0, 1], any other column by its running mean and deviation.
    Without scale both happen for the tiles alone, where there are any.

    Parameters
    ----------
    spec
        Which columns there are, their bounds, and what is wanted of them.
    say
        Takes a line of text about values that are cut off.
    create
        Makes the running scale; the compiled one unless another is given.

    Attributes
    ----------
    is_warming_up
        Tells whether compiled loops are not there yet: few values are scaled without them.
    """

    remembers = Declared(
        Integer("rows"),
        Array("outside", np.int64, ("columns",), low=0),
        Array("often_outside", np.bool_, ("columns",)),
    )

    def __init__(
        self,
        spec: StreamSpec,
        say: Callable[[str], None] = lambda _text: None,
        create: Callable[[Bools], RunningScale] | None = None,
    ) -> None:
        self.spec = spec
        self.say = say
        self.create = create
        self.is_warming_up: Callable[[], bool] = lambda: False
        self.bounded = np.array([name in spec.bounds for name in spec.numbers], np.bool_)
        self.is_needed = spec.scaled or spec.wants_units
        self.runs = self.is_needed and not self.bounded.all()
        self._take_bounds([spec.bounds.get(name, (0.0, 1.0)) for name in spec.numbers])
        columns = len(spec.numbers)
        self.rows = 0  # of closed steps
        self.outside = np.zeros(columns, np.int64)  # values beyond their bounds in closed steps
        self.often_outside = np.zeros(columns, np.bool_)  # so many that it was said

    @cached_property
    def running(self) -> RunningScale:
        """The scale of columns without bounds; made when it is needed, as its loops take time."""
        if self.create is not None:
            return self.create(self.bounded)
        return RunningScale(self.bounded) if self.is_warming_up() else _compiled(self.bounded)

    def close(self, rows: Rows, starts: Ints) -> Rows:
        """The rows of whole steps, scaled; each step is closed before the next one."""
        if not self.is_needed:
            return self._unscaled(rows)
        self._count(rows.numbers, starts)
        z = self._between_bounds(rows.numbers)
        if self.runs:
            self._compile_if_it_is_time(z.size)
            before = self.running.often_clipped.copy()
            z = self.running.run(z, starts)
            self._tell(self.running.often_clipped & ~before, f"{CLIP:g} deviations from the mean")
        return self._rows(rows, z)

    def open(self, rows: Rows) -> Rows:
        """The rows of a step that is still open, scaled; nothing changes."""
        if not self.is_needed:
            return self._unscaled(rows)
        z = self._between_bounds(rows.numbers)
        return self._rows(rows, self.running.scale(z) if self.runs else z)

    def what_was_cut_off(self) -> list[str]:
        """In words, for each column with values outside its bounds, or often far from its mean."""
        found = []
        for j, name in enumerate(self.spec.numbers):
            low, high = self.lowest[j], self.highest[j]
            where, count = f"outside {low:g} to {high:g}", int(self.outside[j])
            if self.runs and not self.bounded[j]:
                where = f"beyond {CLIP:g} deviations from the mean"
                clipped, values = int(self.running.clipped[j]), int(self.running.values[j])
                count = clipped if are_many(clipped, values) else 0
            if count:
                found.append(f"{count:,} values of '{visible(name)}' {where} were cut off")
        return found

    def state(self) -> State:
        has_begun = "running" in self.__dict__
        return self.remembers.state_of(self) | {
            "running": self.running.state() if has_begun else None
        }

    def restore(self, state: State) -> None:
        """Go on from a state; the scale must be new."""
        self.remembers.restore(self, state, columns=len(self.bounded))
        if self.runs and self.rows:
            self.running.restore(child(state, "running"))

    def _compile_if_it_is_time(self, values: int) -> None:
        """Go over to compiled loops once they are there, or for what would take long without."""
        if self.create is not None or type(self.running) is not RunningScale:
            return
        if values > _MANY_VALUES or not self.is_warming_up():
            compiled = _compiled(self.bounded)
            compiled.restore(self.running.state())
            self.running = compiled

    def _rows(self, rows: Rows, z: Floats) -> Rows:
        spec = self.spec
        units = None
        if spec.wants_units:
            units = self.running.units(z) if self.runs else z
        if not spec.scaled:
            z = np.where(np.isfinite(rows.numbers), rows.numbers, 0.0)
        raw = np.where(np.isfinite(rows.numbers), rows.numbers, np.nan) if spec.wants_raw else None
        return replace(rows, numbers=z, units=units, raw=raw)

    def _unscaled(self, rows: Rows) -> Rows:
        return rows if self.spec.missing != MEAN else self._rows(rows, rows.numbers)

    def _take_bounds(self, bounds: list[tuple[float, float]]) -> None:
        self.lowest = np.array([low for low, _ in bounds])
        self.highest = np.array([high for _, high in bounds])
        # a span beyond the largest float is halved, with everything that it measures
        self.half = np.array([1.0 if np.isfinite(high - low) else 0.5 for low, high in bounds])
        self.low = self.lowest * self.half
        self.constant = np.array([high <= low for low, high in bounds], np.bool_)
        self.span = np.where(self.constant, 1.0, self.highest * self.half - self.low)

    def _between_bounds(self, numbers: Floats) -> Floats:
        """The numbers with those columns in [0, 1] that have bounds; the others as they are."""
        if not self.bounded.any():
            return numbers
        with np.errstate(over="ignore"):  # what overflows is cut off
            z = np.clip((numbers * self.half - self.low) / self.span, 0.0, 1.0)
        z[:, self.constant] = 0.0
        if self.spec.missing == MEAN:
            z[~np.isfinite(numbers)] = 0.0
        return z if self.bounded.all() else np.where(self.bounded, z, numbers)

    def _count(self, numbers: Floats, starts: Ints) -> None:
        """Count the values outside of their bounds, and tell once where they are many."""
        self.rows += len(numbers)
        if not self.bounded.any():
            return
        beyond = ((numbers < self.lowest) | (numbers > self.highest)) & self.bounded
        if beyond.any():
            before = self.rows - len(numbers)
            counts = self.outside + np.cumsum(beyond, axis=0)[starts[1:] - 1]
            often = are_many(counts, (before + starts[1:])[:, None]).any(axis=0)
            self._tell(often & ~self.often_outside, "their bounds")
            self.often_outside |= often
            self.outside = counts[-1]

    def _tell(self, columns: Bools, where: str) -> None:
        for j in np.flatnonzero(columns).tolist():
            name = visible(self.spec.numbers[j])
            self.say(f"more than 1 % of the values of '{name}' are cut off at {where}")


def _compiled(bounded: Bools) -> RunningScale:
    from macro_engine.stream.compiled_scale import CompiledScale

    return CompiledScale(bounded)
