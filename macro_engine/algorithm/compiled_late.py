"""Arrays of the kernels for late labels."""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.compiled_step import one_hot_columns
from macro_engine.algorithm.kernels.arrays import Bank, LearningArrays, Stretch
from macro_engine.algorithm.late_block import LateBlock
from macro_engine.algorithm.learning_subroutines import LearningSubroutines
from macro_engine.core.rows import Block, Ints

_A_LINE = 8  # of those who learn a step: room to begin with


def room_for_called(late: LateBlock, bank: Bank, lines: int) -> LearningArrays:
    """Returns the learning subroutines of earlier steps, with room for the others."""
    earlier, steps = late.earlier, late.opening.steps
    used = len(earlier.members)
    room = used + _A_LINE * lines * steps + int(bank.used[0]) + lines
    members, numbers = np.empty(room, np.int32), np.empty(room, np.int32)
    members[:used], numbers[:used] = earlier.members, earlier.numbers
    starts = np.concatenate([earlier.starts, np.zeros(steps, np.int64)])
    return LearningArrays(np.zeros(1, np.int64), starts, members, numbers)


def grown_called(called: LearningArrays, filled: int) -> LearningArrays:
    """With twice the room; those of the first `filled` steps stand."""
    used = int(called.starts[filled])
    more = np.empty(2 * len(called.members) - used, np.int32)
    return called._replace(
        members=np.concatenate([called.members[:used], more]),
        numbers=np.concatenate([called.numbers[:used], more]),
    )


def called_since(called: LearningArrays, first: int) -> LearningSubroutines:
    """Returns the learning subroutines of the steps from `first` on."""
    begin, end = int(called.starts[first]), int(called.starts[-1])
    return LearningSubroutines(
        called.starts[first:] - begin,
        called.members[begin:end].copy(),
        called.numbers[begin:end].copy(),
    )


def stretch_of_opening(opening: Block, step: int, widths: list[int], label_counts: Ints) -> Stretch:
    """Returns the arrays of the opening steps, without labels; `step` is the first one's number."""
    rows = opening.rows
    return Stretch(
        starts=opening.starts,
        numbers=np.ascontiguousarray(rows.numbers),
        ones=one_hot_columns(rows, widths),
        labels=rows.labels,
        past_steps=0,
        past_rows=0,
        step_number=step,
        label_counts=label_counts,
    )
