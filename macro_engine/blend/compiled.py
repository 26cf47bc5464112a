"""The compiled version of `Blend`: the same bits, a block of steps at a time."""

from __future__ import annotations

import numpy as np

from macro_engine.blend.answers import Answers, BlendResult, KeptAnswers
from macro_engine.blend.compiled_memory import (
    cells_of,
    memory_of,
    new_parts,
    restored_parts,
    touched_cells,
)
from macro_engine.blend.filters import FAST, SLOW
from macro_engine.blend.fixed_share import blend_prior
from macro_engine.blend.kernels.arrays import (
    ANSWER,
    CLOSE,
    LEARN,
    AnswerArrays,
    BlendConstants,
    EvidenceArrays,
    Scratch,
    ShownArrays,
)
from macro_engine.blend.kernels.order import run_in_order
from macro_engine.blend.memory import Memory
from macro_engine.blend.shape import BlendShape, Evidence
from macro_engine.blend.tilings import ADAGRAD, TILINGS, draw
from macro_engine.core.rows import Ints
from macro_engine.core.state import State


class CompiledBlend:
    """As `Blend`, with everything in arrays."""

    def __init__(self, shape: BlendShape) -> None:
        self.shape = shape
        self.constants = _constants(shape)
        self.parts = new_parts(shape)
        self.scratch = _scratch(shape)
        self.codes = 0  # one more than the largest code that was learned

    @property
    def weights(self) -> list[float]:
        """The current weights of the experts, and of the slow and the fast filter."""
        weights: list[float] = self.parts.shares.tolist()
        return weights

    @property
    def recent_pulls(self) -> tuple[list[float], int]:
        """The mean pull of each expert over the last steps, and over how many steps in all."""
        return self.parts.pulls.tolist(), int(self.parts.steps[0])

    def answer(self, evidence: Evidence) -> Answers:
        """Predicts rows of the open step."""
        record = self._record(len(evidence), len(evidence))
        self._once(ANSWER, evidence, _no_labels(len(evidence)), record)
        return Answers(
            evidence,
            record.probabilities,
            record.experts,
            record.filtered,
            record.cells,
            record.pulls,
        )

    def close(self, answers: Answers) -> None:
        """Closes the step: no more rows come."""
        given = answers.evidence
        self._once(CLOSE, given, _no_labels(len(given)), self._again(answers))

    def learn(self, answers: Answers, labels: Ints) -> None:
        """Learn a closed step; a row without a label, which is -1, is not learned."""
        given = answers.evidence
        self._once(LEARN, given, labels, self._again(answers))

    def run(self, evidence: Evidence, labels: Ints, starts: Ints) -> BlendResult:
        """Runs a block of whole steps: answers, closes and learns each."""
        steps, experts = len(starts) - 1, self.shape.experts
        longest = int(np.diff(starts).max(initial=0))
        record = self._record(2, longest)._replace(
            probabilities=np.empty((len(evidence), self.shape.classes))
        )
        shown = ShownArrays(np.empty((steps, experts + 2)), np.empty((steps, experts)))
        doing = np.full(steps, ANSWER + CLOSE + LEARN)
        self._take(doing, np.arange(steps), evidence, labels, starts, record, shown)
        return BlendResult(record.probabilities, shown.weights, shown.pulls)

    def run_late(
        self, evidence: Evidence, labels: Ints, starts: Ints, before: Ints, earlier: KeptAnswers
    ) -> tuple[BlendResult, KeptAnswers]:
        """Answers and closes the opening steps, and learns others, in the given order.

        Parameters
        ----------
        evidence, starts
            Of the steps that had opened before and are learned, and then of those that open.
        labels
            Of all of them; those of steps that are not learned mean nothing.
        before
            For each step that opens: how many are learned by then; one more for the end.
        earlier
            What was said of the steps that had opened before.
        """
        opens, experts, n = len(before) - 1, self.shape.experts, len(evidence)
        first = len(starts) - 1 - opens
        doing = np.repeat([LEARN, ANSWER + CLOSE], [before[-1], opens])
        order = np.argsort(
            np.concatenate(
                [np.searchsorted(before, np.arange(before[-1]), side="right"), np.arange(opens)]
            ),
            kind="stable",
        )  # a step is learned before those open that want it, of which the first counts
        which = np.concatenate([np.arange(before[-1]), first + np.arange(opens)])
        record = self._record(n, n)
        told = len(earlier)
        record.experts[:told], record.filtered[:told] = earlier.experts, earlier.filtered
        record.cells[:told] = earlier.cells
        shown = ShownArrays(np.empty((opens, experts + 2)), np.empty((opens, experts)))
        self._take(doing[order], which[order], evidence, labels, starts, record, shown)
        return (
            BlendResult(record.probabilities[told:], shown.weights, shown.pulls),
            KeptAnswers(record.experts[told:], record.filtered[told:], record.cells[told:]),
        )

    def state(self) -> State:
        """Returns the complete state."""
        return self.state_without_tables() | {"tiles": self.cells()}

    def state_without_tables(self) -> State:
        return memory_of(self.shape, self.parts, self.codes).state()

    @property
    def touched(self) -> int:
        """The number of cells that were ever learned."""
        return int(np.count_nonzero(touched_cells(self.shape, self.parts)))

    @property
    def changed(self) -> int:
        """The number of cells changed since the last call of `stored`."""
        return int(np.count_nonzero(self.parts.changed))

    def cells(self, only_changed: bool = False) -> list[State]:
        """The contents of the cells, by sets of tilings."""
        which = self.parts.changed if only_changed else touched_cells(self.shape, self.parts)
        return [part.state() for part in cells_of(self.shape, self.parts, which)]

    def mark_as_changed(self) -> None:
        """Marks all cells as not stored."""
        self.parts.changed[:] = touched_cells(self.shape, self.parts)

    def stored(self) -> None:
        """Marks the current contents of the cells as stored."""
        self.parts.changed[:] = False

    def restore(self, state: State) -> None:
        """Restores a state; the blend must be new."""
        memory = Memory.restored(state, self.shape)
        self.parts = restored_parts(memory)
        self.codes = memory.linear_codes.shape[1]

    def _once(self, doing: int, evidence: Evidence, labels: Ints, record: AnswerArrays) -> None:
        """Do something with one step."""
        starts, nothing = (
            np.array([0, len(evidence)]),
            ShownArrays(np.empty((0, 0)), np.empty((0, 0))),
        )
        self._take(
            np.array([doing]), np.zeros(1, np.int64), evidence, labels, starts, record, nothing
        )

    def _take(
        self,
        doing: Ints,
        which: Ints,
        evidence: Evidence,
        labels: Ints,
        starts: Ints,
        record: AnswerArrays,
        shown: ShownArrays,
    ) -> None:
        self._make_room(evidence.codes)
        if (doing & LEARN).any() and evidence.codes.size:
            learned = evidence.codes[labels >= 0]
            self.codes = max(self.codes, 1 + int(learned.max(initial=-1)))
        given = EvidenceArrays(
            np.ascontiguousarray(evidence.numbers),
            np.ascontiguousarray(evidence.units),
            np.ascontiguousarray(evidence.codes),
            np.ascontiguousarray(evidence.marginal),
            np.ascontiguousarray(evidence.unchanged),
            np.ascontiguousarray(evidence.members),
            np.ascontiguousarray(labels),
            starts,
        )
        run_in_order(doing, which, given, self.constants, self.parts, record, self.scratch, shown)

    def _make_room(self, codes: Ints) -> None:
        """For codes that were not known; their weights are 0."""
        weights = self.parts.linear_codes
        wanted = 1 + int(codes.max(initial=-1))
        if wanted > weights.shape[1]:
            room = np.zeros((weights.shape[0], max(wanted, 2 * weights.shape[1]), weights.shape[2]))
            room[:, : weights.shape[1]] = weights
            self.parts = self.parts._replace(linear_codes=room)

    def _record(self, kept: int, rows: int) -> AnswerArrays:
        experts, classes = self.shape.experts, self.shape.classes
        return AnswerArrays(
            np.empty((rows, classes)),
            np.empty((kept, experts, classes)),
            np.empty((kept, 2, classes)),
            np.empty((kept, experts)),
            np.empty((rows, len(self.shape.tiling_sets), TILINGS), np.uint16),
            np.empty((rows, self.shape.models, experts)),
        )

    def _again(self, answers: Answers) -> AnswerArrays:
        """The record of answers that were given before."""
        return AnswerArrays(
            answers.probabilities,
            answers.experts,
            answers.filtered,
            answers.pulls,
            answers.cells,
            np.empty((len(answers), self.shape.models, self.shape.experts)),
        )


