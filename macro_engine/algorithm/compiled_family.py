"""The compiled family: the results of `Family`, computed by kernels, for the paper's learners."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from macro_engine.algorithm import compiled_state
from macro_engine.algorithm.compiled_arrays import (
    by_models,
    empty_bank,
    empty_references,
    empty_subroutines,
    grown_bank,
    grown_references,
    grown_subroutines,
    room_for_a_step,
    widened_bank,
)
from macro_engine.algorithm.compiled_late import (
    called_since,
    grown_called,
    room_for_called,
    stretch_of_opening,
)
from macro_engine.algorithm.compiled_step import CompiledStep, one_hot_columns
from macro_engine.algorithm.distance_cost import DistanceCost
from macro_engine.algorithm.family import histories_of, with_marginal
from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.algorithm.kernels import arrays
from macro_engine.algorithm.kernels.arrays import PresentHistory, ResultArrays
from macro_engine.algorithm.late_block import LateBlock
from macro_engine.algorithm.learning_subroutines import LearningSubroutines
from macro_engine.algorithm.loops import compiled_loops, plain_loops
from macro_engine.core.members import Member
from macro_engine.core.rows import Block, Columns, Floats, Ints, Rows
from macro_engine.core.smallest_type import counts_type
from macro_engine.core.state import State
from macro_engine.core.steps import NEAREST
from macro_engine.discrepancy import Shape
from macro_engine.subroutines.learning_rate import SQRT, LearningRate, factor_and_power
from macro_engine.subroutines.parameters import MEANS, WEIGHTS, Parameters, column_names

_STEPS_IN_NO_HURRY = 32  # a longer block leaves far distances at their lower bounds
_MOST_RATES = 1 << 20  # learning rates kept ready at most; beyond, each is computed when needed
_rates: dict[tuple[float, float], Floats] = {}  # by factor and power, for all families


@dataclass(frozen=True)
class CompiledSettings:
    """The settings of a family: names as in the options, numbers as for `Macro`."""

    members: tuple[Member, ...]
    distance: str
    shape: Shape
    subroutine: str
    power: float = 0.0
    most: int | None = None
    learning_rate: LearningRate | None = SQRT  # of logistic


class CompiledFamily:
    """Runs blocks through the kernels and keeps the arrays that they work on.

    Parameters
    ----------
    settings
        What is run.
    columns
        The encoded columns known at the start.
    plain
        Whether the kernels are interpreted until `compile` is called.
    late
        Whether labels come late.
    """

    unanswered = 0

    def __init__(
        self, settings: CompiledSettings, columns: Columns, plain: bool = False, late: bool = False
    ) -> None:
        shape = settings.shape
        self.late = late
        self.shape = shape
        self.classes = shape.classes
        self.members = settings.members
        self.distance = settings.distance
        self.subroutine = settings.subroutine
        self.loops = (plain_loops if plain else compiled_loops)(
            settings.distance, settings.subroutine
        )
        rate, rate_power = factor_and_power(settings.learning_rate)
        everyone, histories = with_marginal(settings.members), histories_of(settings.members)
        self.settings = arrays.KernelSettings(
            thresholds=np.array([m.threshold for m in everyone]),
            history_of=np.array(
                [0 if m.is_marginal else histories.index(m.steps) for m in everyone]
            ),
            histories=np.array([-1 if h is None else h for h in histories]),
            power=settings.power,
            most=settings.most or 0,
            divisor=math.sqrt(shape.columns) if shape.scaled else 1.0,
            lacking=1.0 if shape.empty_class == "far" else 0.0,
            skip=int(shape.empty_class == "skip"),
            rate=rate,
            rate_power=rate_power,
        )
        self.lines = len(everyone)  # the members, and last the marginal baseline
        self.logistic = settings.subroutine == "logistic"
        self.widths = columns.widths
        self.step = 0
        self.cost = DistanceCost(self.distance)
        # the last completed steps: where each starts, and their rows
        self.completed_starts = np.zeros(1, np.int64)
        self.completed_numbers = np.empty((0, self.widths[0]))
        self.completed_labels = np.empty(0, np.int64)
        self.label_counts = np.zeros(shape.classes, np.int64)
        self.references = empty_references(len(histories), shape.classes, shape.columns)
        self.subroutines = empty_subroutines(self.lines)
        self.bank = empty_bank(self.lines, self.logistic, shape.classes, sum(self.widths))

    @property
    def always_has_probabilities(self) -> bool:
        """Whether its learners always have probabilities."""
        return self.logistic

    @property
    def distance_seconds(self) -> float:
        """The estimated time spent on distances in compiled loops."""
        return self.cost.seconds

    @property
    def reference_count(self) -> int:
        """The number of distinct references."""
        return int(self.references.used.sum())

    @property
    def bytes_held(self) -> int:
        """The bytes of the arrays between blocks, without spare capacity of the bank."""
        completed = (self.completed_numbers, self.completed_labels, self.completed_starts)
        bank, n = self.bank, int(self.bank.used[0])
        used = (bank.weights[:n], bank.intercepts[:n], bank.counts[:n], bank.rates)
        held = [*self.references, *self.subroutines, *used, *completed]
        return sum(a.nbytes for a in held)

    def compile(self) -> None:
        """Switches to compiled loops, between two blocks."""
        self.loops = compiled_loops(self.distance, self.subroutine)

    def finish(self) -> None:
        """Does nothing: there are no resources outside of Python."""

    def parameters(self, member: int, number: int, columns: Columns) -> Parameters | None:
        """The parameters of a subroutine."""
        place = self.subroutines.place[member, number - 1]
        values = by_models(self.bank.weights[place : place + 1], self.bank.intercepts.shape[1])[0]
        names = column_names(columns, self.widths)
        if self.logistic:
            return Parameters(WEIGHTS, names, values, self.bank.intercepts[place].copy())
        return Parameters(MEANS, names, values, np.empty(0))

    def updates(self, member: int) -> Ints:
        """The number of steps that each subroutine of a member has learned."""
        return self.subroutines.updates[member, : self.subroutines.used[member]].copy()

    def state(self) -> State:
        """Returns the complete state, without spare capacity."""
        return compiled_state.state_of(self)

    def restore(self, state: State, columns: Columns) -> None:
        """Restores a state; the family must be new."""
        compiled_state.restore(self, state, columns)

    def run(self, block: Block, with_probabilities: bool = False) -> FamilyResult:
        """Runs a block of whole steps: choice, prediction and learning."""
        steps, rows = block.steps, len(block.rows)
        self._make_room_for_columns(block.rows.columns)
        self._make_rates_for(rows)
        stretch = self._stretch(block.rows, block.starts)
        self._make_room_for_frames(len(stretch.labels))
        results = self._results(steps, rows, with_probabilities and self.logistic)
        done = 0
        while True:
            done = self.loops.run_steps(
                done,
                steps,
                0 if steps <= _STEPS_IN_NO_HURRY else steps - 1,
                stretch,
                self.settings,
                self.references,
                self.subroutines,
                self.bank,
                self._room(stretch, self.references),
                results,
            )
            if done == steps:
                break
            self._grow(stretch)
        self.step += steps
        self._keep_completed(stretch)
        if self.loops.are_compiled:
            births = int((results.born | (results.close == 0)).any(axis=0).sum())
            self.cost.add(steps, births, self.step, stretch, self.settings, self.references)
        return self._family_result(results, with_probabilities)

    def run_late(
        self, late: LateBlock, with_probabilities: bool = False
    ) -> tuple[FamilyResult, LearningSubroutines]:
        """Opens steps and completes others, in the given order."""
        opening = late.opening
        steps, rows = opening.steps, len(opening.rows)
        self._make_room_for_columns(opening.rows.columns)
        self._make_rates_for(len(late.rows))
        past = self._stretch(late.rows, late.starts)
        self._make_room_for_frames(len(past.labels))
        results = self._results(steps, rows, with_probabilities and self.logistic)
        called = room_for_called(late, self.bank, self.lines)
        fresh = stretch_of_opening(opening, self.step, self.widths, self.label_counts)
        opened = 0
        while True:
            opened = self.loops.run_late(
                opened,
                steps,
                0 if steps <= _STEPS_IN_NO_HURRY else steps - 1,
                late.before,
                past,
                fresh,
                called,
                self.settings,
                self.references,
                self.subroutines,
                self.bank,
                self._room(past, self.references),
                results,
            )
            if opened == steps:
                break
            self._grow(past)
            called = grown_called(called, late.earlier.steps + opened)
        self.step += steps
        self._keep_completed(past)
        if steps and len(past.starts) > 1 and self.loops.are_compiled:
            births = int((results.born | (results.close == 0)).any(axis=0).sum())
            self.cost.add(steps, births, self.step, past, self.settings, self.references)
        found = self._family_result(results, with_probabilities)
        return found, called_since(called, late.earlier.steps)

    def look_ahead(self) -> CompiledStep:
        """Decides for the next step, without changing the state.

        It opens a step without rows. What the loops would write down of it goes into copies, but
        for newborn learners, whose places in the bank are free and are written again at their
        birth.
        """
        nothing = Block(self._no_rows(), np.array([0, 0]), None, 0, self.step)
        late = LateBlock.of_nothing_but(nothing)
        stretch = self._stretch(nothing.rows, nothing.starts)
        self._make_room_for_frames(len(stretch.labels))
        results, called = self._results(1, 0, False), room_for_called(late, self.bank, self.lines)
        while True:
            subroutines = arrays.Subroutines._make(a.copy() for a in self.subroutines)
            references = arrays.References._make(a.copy() for a in self.references)
            bank = self.bank._replace(used=self.bank.used.copy())
            present = self._room(stretch, references)
            changing = self.settings, references, subroutines, bank, present, results
            if self.late:
                past = self._stretch(late.rows, late.starts)
                fresh = stretch_of_opening(nothing, self.step, self.widths, self.label_counts)
                done = self.loops.run_late(0, 1, 1, late.before, past, fresh, called, *changing)
            else:
                done = self.loops.run_steps(0, 1, 1, stretch, *changing)
            if done:
                break
            self._grow(stretch)
            called = grown_called(called, 0)
        return self._active(subroutines, bank, results)

    def _no_rows(self) -> Rows:
        numbers, categories = ("",) * self.widths[0], ("",) * (len(self.widths) - 1)
        return Rows.join([], Columns(numbers, categories))

    def _active(
        self, subroutines: arrays.Subroutines, bank: arrays.Bank, results: ResultArrays
    ) -> CompiledStep:
        """Copies of those who predict a step."""
        # the baseline has one subroutine, whether it is a member or not
        active = np.append(results.active[:, 0] - 1, 0)[: self.lines]
        places = subroutines.place[np.arange(self.lines), active]
        return CompiledStep(
            self.loops,
            self.logistic,
            list(self.widths),
            bank._replace(
                weights=bank.weights[places],
                intercepts=bank.intercepts[places],
                counts=bank.counts[places],
            ),
            active + 1,
        )

    def _room(self, stretch: arrays.Stretch, references: arrays.References) -> PresentHistory:
        longest = self._longest_history(stretch)
        return room_for_a_step(self.settings, self.classes, longest, references, self.bank)

    def _results(self, steps: int, rows: int, with_probabilities: bool) -> ResultArrays:
        """Room for the results of so many steps and rows."""
        k = len(self.members)
        lines = self.lines if with_probabilities else 0
        return ResultArrays(
            predictions=np.empty((self.lines, rows), counts_type(self.classes - 1)),
            probabilities=np.empty((lines, rows, self.classes)),
            active=np.empty((k, steps), np.int64),
            born=np.empty((k, steps), np.bool_),
            distance=np.empty((k, steps)),
            close=np.empty((k, steps), np.int64),
            subroutines=np.empty((k, steps), np.int64),
            nearest=np.empty((k, steps, NEAREST), np.int32),
            nearest_distances=np.empty((k, steps, NEAREST), np.float32),
        )

    def _family_result(self, results: ResultArrays, with_probabilities: bool) -> FamilyResult:
        found = FamilyResult(*results)
        if not with_probabilities:
            found.probabilities = None
        elif not self.logistic:
            found.probabilities = np.full((*found.predictions.shape, self.classes), math.nan)
        return found

    def _stretch(self, rows: Rows, starts: Ints) -> arrays.Stretch:
        """The last completed steps, and those that come after them."""
        before = len(self.completed_labels)
        # earlier rows are compared, never learned: their one-hot columns are not asked for
        ones = np.zeros((before + len(rows), len(self.widths) - 1), np.int64)
        ones[before:] = one_hot_columns(rows, self.widths)
        return arrays.Stretch(
            starts=np.concatenate([self.completed_starts, starts[1:] + before]),
            numbers=np.concatenate([self.completed_numbers, rows.numbers]),
            ones=ones,
            labels=np.concatenate([self.completed_labels, rows.labels]),
            past_steps=len(self.completed_starts) - 1,
            past_rows=before,
            step_number=self.step,
            label_counts=self.label_counts,
        )

    def _keep_completed(self, stretch: arrays.Stretch) -> None:
        """Keep the rows of the last steps; for a history of all steps counts are enough."""
        starts = stretch.starts
        if self.distance == "frames":  # H counts rows
            starts = starts[np.diff(starts, prepend=-1) > 0]
        keep = min(max(int(self.settings.histories.max()), 0), len(starts) - 1)
        first = starts[len(starts) - 1 - keep]
        self.completed_starts = starts[len(starts) - 1 - keep :] - first
        self.completed_numbers = stretch.numbers[first:].copy()
        self.completed_labels = stretch.labels[first:].copy()

    def _make_room_for_columns(self, columns: Columns) -> None:
        if columns.widths != self.widths:
            self.bank = widened_bank(self.bank, self.widths, columns.widths)
            self.widths = columns.widths

    def _make_room_for_frames(self, rows: int) -> None:
        """A reference has as many positions as there are rows, H at most."""
        frames = self.references.frames
        missing = min(int(self.settings.histories[0]), rows) - frames.shape[1]
        if self.distance == "frames" and missing > 0:
            more = np.zeros((1, missing, *frames.shape[2:]))
            wider = np.concatenate([frames, more], axis=1)
            self.references = self.references._replace(frames=wider)

    def _make_rates_for(self, rows: int) -> None:
        """For everyone who may learn so many rows more."""
        bank, rates = self.bank, self.bank.rates
        updates = int(bank.counts[: int(bank.used[0])].max(initial=0)) + rows
        if self.logistic and len(rates) < min(updates, _MOST_RATES):
            kind = self.settings.rate, self.settings.rate_power
            rates = _rates.get(kind, rates)
            if len(rates) < min(updates, _MOST_RATES):
                size = min(max(updates, 3 * len(rates) // 2), _MOST_RATES)
                more = np.concatenate([rates, np.empty(size - len(rates))])
                self.loops.learning_rates(len(rates), *kind, more)
                rates = _rates[kind] = more
            self.bank = bank._replace(rates=rates)

    def _grow(self, stretch: arrays.Stretch) -> None:
        """Double what is full, or may be after one more step."""
        longest = self._longest_history(stretch)
        self.references = grown_references(self.references, longest)
        self.subroutines = grown_subroutines(self.subroutines)
        self.bank = grown_bank(self.bank, self.lines)

    def _longest_history(self, stretch: arrays.Stretch) -> int:
        """The number of rows of a history to keep, where rows are kept."""
        if self.distance != "features":
            return 0
        steps = np.arange(len(stretch.starts))
        oldest = np.maximum(steps - self.settings.histories.max(), 0)
        return int((stretch.starts - stretch.starts[oldest]).max())
