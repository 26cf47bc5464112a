"""The family over compiled loops: the same results as `Family`, for the learners of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from macro_engine.algorithm import compiled_state
from macro_engine.algorithm.contest import Contest
from macro_engine.algorithm.family import NEAREST, FamilyResult
from macro_engine.algorithm.kernels import arrays
from macro_engine.algorithm.kernels.distances import (
    SIDE_BY_SIDE,
    SMALL,
    features_distances,
    frames_distances,
    labels_distances,
)
from macro_engine.algorithm.kernels.learners import (
    learning_rates,
    logistic_predict,
    mean_predict,
)
from macro_engine.algorithm.kernels.selection import (
    count_wrong,
    exponential_weights,
    follow_the_leader,
    take_leaders,
    weighted_vote,
)
from macro_engine.algorithm.kernels.steps import run_steps, scratch
from macro_engine.algorithm.learnt import MEANS, WEIGHTS, Learnt, column_names
from macro_engine.algorithm.macro import threshold_at
from macro_engine.algorithm.selection import ExponentialWeights, FollowTheLeader
from macro_engine.discrepancy import Shape
from macro_engine.rows import Block, Columns, Counts, Floats, Ints, Rows, counts_type
from macro_engine.state import State
from macro_engine.subroutines.base import widened

_DISTANCES = {
    "features": arrays.FEATURES,
    "labels": arrays.LABELS,
    "frames": arrays.FRAMES,
}
_LEARNERS = {"logistic": arrays.LOGISTIC, "nearest-mean": arrays.NEAREST_MEAN}
_RATE_POWER = 0.5  # the learning rate of logistic falls as (n + 1)^-.5
_RUNS_A_SAMPLE = 16  # blocks between two looks at what distances cost
_SAMPLED_STEPS = 16
_STEPS_IN_NO_HURRY = 32  # a longer block leaves far distances at their lower bounds
_MOST_RATES = 1 << 20  # learning rates kept ready at most; beyond, each is computed when needed


@dataclass(frozen=True)
class CompiledRules:
    """What is run: names as the user gives them, numbers as for `Macro`."""

    thresholds: Sequence[float]
    distance: str
    shape: Shape
    subroutine: str
    power: float = 0.0
    most: int | None = None


class CompiledFamily:
    """Runs blocks through the kernels and keeps the arrays that they work on."""

    unanswered = 0

    def __init__(self, rules: CompiledRules, columns: Columns) -> None:
        shape, classes = rules.shape, rules.shape.classes
        self.shape = shape
        self.rules = arrays.Rules(
            distance=_DISTANCES[rules.distance],
            learner=_LEARNERS[rules.subroutine],
            thresholds=np.array([*rules.thresholds, math.inf]),
            history=-1 if shape.history is None else shape.history,
            power=rules.power,
            most=rules.most or 0,
            divisor=math.sqrt(shape.columns) if shape.scaled else 1.0,
            lacking=1.0 if shape.empty_class == "far" else 0.0,
            skip=int(shape.empty_class == "skip"),
            rate_power=_RATE_POWER,
        )
        self.members = len(rules.thresholds) + 1
        self.logistic = rules.subroutine == "logistic"
        self.widths = columns.widths
        self.step = 0
        # the time that distances take, estimated from a step now and then
        self.distance_seconds = self.seconds_bounded = self.seconds_whole = 0.0
        self.runs = self.sampled_references = 0
        # the last closed steps: where each starts, and their rows
        self.past_starts = np.zeros(1, np.int64)
        self.past_numbers = np.empty((0, shape.columns))
        self.past_labels = np.empty(0, np.int64)
        self.label_counts = np.zeros(classes, np.int64)
        self.references = self._no_references()
        self.subroutines = arrays.Subroutines(
            used=np.zeros(self.members, np.int64),
            reference=np.zeros((self.members, 16), np.int64),
            place=np.zeros((self.members, 16), np.int64),
            updates=np.zeros((self.members, 16), np.int64),
        )
        places = 4 * self.members
        models = classes if not self.logistic or classes > 2 else 1
        self.bank = arrays.Bank(
            used=np.zeros(1, np.int64),
            weights=np.zeros((places, models, sum(self.widths))),
            intercepts=np.zeros((places, models)),
            learnt=np.zeros((places, 1 if self.logistic else classes), np.int64),
            rates=np.empty(0),
        )

    @property
    def reference_count(self) -> int:
        """How many distinct references there are."""
        return int(self.references.used[0])

    @property
    def bytes_held(self) -> int:
        """What the arrays take that live from block to block."""
        held = [*self.references, *self.subroutines, *self.bank]
        return sum(a.nbytes for a in [*held, self.past_numbers, self.past_labels, self.past_starts])

    def finish(self) -> None:
        """Nothing is held outside of Python."""

    def learnt(self, threshold: int, number: int, columns: Columns) -> Learnt | None:
        """What a subroutine has learnt so far."""
        place = self.subroutines.place[threshold, number - 1]
        values = self.bank.weights[place].copy()
        names = column_names(columns, self.widths)
        if self.logistic:
            return Learnt(WEIGHTS, names, values, self.bank.intercepts[place].copy())
        return Learnt(MEANS, names, values, np.empty(0))

    def updates(self, threshold: int) -> Ints:
        """How many steps each subroutine of a threshold has learnt."""
        return self.subroutines.updates[threshold, : self.subroutines.used[threshold]].copy()

    def state(self) -> State:
        """All that the family must remember to go on, without spare room."""
        return compiled_state.state_of(self)

    def restore(self, state: State, columns: Columns, classes: int) -> None:  # noqa: ARG002
        """Go on from a state; the family must be new."""
        compiled_state.restore(self, state, columns)

    def run(self, block: Block) -> FamilyResult:
        """Take a block of whole steps through choice, prediction and update."""
        k, steps, rows = self.members - 1, block.steps, len(block.rows)
        self._make_room_for_columns(block.rows.columns)
        self._make_rates_for(int(self.bank.learnt.max()) + rows)
        stretch = self._stretch(block)
        self._make_room_for_frames(len(stretch.labels))
        results = self._results(steps, rows)
        done = 0
        while True:
            done = run_steps(
                done,
                steps,
                0 if steps <= _STEPS_IN_NO_HURRY else steps - 1,
                stretch,
                self.rules,
                self.references,
                self.subroutines,
                self.bank,
                scratch(done, steps, stretch, self.rules, self.references, self.bank),
                results,
            )
            if done == steps:
                break
            self._grow(stretch)
        self.step += steps
        self._keep_past(stretch)
        births = int((results.born | (results.close == 0)).any(axis=0).sum())
        grew = self.reference_count > 1.25 * self.sampled_references
        if grew or self.runs % _RUNS_A_SAMPLE == 0:
            self._sample_distances(stretch)
        self.runs += 1
        self.distance_seconds += steps * self.seconds_bounded + births * self.seconds_whole
        return FamilyResult(
            results.predictions[:k],
            results.predictions[k],
            results.active,
            results.born,
            results.distance,
            results.close,
            results.subroutines,
            results.nearest,
            results.nearest_distances,
        )

    def look_ahead(self) -> CompiledAhead:
        """Choose for the step that opens next, and change nothing.

        It runs a step without rows. What the loops would write down of it goes into copies, but for
        newborn learners, whose places in the bank are free and are written again at their birth.
        """
        numbers, categories = ("",) * self.shape.columns, ("",) * (len(self.widths) - 1)
        nothing = Rows.join([], Columns(numbers, categories))
        stretch = self._stretch(Block(nothing, np.array([0, 0]), None, 0, self.step))
        self._make_room_for_frames(len(stretch.labels))
        results = self._results(1, 0)
        while True:
            subroutines = arrays.Subroutines._make(a.copy() for a in self.subroutines)
            references = arrays.References._make(a.copy() for a in self.references)
            bank = self.bank._replace(used=self.bank.used.copy())
            present = scratch(0, 1, stretch, self.rules, references, bank)
            if run_steps(
                0, 1, 1, stretch, self.rules, references, subroutines, bank, present, results
            ):
                break
            self._grow(stretch)
        active = np.append(results.active[:, 0] - 1, 0)  # the baseline has one subroutine
        places = subroutines.place[np.arange(self.members), active]
        return CompiledAhead(
            self.logistic,
            list(self.widths),
            bank.weights[places],
            bank.intercepts[places],
            bank.learnt[places],
        )

    def _results(self, steps: int, rows: int) -> arrays.Results:
        """Room for the results of so many steps and rows."""
        k = self.members - 1
        return arrays.Results(
            predictions=np.empty((self.members, rows), counts_type(self.shape.classes - 1)),
            active=np.empty((k, steps), np.int64),
            born=np.empty((k, steps), np.bool_),
            distance=np.empty((k, steps)),
            close=np.empty((k, steps), np.int64),
            subroutines=np.empty((k, steps), np.int64),
            nearest=np.empty((k, steps, NEAREST), np.int32),
            nearest_distances=np.empty((k, steps, NEAREST), np.float32),
        )

    def _no_references(self) -> arrays.References:
        classes, columns = self.shape.classes, self.shape.columns
        return arrays.References(
            used=np.zeros(1, np.int64),
            empty=np.zeros(16, np.bool_),
            largest=np.zeros(16, np.int64),
            shares=np.zeros((16, classes)),
            starts=np.zeros((17, classes), np.int64),
            columns=np.zeros((classes, columns, 256)),
            lengths=np.zeros(16, np.int64),
            frames=np.zeros((0, columns, 16)),
        )

    def _stretch(self, block: Block) -> arrays.Stretch:
        past, rows = len(self.past_labels), block.rows
        # past rows are compared, never learnt: their one-hot columns are not asked for
        ones = np.zeros((past + len(rows), len(self.widths) - 1), np.int64)
        ones[past:] = _ones(rows, self.widths)
        return arrays.Stretch(
            starts=np.concatenate([self.past_starts, block.starts[1:] + past]),
            numbers=np.concatenate([self.past_numbers, rows.numbers]),
            ones=ones,
            labels=np.concatenate([self.past_labels, rows.labels]),
            past_steps=len(self.past_starts) - 1,
            past_rows=past,
            step_number=self.step,
            label_counts=self.label_counts,
        )

    def _keep_past(self, stretch: arrays.Stretch) -> None:
        """Keep the rows of the last H steps; for a history of all steps counts are enough."""
        starts = stretch.starts
        keep = min(max(self.rules.history, 0), len(starts) - 1)
        first = starts[len(starts) - 1 - keep]
        self.past_starts = starts[len(starts) - 1 - keep :] - first
        self.past_numbers = stretch.numbers[first:].copy()
        self.past_labels = stretch.labels[first:].copy()

    def _make_room_for_columns(self, columns: Columns) -> None:
        if columns.widths != self.widths:
            wider = widened(self.bank.weights, self.widths, columns.widths)
            self.bank = self.bank._replace(weights=wider)
            self.widths = columns.widths

    def _make_room_for_frames(self, rows: int) -> None:
        """A reference has as many positions as there are rows, H at most."""
        frames = self.references.frames
        missing = min(self.rules.history, rows) - len(frames)
        if self.rules.distance == arrays.FRAMES and missing > 0:
            more = np.zeros((missing, *frames.shape[1:]))
            self.references = self.references._replace(frames=np.concatenate([frames, more]))

    def _make_rates_for(self, updates: int) -> None:
        rates = self.bank.rates
        if self.logistic and len(rates) < min(updates, _MOST_RATES):
            size = min(max(updates, 3 * len(rates) // 2), _MOST_RATES)
            more = learning_rates(len(rates), size, _RATE_POWER)
            self.bank = self.bank._replace(rates=np.concatenate([rates, more]))

    def _grow(self, stretch: arrays.Stretch) -> None:
        """Double what is full, or may be after one more step."""
        kept, subroutines, bank = self.references, self.subroutines, self.bank
        if self.reference_count == len(kept.empty):
            self.references = kept = kept._replace(
                empty=_doubled(kept.empty, 0),
                largest=_doubled(kept.largest, 0),
                shares=_doubled(kept.shares, 0),
                starts=np.concatenate([kept.starts, np.zeros_like(kept.starts[1:])]),
                lengths=_doubled(kept.lengths, 0),
                frames=_doubled(kept.frames, 2),
            )
        if self.rules.distance == arrays.FEATURES:
            oldest = np.maximum(np.arange(len(stretch.starts)) - self.rules.history, 0)
            longest = int((stretch.starts - stretch.starts[oldest]).max())
            if int(kept.starts[self.reference_count].max()) + longest > kept.columns.shape[2]:
                self.references = kept._replace(columns=_doubled(kept.columns, 2))
        if subroutines.used.max() == subroutines.reference.shape[1]:
            self.subroutines = subroutines._replace(
                reference=_doubled(subroutines.reference, 1),
                place=_doubled(subroutines.place, 1),
                updates=_doubled(subroutines.updates, 1),
            )
        if int(bank.used[0]) + self.members > len(bank.learnt):
            self.bank = bank._replace(
                weights=_doubled(bank.weights, 0),
                intercepts=_doubled(bank.intercepts, 0),
                learnt=_doubled(bank.learnt, 0),
            )

    def _sample_distances(self, stretch: arrays.Stretch) -> None:
        """Time the distances of some of the steps, and those at a birth.

        At a birth the closest reference is asked for, so that none is left at a lower bound.
        """
        self.sampled_references = self.reference_count
        limits = [threshold_at(self.step, t, self.rules.power) for t in self.rules.thresholds]
        bounded = np.array(limits)[self.references.largest]
        self.seconds_bounded = self._seconds_for(stretch, bounded)
        if self.rules.distance == arrays.FEATURES:
            self.seconds_whole = self._seconds_for(stretch, np.full(len(bounded), np.inf))

    def _seconds_for(self, stretch: arrays.Stretch, reach: Floats) -> float:
        """The mean time for the distances of a step, less what the calls themselves take."""
        starts, history = stretch.starts, max(self.rules.history, 0)
        steps = np.unique(np.linspace(1, len(starts) - 1, _SAMPLED_STEPS).astype(int)).tolist()
        spans = [(int(starts[max(t - history, 0)]), int(starts[t])) for t in steps]
        used = self.references.starts[: self.reference_count + 1]
        widest = max(1024, int(np.diff(used, axis=0).max()))
        longest = max(b - a for a, b in spans)
        squares = np.zeros((self.shape.classes, longest, widest))  # touched before it is timed
        sample = [
            self._distances_of(stretch.numbers[a:b], stretch.labels[a:b], reach, squares)
            for a, b in spans
        ]
        marks = []
        for references in (0, 0, self.reference_count):  # once to warm up
            marks.append(perf_counter())
            for compute in sample:
                compute(references)
        marks.append(perf_counter())
        return max(0.0, (marks[3] - marks[2]) - (marks[2] - marks[1])) / len(sample)

    def _distances_of(
        self, numbers: Floats, labels: Ints, reach: Floats, squares: Floats
    ) -> Callable[[int], None]:
        """A function that computes a history's distances to the first so many references."""
        kept, rules, classes = self.references, self.rules, self.shape.classes
        out = np.empty(len(kept.empty))
        if rules.distance == arrays.LABELS:
            shares = np.full(classes, 1 / classes)
            return lambda n: labels_distances(shares, n, kept.shares, out)
        if rules.distance == arrays.FRAMES:
            newest = np.ascontiguousarray(numbers[::-1][: rules.history])
            length = len(newest)
            sums = np.empty(SIDE_BY_SIDE)
            return lambda n: frames_distances(
                newest, length, n, kept.frames, kept.lengths, sums, out
            )
        rows = numbers[np.argsort(labels, kind="stable")]
        starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=classes))])
        least = np.zeros(squares.shape[2])
        smallest = np.empty(max(squares[0].size, SMALL))
        counted = np.empty(len(out), np.int64)
        return lambda n: features_distances(
            rows, starts, n, kept.columns, kept.starts, rules.divisor, rules.lacking, rules.skip,
            reach, squares, least, smallest, counted, out,
        )  # fmt: skip