def _constants(shape: BlendShape) -> BlendConstants:
    sets, experts = len(shape.tiling_sets), shape.experts
    depths = np.zeros((sets, TILINGS), np.int64)
    columns = np.zeros((sets, TILINGS, 4), np.int64)
    bins, offsets = np.zeros((sets, TILINGS, 4)), np.zeros((sets, TILINGS, 4))
    addends = np.zeros((sets, TILINGS, 4), np.uint64)
    for s, tiling_set in enumerate(shape.tiling_sets):
        for t, tiling in enumerate(draw(shape.tiled, tiling_set.seed, tiling_set.bins)):
            depths[s, t] = len(tiling)
            for a, cut in enumerate(tiling):
                columns[s, t, a] = cut.column
                is_number = cut.column < shape.units
                bins[s, t, a] = cut.bins if is_number else 1.0
                offsets[s, t, a] = cut.offset if is_number else 0.0
                start = (t + 1) * 1000003 if a == 0 else 0  # the hash starts with the number
                addends[s, t, a] = start + cut.column * 7919 + 13
    expert = np.full((sets, ADAGRAD + 1), -1)
    number = experts - sum(len(tiling_set.learners) for tiling_set in shape.tiling_sets)
    for s, tiling_set in enumerate(shape.tiling_sets):
        for v in tiling_set.learners:
            expert[s, v] = number
            number += 1
    rates = np.array(
        [[step / (TILINGS + 1.0) for step in tiling_set.steps] for tiling_set in shape.tiling_sets]
    )
    members = shape.members
    return BlendConstants(
        depths,
        columns,
        bins,
        offsets,
        addends,
        rates.reshape(sets, ADAGRAD + 1),
        expert,
        np.array(blend_prior(experts)),
        np.full(members, 1.0 / members if members else 0.0),
        np.array([SLOW, FAST]),
    )


def _scratch(shape: BlendShape) -> Scratch:
    sets, experts, classes, models = (
        len(shape.tiling_sets),
        shape.experts,
        shape.classes,
        shape.models,
    )
    return Scratch(
        shares=np.empty(classes),
        linear=np.empty((2, models)),
        values=np.empty(shape.tiled),
        margins=np.empty(4 * models),
        said=np.empty((2, sets, 3 * models)),
        moves=np.empty(4 * models),
        q=np.empty(classes),
        x=np.empty(experts),
        u=np.empty(experts),
        mean=np.empty(experts),
        losses=np.empty(experts + 2),
        member_losses=np.empty(shape.members),
        pulls=np.empty(experts),
    )


def _no_labels(rows: int) -> Ints:
    return np.full(rows, -1)
