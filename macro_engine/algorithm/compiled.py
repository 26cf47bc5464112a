"""The family over compiled loops: the same results as `Family`, for the learners of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from macro_engine.algorithm import kernels
from macro_engine.algorithm.contest import Contest
from macro_engine.algorithm.family import FamilyResult
from macro_engine.algorithm.selection import ExponentialWeights, FollowTheLeader
from macro_engine.discrepancy import Shape
from macro_engine.rows import Block, Columns, Floats, Ints
from macro_engine.subroutines.base import widened

DISTANCES = {
    "features": kernels.FEATURES,
    "labels": kernels.LABELS,
    "frames": kernels.FRAMES,
}
LEARNERS = {"logistic": kernels.LOGISTIC, "nearest-mean": kernels.NEAREST_MEAN}


_POWER = 0.5  # of the learning rate's fall; passed at run time, see kernels.py
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
        self.rules = rules
        shape, classes = rules.shape, rules.shape.classes
        self.members = len(rules.thresholds) + 1
        self.thresholds = np.array([*rules.thresholds, math.inf])
        self.logistic = LEARNERS[rules.subroutine] == kernels.LOGISTIC
        self.lines = classes if not self.logistic or classes > 2 else 1  # weight vectors a place
        self.widths = columns.widths
        self.rates = np.empty(0)
        self.step = 0
        self.distance_seconds = 0.0  # estimated from one step a block
        self.history = -1 if shape.history is None else shape.history
        # the last closed steps: where each starts, and their rows
        self.past_starts = np.zeros(1, np.int64)
        self.past_numbers = np.empty((0, shape.columns))
        self.past_labels = np.empty(0, np.int64)
        self.all_counts = np.zeros(classes, np.int64)

        frames = max(self.history, 0) if rules.distance == "frames" else 0
        self.n_references = np.zeros(1, np.int64)
        self.ref_shares = np.zeros((16, classes))
        self.ref_empty = np.zeros(16, np.bool_)
        # for features, the rows of each class side by side, and where those of a reference start
        self.ref_columns = np.zeros((classes, shape.columns, 256))
        self.ref_starts = np.zeros((17, classes), np.int64)
        self.ref_frames = np.zeros((frames, shape.columns, 16))
        self.ref_lengths = np.zeros(16, np.int64)
        self.ref_largest = np.zeros(16, np.int64)  # the largest threshold that has it

        self.n_subroutines = np.zeros(self.members, np.int64)
        self.sub_reference = np.zeros((self.members, 16), np.int64)
        self.sub_place = np.zeros((self.members, 16), np.int64)

        places = 4 * self.members
        self.n_places = np.zeros(1, np.int64)
        self.weights = np.zeros((places, self.lines, sum(self.widths)))
        self.intercepts = np.zeros((places, self.lines))
        self.counts = np.zeros((places, 1 if self.logistic else classes), np.int64)

    @property
    def reference_count(self) -> int:
        """How many distinct references there are."""
        return int(self.n_references[0])

    def finish(self) -> None:
        """Nothing is held outside of Python."""

    def run(self, block: Block) -> FamilyResult:
        """Take a block of whole steps through choice, prediction and update."""
        self._make_room_for_columns(block.rows.columns)
        self._make_rates_for(int(self.counts.max()) + len(block.rows))
        k, steps, rows = self.members - 1, block.steps, block.rows
        predictions = np.empty((self.members, len(rows)), np.int64)
        active, close, subroutines = (np.empty((k, steps), np.int64) for _ in range(3))
        born = np.empty((k, steps), np.bool_)
        distance = np.empty((k, steps))
        past_rows = len(self.past_labels)
        starts = np.concatenate([self.past_starts, block.starts[1:] + past_rows])
        numbers = np.concatenate([self.past_numbers, rows.numbers])
        labels = np.concatenate([self.past_labels, rows.labels])
        ones = self._ones(rows.slots, past_rows)
        oldest = np.maximum(np.arange(len(starts)) - max(self.history, 0), 0)
        self.longest_history = int((starts - starts[oldest]).max())
        done = 0
        while done < steps:
            done = self._run_steps(
                (done, steps, len(self.past_starts) - 1, past_rows, self.step, self.history),
                (starts, numbers, ones, labels),
                (predictions, active, born, distance, close, subroutines),
            )
            if done < steps:
                self._grow()
        self.step += steps
        self._keep_past(starts, numbers, labels)
        self.distance_seconds += steps * self._seconds_for_distances()
        return FamilyResult(
            predictions[:k], predictions[k], active, born, distance, close, subroutines
        )

    def _run_steps(self, steps: Any, rows: Any, results: Any) -> int:
        rules = self.rules
        return int(
            kernels.run_steps(
                *steps,
                *rows,
                DISTANCES[rules.distance],
                LEARNERS[rules.subroutine],
                self.thresholds,
                rules.power,
                rules.most or 0,
                *self._scale(),
                self.rates,
                _POWER,
                self.n_references,
                self.ref_shares,
                self.ref_empty,
                self.ref_columns,
                self.ref_starts,
                self.ref_frames,
                self.ref_lengths,
                self.ref_largest,
                self.n_subroutines,
                self.sub_reference,
                self.sub_place,
                self.n_places,
                self.weights,
                self.intercepts,
                self.counts,
                self.all_counts,
                *results,
            )
        )

    def _seconds_for_distances(self) -> float:
        """How long the distances of one step take, less what the call itself takes."""
        compute = self._distances_of_the_next_step()
        compute(0)
        marks = [perf_counter()]
        for references in (0, self.reference_count):
            compute(references)
            marks.append(perf_counter())
        return max(0.0, (marks[2] - marks[1]) - (marks[1] - marks[0]))

    def _distances_of_the_next_step(self) -> Callable[[int], None]:
        """A function that computes the distances to the first so many references."""
        shape = self.rules.shape
        out = np.empty(len(self.ref_empty))
        if self.rules.distance == "labels":
            shares = np.full(shape.classes, 1 / shape.classes)
            return lambda n: kernels.labels_distances(shares, n, self.ref_shares, out)
        if self.rules.distance == "frames":
            newest = np.ascontiguousarray(self.past_numbers[::-1][: self.history])
            frames, lengths = self.ref_frames, self.ref_lengths
            return lambda n: kernels.frames_distances(newest, len(newest), n, frames, lengths, out)
        by_class = self.past_numbers[np.argsort(self.past_labels, kind="stable")]
        counts = np.bincount(self.past_labels, minlength=shape.classes)
        starts = np.concatenate([[0], np.cumsum(counts)])
        used = self.ref_starts[: self.reference_count + 1]
        widest = max(1024, int(np.diff(used, axis=0).max()))
        counted = np.empty(len(out), np.int64)
        squares, least, buffer = np.empty((len(by_class), widest)), np.empty(widest), np.empty(64)
        reach = self.thresholds[self.ref_largest]
        return lambda n: kernels.features_distances(
            by_class, starts, n, self.ref_columns, self.ref_starts, *self._scale(), reach, squares,
            least, buffer, counted, out,
        )  # fmt: skip

    def _scale(self) -> tuple[float, float, int]:
        """Of features: the divisor, what a class counts that one side lacks, if it is skipped."""
        shape = self.rules.shape
        return (
            math.sqrt(shape.columns) if shape.scaled else 1.0,
            1.0 if shape.empty_class == "far" else 0.0,
            int(shape.empty_class == "skip"),
        )

    def _ones(self, slots: Ints, past_rows: int) -> Ints:
        """The one-hot columns that are 1; past rows are compared, never learnt, and have none."""
        offsets = np.cumsum([0, *self.widths])[1:-1]
        ones = np.zeros((past_rows + len(slots), slots.shape[1]), np.int64)
        ones[past_rows:] = slots + offsets
        return ones

    def _keep_past(self, starts: Ints, numbers: Floats, labels: Ints) -> None:
        """Keep the rows of the last H steps; for a history of all steps counts are enough."""
        keep = min(max(self.history, 0), len(starts) - 1)
        first = starts[len(starts) - 1 - keep]
        self.past_starts = starts[len(starts) - 1 - keep :] - first
        self.past_numbers = numbers[first:].copy()
        self.past_labels = labels[first:].copy()

    def _make_room_for_columns(self, columns: Columns) -> None:
        if columns.widths != self.widths:
            self.weights = np.ascontiguousarray(widened(self.weights, self.widths, columns.widths))
            self.widths = columns.widths

    def _make_rates_for(self, updates: int) -> None:
        if self.logistic and len(self.rates) < min(updates, _MOST_RATES):
            self.rates = kernels.learning_rates(min(2 * updates, _MOST_RATES), _POWER)

    def _grow(self) -> None:
        """Double what is nearly full."""
        if self.n_references[0] == len(self.ref_empty):
            self.ref_starts = np.concatenate([self.ref_starts, np.zeros_like(self.ref_starts[1:])])
            self.ref_frames = _doubled(self.ref_frames, 2)
            for name in ("ref_shares", "ref_empty", "ref_lengths", "ref_largest"):
                setattr(self, name, _doubled(getattr(self, name), 0))
        rows = int(self.ref_starts[self.reference_count].max()) + self.longest_history
        if self.rules.distance == "features" and rows > self.ref_columns.shape[2]:
            self.ref_columns = _doubled(self.ref_columns, 2)
        if self.n_subroutines.max() == self.sub_reference.shape[1]:
            self.sub_reference = _doubled(self.sub_reference, 1)
            self.sub_place = _doubled(self.sub_place, 1)
        if self.n_places[0] + self.members > len(self.counts):
            self.weights = _doubled(self.weights, 0)
            self.intercepts = _doubled(self.intercepts, 0)
            self.counts = _doubled(self.counts, 0)


class CompiledLeader(FollowTheLeader):
    """Follow-The-Leader, a block at a time."""

    def run(self, losses: Floats) -> Floats:
        totals = np.array(self.losses)
        leaders = kernels.follow_the_leader(losses, totals, self.leader)
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
        weights: Floats = kernels.exponential_weights(losses, totals, self.steps, eight_log_k)
        self.losses = totals.tolist()
        self.steps += len(losses)
        return weights


class CompiledContest(Contest):
    """A contest whose every part is compiled."""

    def __init__(self, rules: CompiledRules, columns: Columns) -> None:
        k = len(rules.thresholds)
        family = CompiledFamily(rules, columns)
        super().__init__(family, CompiledLeader(k), CompiledWeights(k), rules.shape.classes)

    def losses(self, predictions: Ints, block: Block) -> Floats:
        losses: Floats = kernels.losses_of(predictions, block.rows.labels, block.starts)
        return losses

    def vote(self, weights: Floats, predictions: Ints, block: Block) -> Ints:
        votes: Ints = kernels.weighted_vote(weights, predictions, block.starts, self.classes)
        return votes


def _doubled(values: Any, axis: int) -> Any:
    return np.concatenate([values, np.zeros_like(values)], axis=axis)