class CompiledAhead:
    """The choice for a step that is still open: a copy of each learner that predicts it."""

    def __init__(
        self, logistic: bool, widths: list[int], weights: Floats, intercepts: Floats, learnt: Ints
    ) -> None:
        self.logistic = logistic
        self.widths = widths
        self.weights = weights
        self.intercepts = intercepts
        self.learnt = learnt

    def predict(self, rows: Rows) -> Ints:
        """What each threshold, and in the last line the baseline, says of rows of the step."""
        widths = rows.columns.widths
        self.weights, self.widths = widened(self.weights, self.widths, widths), widths
        members, n = len(self.weights), len(rows)
        ones = _ones(rows, widths)
        predictions = np.empty((members, n), np.int64)
        if self.logistic:
            places = np.arange(members)
            logistic_predict(
                self.weights, self.intercepts, places, rows.numbers, ones, 0, n, predictions, 0
            )
            return predictions
        totals = np.empty(self.learnt.shape[1])
        for k in range(members):
            mean_predict(
                self.weights, self.learnt, k, rows.numbers, ones, 0, n, totals, predictions, k, 0
            )
        return predictions

    def finish(self) -> None:
        """Nothing is held outside of Python."""


class CompiledLeader(FollowTheLeader):
    """Follow-The-Leader, a block at a time."""

    def run(self, losses: Floats) -> Floats:
        totals = np.array(self.losses)
        leaders = follow_the_leader(losses, totals, self.leader)
        self.losses, self.leader = totals.tolist(), int(leaders[-1])
        self.steps += len(losses)
        weights = np.zeros(losses.shape)
        weights[np.arange(len(losses)), leaders[:-1]] = 1.0
        return weights


class CompiledWeights(ExponentialWeights):
    """Exponentially weighted average, a block at a time."""

    def run(self, losses: Floats) -> Floats:
        totals = np.array(self.losses)
        eight_log_k = 8.0 * math.log(len(totals))
        weights: Floats = exponential_weights(losses, totals, self.steps, eight_log_k)
        self.losses = totals.tolist()
        self.steps += len(losses)
        return weights


class CompiledContest(Contest):
    """A contest whose every part is compiled."""

    def __init__(self, rules: CompiledRules, columns: Columns) -> None:
        k = len(rules.thresholds)
        family = CompiledFamily(rules, columns)
        super().__init__(family, CompiledLeader(k), CompiledWeights(k), rules.shape.classes)

    def count_wrong(self, predictions: Counts, block: Block, wrong: Ints) -> None:
        count_wrong(predictions, block.rows.labels, block.starts, wrong)

    def take(self, leaders: Ints, predictions: Counts, block: Block) -> Counts:
        taken: Counts = take_leaders(leaders, predictions, block.starts)
        return taken

    def vote(self, weights: Floats, predictions: Counts, block: Block) -> Ints:
        votes: Ints = weighted_vote(weights, predictions, block.starts, self.classes)
        return votes


def _ones(rows: Rows, widths: list[int]) -> Ints:
    """The encoded columns that are 1, rows by categories."""
    ones: Ints = rows.slots + np.cumsum([0, *widths])[1:-1]
    return ones


def _doubled(values: Any, axis: int) -> Any:
    return np.concatenate([values, np.zeros_like(values)], axis=axis)
